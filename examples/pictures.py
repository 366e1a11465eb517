"""The pictures of the README, made from a run of the digits model: `python -m examples.pictures MODEL INPUT FOLDER` (`make pictures`)."""

import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright


def main(model: str, images: str, folder: str) -> None:
    """Write report.png, the top of the report page as Chromium shows it, and roofline.png."""
    page_file = Path("build/demo/report.html").absolute()
    command = [str(Path(sys.executable).parent / "accel-sim"), "model", model, "--input", images]
    subprocess.run([*command, "--html", str(page_file), "--roofline", f"{folder}/roofline.png"], check=True, stdout=subprocess.DEVNULL)
    with sync_playwright() as api:
        browser = api.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-background-networking"])
        page = browser.new_page(viewport={"width": 1400, "height": 960})
        page.goto(page_file.as_uri())
        page.locator("#chart-reasons .mlayer path").first.wait_for(state="attached")
        page.screenshot(path=f"{folder}/report.png")
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
