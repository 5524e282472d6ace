"""The one kind of error that a user, not a bug, causes."""


class UserError(Exception):
    """One clear sentence that says what is wrong and what to do; the command line prints it and exits with status 2."""

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows in place of a traceback, which would only lead into the course's own code."""
        return [f"{type(self).__name__}: {self}"]
