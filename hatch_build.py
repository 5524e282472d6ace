"""Says in one sentence that a Python is too old, before pip searches long and in vain for a NumPy that fits it.

Run by hatchling at the start of every build, on whatever Python there is: nothing here may need a recent one.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036  (whoever meets this has not been stopped by pip yet)
    sys.exit(
        "autograd_teach needs Python 3.11 or later, and this is Python {}.{}: delete the folder .venv, "
        "and begin the line with a newer Python, such as python3.13.".format(*sys.version_info)
    )

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class NothingElse(BuildHookInterface):
    """hatchling wants a class here; the work was done when this file was read."""
