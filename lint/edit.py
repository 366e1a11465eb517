"""Edits of source lines: tokens added to an instruction or taken out of it, instructions put before others."""

import re
from collections.abc import Sequence

_COMMENT = re.compile(r"\s*(?:#|;|//).*")
_LIST = {keyword: re.compile(rf"\b{keyword}\s*\(([^()]*)\)") for keyword in ("wait", "post")}


def add_token(text: str, keyword: str, name: str) -> str:
    """The line with `name` in its wait(...) or post(...)."""
    if match := _LIST[keyword].search(text):
        return f"{text[: match.end() - 1]}, {name}{text[match.end() - 1 :]}"
    code, comment = _split(text)
    post = _LIST["post"].search(code) if keyword == "wait" else None
    if post is not None:
        return f"{code[: post.start()]}wait({name}) {code[post.start() :]}{comment}"
    return f"{code} {keyword}({name}){comment}"


def drop_token(text: str, keyword: str, names: Sequence[str]) -> str:
    """The line without a token, which `names` spell, in its wait(...) or post(...); the same line if it is not there."""
    match = _LIST[keyword].search(text)
    if match is None:
        return text
    kept = [name for name in (part.strip() for part in match[1].split(",")) if name not in names]
    if kept:
        return f"{text[: match.start()]}{keyword}({', '.join(kept)}){text[match.end() :]}"
    return text[: match.start()].rstrip() + text[match.end() :]


def _split(text: str) -> tuple[str, str]:
    match = _COMMENT.search(text)
    return (text[: match.start()], text[match.start() :]) if match else (text.rstrip(), "")
