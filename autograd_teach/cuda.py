"""`torch.cuda`: there is no GPU here, as programs find out before they choose a device."""


def is_available() -> bool:
    """False: everything is computed on the CPU.

    >>> import autograd_teach as torch
    >>> torch.device("cuda" if torch.cuda.is_available() else "cpu")
    device(type='cpu')
    """
    return False
