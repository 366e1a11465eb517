"""Dictionaries that can't be changed: results of launches share them."""

from typing import Any, NoReturn, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class ReadOnly(dict[Key, Value]):
    """A dictionary that stays as it was made; `copy` gives one that can be changed."""

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError(
            "a result can't be changed: other launches share it; likely fix: change a copy (.copy())"
        )

    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[Any, ...]:  # that of dictionaries would set each item
        return type(self), (dict(self),)
