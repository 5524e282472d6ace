"""Optimizers (`torch.optim`): names only; each lives in the file it is imported from."""

from .adam import Adam
from .optimizer import Optimizer
from .sgd import SGD

__all__ = ["SGD", "Adam", "Optimizer"]
