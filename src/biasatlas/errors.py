"""The one error type for mistakes that a user can mend."""

from __future__ import annotations

from collections.abc import Iterable


class InputError(ValueError):
    """A user's input is wrong; the message lists every problem found.

    Parameters
    ----------
    problems : str or iterable of str
        One line a problem: file, key or line, the value, and what is allowed.

    Attributes
    ----------
    problems : tuple of str
        The single problems, in the order in which they were found.
    """

    def __init__(self, problems: str | Iterable[str]) -> None:
        self.problems = (problems,) if isinstance(problems, str) else tuple(problems)
        if len(self.problems) == 1:
            message = self.problems[0]
        else:
            lines = "\n".join(f"  - {problem}" for problem in self.problems)
            message = f"{len(self.problems)} problems:\n{lines}"
        super().__init__(message)

    def __reduce__(self) -> tuple[type[InputError], tuple[tuple[str, ...]]]:
        return type(self), (self.problems,)
