"""`UserError`, for errors that the user can fix."""


class UserError(Exception):
    """An error that the user can fix. Its message is one clear sentence that says what is wrong and what to do.

    The command line prints the message and exits with status 2.
    """

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows instead of a traceback, which would only lead into the course's own code."""
        return [f"{type(self).__name__}: {self}"]
