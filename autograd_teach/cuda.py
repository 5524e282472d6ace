"""`torch.cuda`: says that there is no GPU, so programs that ask first run on the CPU."""


def is_available() -> bool:
    """False: everything is computed on the CPU.

    >>> import autograd_teach as torch
    >>> torch.device("cuda" if torch.cuda.is_available() else "cpu")
    device(type='cpu')
    """
    return False


def device_count() -> int:
    """0: there is no GPU.

    >>> import autograd_teach as torch
    >>> torch.cuda.device_count()
    0
    """
    return 0


def manual_seed(seed: int) -> None:
    """Has no effect, because there is no GPU; `torch.manual_seed` seeds the CPU's generator.

    >>> import autograd_teach as torch
    >>> torch.cuda.manual_seed(0)
    """


manual_seed_all = manual_seed
