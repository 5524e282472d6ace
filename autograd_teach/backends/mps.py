"""`torch.backends.mps`: the GPU of a Mac, which is not used here."""

from ..cuda import is_available

is_built = is_available
