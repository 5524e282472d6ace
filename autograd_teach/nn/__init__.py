"""Neural network building blocks (`torch.nn`): names only; each lives in the file it is imported from."""

from . import functional, init
from .layers import (
    Flatten,
    Identity,
    L1Loss,
    Linear,
    MSELoss,
    ReLU,
    Sequential,
    Sigmoid,
    Tanh,
)
from .module import Module
from .parameter import Parameter

__all__ = [
    "Flatten",
    "Identity",
    "L1Loss",
    "Linear",
    "MSELoss",
    "Module",
    "Parameter",
    "ReLU",
    "Sequential",
    "Sigmoid",
    "Tanh",
    "functional",
    "init",
]
