"""Editor support made from the instruction table: TextMate grammar, Pygments lexer, language server (docs/editor.md)."""
