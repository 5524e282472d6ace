"""The one kind of error that a user, not a bug, causes."""


class UserError(Exception):
    """One clear sentence that says what is wrong and what to do; the command line prints it and exits with status 2."""
