"""What a user can put right: a model or an input that can't be used."""


class ModelError(ValueError):
    """A model file that can't be run; the text is one line: what was seen, where, what to do."""


class InputError(ValueError):
    """An input array that doesn't fit the model; the text is one line."""


class FallbackError(ModelError):
    """Nodes that only the CPU can run, where that was forbidden; a line for each."""
