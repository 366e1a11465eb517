// Sorting and filtering of the table of layers. Numbers sort by data-value; cells without one come last in either direction.
"use strict";
(() => {
  const table = document.getElementById("layers");
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const heads = [...table.tHead.rows[0].cells];

  function compare(a, b, isNumber, sign) {
    const [x, y] = isNumber ? [a.dataset.value, b.dataset.value] : [a.textContent, b.textContent];
    if (!x || !y) return (x ? 0 : 1) - (y ? 0 : 1);
    return sign * (isNumber ? Number(x) - Number(y) : x < y ? -1 : x > y ? 1 : 0);
  }

  heads.forEach((head, column) => head.querySelector("button").addEventListener("click", () => {
    const isNumber = head.classList.contains("n");
    const last = head.getAttribute("aria-sort");
    const way = last ? (last === "ascending" ? "descending" : "ascending") : isNumber && column ? "descending" : "ascending";
    heads.forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", way);
    const sign = way === "ascending" ? 1 : -1;
    rows.sort((a, b) => compare(a.cells[column], b.cells[column], isNumber, sign));
    body.append(...rows);
  }));

  function filter() {
    const words = document.getElementById("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      shown += row.hidden ? 0 : 1;
    }
    document.getElementById("shown").textContent = `${shown} of ${rows.length} layers`;
  }
  document.getElementById("filter").addEventListener("input", filter);
  filter();
})();
