"""The language server as an editor meets it: a process that speaks the protocol, asked by the test of pytest-lsp's editors."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

from accelkit.assembler import Source, analyse
from tests.editor.fixtures import ASM, text

COMMAND = Path(sys.executable).with_name("accel-lsp")
EDITORS = ["visual_studio_code", "neovim", "emacs"]
ERR = [ASM / "err" / f"{stem}.s" for stem in ("symbols", "operands_tensor", "tokens", "syntax", "values")]
SOURCE = """\
        .arg    M, value                    # a 32-bit number
        .token  loaded = load -> store.0
        .equ    ROW, 16
        larg    t0, args[M]
        li      t1, ROW
        beqz    t0, done
        load.b  sp[zero], dram[a0], bytes=t1, rows=t0  post(loaded)
        store.b dram[a1], sp[zero], bytes=t1, rows=t0  wait(loaded)
done:   halt
"""
URI = "file:///kernels/kernel.s"


async def session(lsp_client: LanguageClient, editor: str) -> AsyncIterator[None]:
    """A session of an editor; pytest-lsp also checks that answers keep to what that editor says it can do."""
    capabilities = client_capabilities(editor)
    result = await lsp_client.initialize_session(types.InitializeParams(capabilities=capabilities, root_uri="file:///work"))
    lsp_client.encoding = result.capabilities.position_encoding or types.PositionEncodingKind.Utf16
    yield
    await lsp_client.shutdown_session()


@pytest_lsp.fixture(config=ClientServerConfig(server_command=[str(COMMAND)]))
async def client(lsp_client: LanguageClient) -> AsyncIterator[None]:
    """A session of VS Code."""
    async for _ in session(lsp_client, "visual_studio_code"):
        yield


@pytest_lsp.fixture(config=ClientServerConfig(server_command=[str(COMMAND)]), params=EDITORS)
async def each_client(request: pytest.FixtureRequest, lsp_client: LanguageClient) -> AsyncIterator[None]:
    """A session of each editor."""
    async for _ in session(lsp_client, request.param):
        yield


async def published(client: LanguageClient) -> None:
    """Wait until diagnostics arrive; a server that sends none must fail a test, not hang it."""
    await asyncio.wait_for(client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS), timeout=60)


def of_assembler(found: list[types.Diagnostic]) -> list[types.Diagnostic]:
    """What the lint has not found."""
    return [one for one in found if one.source == "accel-as"]


async def open_document(client: LanguageClient, source: str, uri: str = URI) -> list[types.Diagnostic]:
    """Open a document and wait for what is said of it."""
    document = types.TextDocumentItem(uri, "accelkit", 1, source)
    client.text_document_did_open(types.DidOpenTextDocumentParams(document))
    await published(client)
    return list(client.diagnostics[uri])


async def change(client: LanguageClient, source: str, version: int) -> list[types.Diagnostic]:
    """Replace the document's text and wait for what is said of it."""
    document = types.VersionedTextDocumentIdentifier(version, URI)
    whole = types.TextDocumentContentChangeWholeDocument(source)
    client.text_document_did_change(types.DidChangeTextDocumentParams(document, [whole]))
    await published(client)
    return list(client.diagnostics[URI])


def place(source: str, word: str, occurrence: int = 1) -> types.Position:
    """The position before the n-th occurrence of a word."""
    offset = -1
    for _ in range(occurrence):
        offset = source.index(word, offset + 1)
    return types.Position(source.count("\n", 0, offset), offset - source.rfind("\n", 0, offset) - 1)


def document() -> types.TextDocumentIdentifier:
    """The open document."""
    return types.TextDocumentIdentifier(URI)


@pytest.mark.asyncio
async def test_diagnostics_are_the_assemblers(client: LanguageClient) -> None:
    """Every error and warning of the assembler arrives, with its code, text, help, place and notes."""
    for path in ERR:
        source = text(path)
        expected = analyse([Source(source, path.name)]).diagnostics
        shown = await open_document(client, source, f"file:///kernels/{path.name}")
        assert expected
        assert [(one.code, one.range.start.line + 1, one.range.start.character, one.message) for one in shown] == [
            (one.code, one.line.number, one.span.start, "\n".join([one.message, *(f"help: {line}" for line in one.help)]))
            for one in expected
        ]
        notes = [[(note.message, note.location.range.start.line + 1) for note in one.related_information or ()] for one in shown]
        assert notes == [[(note.message, note.line.number) for note in one.notes] for one in expected]


@pytest.mark.asyncio
async def test_diagnostics_follow_the_text(client: LanguageClient) -> None:
    """An error appears when it is typed and goes when it is mended; closing the document takes all away."""
    assert of_assembler(await open_document(client, SOURCE)) == []
    (found,) = await change(client, SOURCE.replace("halt", "hlt"), 2)
    assert found.code == "E0107"
    assert "halt" in found.message
    assert of_assembler(await change(client, SOURCE, 3)) == []
    await change(client, "hlt", 4)
    client.text_document_did_close(types.DidCloseTextDocumentParams(document()))
    await published(client)
    assert list(client.diagnostics[URI]) == []


@pytest.mark.asyncio
async def test_columns_are_in_the_agreed_units(each_client: LanguageClient) -> None:
    """A character outside the basic plane counts as many columns as the encoding takes on which editor and server agreed."""
    (found,) = await open_document(each_client, '.data\n.ascii "\U0001f600", missing\n')
    units = {"utf-8": 4, "utf-16": 2, "utf-32": 1}[each_client.encoding]
    assert (found.range.start, found.range.end) == (types.Position(1, 11 + units), types.Position(1, 18 + units))


@pytest.mark.asyncio
async def test_errors_of_included_files(client: LanguageClient, tmp_path: Path) -> None:
    """An error in an included macro is shown where it is written, with the call."""
    library, kernel = tmp_path / "library.s", tmp_path / "kernel.s"
    library.write_text(".macro twice x\n        addi \\x, \\x, missing\n.endm\n")
    shown = await open_document(client, '.include "library.s"\n        twice t0\n        halt\n.equ unused, 1\n', kernel.as_uri())
    assert [(one.severity, one.range.start.line) for one in shown] == [(types.DiagnosticSeverity.Warning, 3)]
    if library.as_uri() not in client.diagnostics:
        await published(client)
    (found,) = client.diagnostics[library.as_uri()]
    assert found.range == types.Range(types.Position(1, 21), types.Position(1, 28))
    call = types.Location(kernel.as_uri(), types.Range(types.Position(1, 8), types.Position(1, 16)))
    assert call in [note.location for note in found.related_information or ()]


@pytest.mark.asyncio
async def test_hover_shows_instruction(client: LanguageClient) -> None:
    """Hovering over a mnemonic shows its documentation, over a constant its value."""
    await open_document(client, SOURCE)
    shown = await client.text_document_hover_async(types.HoverParams(document(), place(SOURCE, "load.b")))
    assert shown is not None
    assert isinstance(shown.contents, types.MarkupContent)
    for part in ("load.b sp[reg], dram[reg], bytes=reg", "Loads bytes into whole scratchpad rows", "**Cycles**", "`COUNT`"):
        assert part in shown.contents.value
    assert shown.range == types.Range(types.Position(6, 8), types.Position(6, 14))
    shown = await client.text_document_hover_async(types.HoverParams(document(), place(SOURCE, "ROW", 2)))
    assert shown is not None
    assert isinstance(shown.contents, types.MarkupContent)
    assert shown.contents.value.startswith("constant `ROW` = 16, line 3")
    assert await client.text_document_hover_async(types.HoverParams(document(), place(SOURCE, "a 32-bit"))) is None


@pytest.mark.asyncio
async def test_definition(client: LanguageClient) -> None:
    """A use of an argument, constant, label or token leads to the name where it is defined, and a register nowhere."""
    await open_document(client, SOURCE)
    for word, occurrence, line, column in [("M]", 1, 0, 16), ("ROW", 2, 2, 16), ("done", 1, 8, 0), ("loaded", 3, 1, 16)]:
        at = types.DefinitionParams(document(), place(SOURCE, word, occurrence))
        found = await client.text_document_definition_async(at)
        assert isinstance(found, types.Location)
        assert (found.uri, found.range.start) == (URI, types.Position(line, column))
    assert await client.text_document_definition_async(types.DefinitionParams(document(), place(SOURCE, "t0"))) is None


@pytest.mark.asyncio
async def test_completion_replaces_the_word(client: LanguageClient) -> None:
    """What is proposed replaces the word up to the cursor, dots included, and a resolved mnemonic is documented."""
    source = SOURCE + "        load.\n"
    await open_document(client, source)
    items = await client.text_document_completion_async(types.CompletionParams(document(), types.Position(9, 13)))
    assert isinstance(items, list)
    (item,) = [one for one in items if one.label == "load.w"]
    assert isinstance(item.text_edit, types.TextEdit)
    assert item.text_edit.range == types.Range(types.Position(9, 8), types.Position(9, 13))
    resolved = await client.completion_item_resolve_async(item)
    assert isinstance(resolved.documentation, types.MarkupContent)
    assert "32-bit words" in resolved.documentation.value


RACY = """\
        .arg    x, in, s8[16, 16]
        .arg    y, out, s8[16, 16]
        li      t0, 16
        larg    a0, args[x]
        larg    a1, args[y]
        load.b  sp[zero], dram[a0], bytes=t0, rows=t0, stride=t0
        store.b dram[a1], sp[zero], bytes=t0, rows=t0, stride=t0
        halt
"""


@pytest.mark.asyncio
async def test_lint_and_its_fix(client: LanguageClient) -> None:
    """A race on the kernel's cases is shown with both places; its code action is an edit after which nothing is found."""
    found = await open_document(client, RACY)
    assert [(one.code, one.source, one.range.start.line) for one in found] == [("W0901", "accel-lint", 6)]
    assert [note.location.range.start.line for note in found[0].related_information or ()] == [5]
    context = types.CodeActionContext(found)
    (action,) = await client.text_document_code_action_async(types.CodeActionParams(document(), found[0].range, context)) or ()
    assert isinstance(action, types.CodeAction)
    resolved = await client.code_action_resolve_async(action)
    assert resolved.edit is not None
    (edit,) = (resolved.edit.changes or {})[URI]
    assert "wait(load.0)" in edit.new_text
    assert await change(client, edit.new_text, 2) == []
    client.text_document_did_save(types.DidSaveTextDocumentParams(document()))
    await published(client)
    assert list(client.diagnostics[URI]) == []


@pytest.mark.asyncio
async def test_lint_waits_for_a_pause(client: LanguageClient) -> None:
    """While somebody types only the assembler speaks; what the lint finds follows in the pause. What no case covers is listed."""
    (found,) = await open_document(client, ".arg n, value\nsync.load\nhalt\n")
    assert found.severity == types.DiagnosticSeverity.Information
    assert "no .case is declared" in found.message
    assert await change(client, RACY, 2) == []
    await published(client)
    assert [one.code for one in client.diagnostics[URI]] == ["W0901"]
