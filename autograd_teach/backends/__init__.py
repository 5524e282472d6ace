"""`torch.backends`, and settings of speed and hardware: they exist so that programs run, and have no effect.

NumPy's results are the same in each run; the variable `OMP_NUM_THREADS` sets its number of threads.
"""

from . import cudnn, mps  # noqa: F401  its submodules


def set_num_threads(n: int) -> None:
    """Has no effect: NumPy itself chooses how many threads it uses.

    >>> import autograd_teach as torch
    >>> torch.set_num_threads(1)
    """


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Has no effect: every result here is the same in each run.

    >>> import autograd_teach as torch
    >>> torch.use_deterministic_algorithms(True)
    """
