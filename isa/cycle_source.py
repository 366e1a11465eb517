"""Source text of the cycle rules, for the documentation. The file is read, never imported: `isa` knows nothing of the simulator."""

from __future__ import annotations

import ast


def rule_sources(source: str, names: set[str]) -> list[tuple[str, str]]:
    """(name, source text) of the module-level functions and constants of `source` that `names` reach, in the order of the file."""
    definitions = _definitions(source)
    reached: set[str] = set()
    pending = names & definitions.keys()
    while pending:
        name = pending.pop()
        reached.add(name)
        used = {node.id for node in ast.walk(definitions[name]) if isinstance(node, ast.Name)}
        pending |= (used & definitions.keys()) - reached
    return [(name, _text(source, node)) for name, node in definitions.items() if name in reached]


def _definitions(source: str) -> dict[str, ast.stmt]:
    found: dict[str, ast.stmt] = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = node
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found[node.targets[0].id] = node
    return found


def _text(source: str, node: ast.stmt) -> str:
    """The lines of a definition without decorators and type-checker comments, which say nothing of cycles."""
    assert node.end_lineno is not None
    lines = source.splitlines()[node.lineno - 1 : node.end_lineno]
    return "\n".join(line.split("  # type: ignore")[0] for line in lines)
