"""`UserError`, for errors that the user can fix, and the form of messages that quote another one."""


class UserError(Exception):
    """An error that the user can fix. Its message is one clear sentence that says what is wrong and what to do.

    The command line prints the message and exits with status 2.
    """

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows instead of a traceback, which would only lead into the course's own code."""
        return [f"{type(self).__name__}: {self}"]


def fix(problem: str, what_to_do: str) -> str:
    """One text of a problem, which may end in any punctuation, and of what to do.

    >>> fix("It raises UserError: there is no file.", "fix it first.")
    'It raises UserError: there is no file; fix it first.'
    >>> fix("It raises UserError: did you mean 'x'?", "fix it first.")
    "It raises UserError: did you mean 'x'? Fix it first."
    """
    problem = problem.rstrip(". ")
    if problem.endswith(("?", "!")):
        return f"{problem} {what_to_do[0].upper()}{what_to_do[1:]}"
    return f"{problem}; {what_to_do}"
