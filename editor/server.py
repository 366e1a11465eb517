"""The language server: glue between the protocol (pygls, extra `lsp`) and check, hover, definition and completion.

Columns of the assembler are code points, those of the protocol whatever was agreed with the client: each is converted once, here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.workspace import PositionCodec

from accelkit.assembler.diagnostics import Diagnostic
from accelkit.assembler.substitution import written_span
from accelkit.assembler.syntax import Line, Span
from accelkit.editor.check import Checked, Fix, Lint, check
from accelkit.editor.completion import Proposal, complete
from accelkit.editor.definitions import Definitions, NameKind, definitions, source_lines
from accelkit.editor.hover import definition_of, hover, instruction_text
from accelkit.editor.lexicon import Category

CHECK_AFTER_SECONDS = 0.2  # of no typing: a check of a long file takes as long as several keystrokes
LINT_AFTER_SECONDS = 1.0  # the lint takes as long as a second: it waits for a pause, for saving, or for opening
FIX_TITLE = "Mend what the lint can mend in this file (accel-lint --fix)"

_ITEM_KINDS: dict[Category | NameKind, types.CompletionItemKind] = {
    Category.MNEMONIC: types.CompletionItemKind.Function,
    Category.OPERAND: types.CompletionItemKind.Property,
    Category.REGISTER: types.CompletionItemKind.Variable,
    Category.MEMORY: types.CompletionItemKind.Struct,
    Category.CHANNEL: types.CompletionItemKind.Event,
    Category.TYPE: types.CompletionItemKind.TypeParameter,
    NameKind.TOKEN: types.CompletionItemKind.Event,
    NameKind.LABEL: types.CompletionItemKind.Reference,
    NameKind.CONSTANT: types.CompletionItemKind.Constant,
    NameKind.ARGUMENT: types.CompletionItemKind.Variable,
}


class AssemblyServer(LanguageServer):
    """State of the server: what the last check of each document found, and which checks are due."""

    def __init__(self, lint: Lint | None, fix: Fix | None) -> None:
        super().__init__("accel-lsp", metadata.version("accelkit"))
        self.lint = lint
        self.fix = fix
        self.checked: dict[str, Checked] = {}
        self.due: dict[str, asyncio.TimerHandle] = {}
        self.others: dict[str, set[str]] = {}  # included files in which something was found

    def lines(self, uri: str) -> list[str]:
        """The lines of an open document."""
        return source_lines(self.workspace.get_text_document(uri).source)

    def at(self, document: types.TextDocumentIdentifier, where: types.Position) -> tuple[list[str], int, int]:
        """The lines of a document, and a position as line and column in code points, within the text."""
        lines = self.lines(document.uri)
        position = self.workspace.position_codec.position_from_client_units(lines, where)
        line = min(position.line, len(lines) - 1)
        return lines, line, min(position.character, len(lines[line]))

    def known(self, document: types.TextDocumentIdentifier) -> Definitions:
        """What a document and the files that it includes define."""
        return definitions(self.lines(document.uri), folder=Path(self.workspace.get_text_document(document.uri).path).parent)

    def range(self, line: int, start: int, end: int, text: str) -> types.Range:
        """Columns of a line whose text is `text`, in the client's units."""
        return _range(self.workspace.position_codec, line, start, end, text)

    def publish(self, uri: str, is_linting: bool = True) -> None:
        """Check a document and send what was found, that in included files too. Without the lint, that is soon done in a pause."""
        if handle := self.due.pop(uri, None):
            handle.cancel()
        if not is_linting and self.lint is not None:
            self.due[uri] = asyncio.get_running_loop().call_later(LINT_AFTER_SECONDS, self.publish, uri)
        document = self.workspace.get_text_document(uri)
        path = Path(document.path)
        found = self.checked[uri] = check(document.source, path, self.lint if is_linting else None)
        shown: dict[str, list[types.Diagnostic]] = {uri: [], **{other: [] for other in self.others.get(uri, ())}}
        for one in found.diagnostics:
            shown.setdefault(_uri(one.line, path, uri), []).append(self._diagnostic(one, path, uri))
        start = self.range(0, 0, 0, "")
        for text in found.uncovered:
            what = types.Diagnostic(start, f"not covered by the lint: {text}", types.DiagnosticSeverity.Information, source="accel-lint")
            shown[uri].append(what)
        self.others[uri] = shown.keys() - {uri}
        for place, diagnostics in shown.items():
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(place, diagnostics))

    def publish_later(self, uri: str) -> None:
        """Check a document when nobody has typed for a while."""
        if handle := self.due.pop(uri, None):
            handle.cancel()
        self.due[uri] = asyncio.get_running_loop().call_later(CHECK_AFTER_SECONDS, self.publish, uri, False)

    def forget(self, uri: str) -> None:
        """A document was closed: its diagnostics go."""
        if handle := self.due.pop(uri, None):
            handle.cancel()
        self.checked.pop(uri, None)
        for place in (uri, *self.others.pop(uri, ())):
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(place, []))

    def _diagnostic(self, found: Diagnostic, path: Path, uri: str) -> types.Diagnostic:
        notes = [
            types.DiagnosticRelatedInformation(types.Location(_uri(note.line, path, uri), self._place(note.line, note.span)), note.message)
            for note in found.notes
        ]
        origin = found.line.origin
        while origin:  # from the innermost call outwards
            what = "included here" if origin.kind == "include" else f"in the expansion of '{origin.name}'"
            place = types.Location(_uri(origin.line, path, uri), self._place(origin.line, origin.span))
            notes.append(types.DiagnosticRelatedInformation(place, what))
            origin = origin.line.origin
        is_error = found.severity == "error"
        return types.Diagnostic(
            range=self._place(found.line, found.span),
            message="\n".join([found.message, *(f"help: {text}" for text in found.help)]),
            severity=types.DiagnosticSeverity.Error if is_error else types.DiagnosticSeverity.Warning,
            code=found.code,
            source="accel-lint" if found.code.startswith(("W08", "W09")) else "accel-as",
            related_information=notes or None,
        )

    def _place(self, line: Line, span: Span) -> types.Range:
        """Where a part of a line is written: a line of a macro stands there before its parameters were replaced."""
        start, end = written_span(line, span)
        text = line.origin.written if line.origin and line.origin.replaced else line.text
        return self.range(line.number - 1, start, end, text)


def _uri(line: Line, path: Path, uri: str) -> str:
    """The document of a line: included files are named as seen from the file that is checked."""
    return uri if line.file == path.name else (path.parent / line.file).absolute().as_uri()


def _range(codec: PositionCodec, line: int, start: int, end: int, text: str) -> types.Range:
    columns = (codec.client_num_units(text[:start]), codec.client_num_units(text[:end]))
    return types.Range(types.Position(line, columns[0]), types.Position(line, max(columns)))


def make_server(lint: Lint | None = None, fix: Fix | None = None) -> AssemblyServer:
    """A server with all its features; `start_io()` serves standard input and output. The lint, and what mends its findings, come from
    whoever starts it."""
    server = AssemblyServer(lint, fix)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: types.DidOpenTextDocumentParams) -> None:
        server.publish(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: types.DidChangeTextDocumentParams) -> None:
        server.publish_later(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def did_save(params: types.DidSaveTextDocumentParams) -> None:
        server.publish(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseTextDocumentParams) -> None:
        server.forget(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def on_hover(params: types.HoverParams) -> types.Hover | None:
        lines, line, column = server.at(params.text_document, params.position)
        checked = server.checked.get(params.text_document.uri, Checked())
        if not (found := hover(lines, line, column, server.known(params.text_document), checked.values)):
            return None
        word, text = found
        content = types.MarkupContent(types.MarkupKind.Markdown, text)
        return types.Hover(content, server.range(line, word.start, word.end, lines[line]))

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    def on_definition(params: types.DefinitionParams) -> types.Location | None:
        lines, line, column = server.at(params.text_document, params.position)
        if not (found := definition_of(lines, line, column, server.known(params.text_document))):
            return None
        uri = found.path.absolute().as_uri() if found.path else params.text_document.uri
        return types.Location(uri, server.range(found.line, found.start, found.end, server.lines(uri)[found.line]))

    _add_completion(server)
    if fix is not None:
        _add_fix(server, fix)
    return server


def _add_fix(server: AssemblyServer, fix: Fix) -> None:
    kind = types.CodeActionKind.QuickFix

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions([kind], resolve_provider=True))
    def on_code_action(params: types.CodeActionParams) -> list[types.CodeAction]:
        found = [one for one in params.context.diagnostics if one.source == "accel-lint" and one.code]
        return [types.CodeAction(FIX_TITLE, kind, found, data=params.text_document.uri)] if found else []

    @server.feature(types.CODE_ACTION_RESOLVE)
    def on_fix(action: types.CodeAction) -> types.CodeAction:
        """Each edit is tried before it is proposed, which takes a while: only when somebody wants it."""
        uri = str(action.data)
        document = server.workspace.get_text_document(uri)
        path = Path(document.path)
        program = check(document.source, path).program
        if program is not None:
            lines = server.lines(uri)
            whole = types.Range(types.Position(0, 0), server.range(len(lines) - 1, 0, len(lines[-1]), lines[-1]).end)
            mended = fix(program, {path.name: document.source}, path.parent)
            action.edit = types.WorkspaceEdit({uri: [types.TextEdit(whole, mended)]} if mended != document.source else {})
        return action


def _add_completion(server: AssemblyServer) -> None:
    options = types.CompletionOptions(trigger_characters=[".", "[", "(", "=", ","], resolve_provider=True)

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, options)
    def on_completion(params: types.CompletionParams) -> list[types.CompletionItem]:
        lines, line, column = server.at(params.text_document, params.position)
        begin, proposals = complete(lines[line], column, server.known(params.text_document))
        return _items(proposals, server.range(line, begin, column, lines[line]))

    @server.feature(types.COMPLETION_ITEM_RESOLVE)
    def on_resolve(item: types.CompletionItem) -> types.CompletionItem:
        if item.kind == types.CompletionItemKind.Function:  # long texts only for the one that is looked at
            item.documentation = types.MarkupContent(types.MarkupKind.Markdown, instruction_text(item.label))
        return item


def _items(proposals: Sequence[Proposal], replaced: types.Range) -> list[types.CompletionItem]:
    """Items in the order of the proposals. The range is explicit: clients disagree on whether a word may hold a dot."""
    return [
        types.CompletionItem(
            label=one.text,
            kind=_ITEM_KINDS.get(one.kind, types.CompletionItemKind.Keyword),
            detail=one.detail or None,
            sort_text=f"{place:04}",
            text_edit=types.TextEdit(replaced, one.text),
        )
        for place, one in enumerate(proposals)
    ]
