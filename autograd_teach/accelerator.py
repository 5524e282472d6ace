"""`torch.accelerator`: says that there is no accelerator, neither a GPU nor another kind.

>>> import autograd_teach as torch
>>> torch.accelerator.current_accelerator().type if torch.accelerator.is_available() else "cpu"
'cpu'
"""

from .cuda import device_count, is_available  # noqa: F401  PyTorch's names, found here too
