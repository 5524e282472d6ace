"""Optimizers (`torch.optim`): names only; each lives in the file it is imported from."""

from .adam import Adam, AdamW
from .optimizer import Optimizer
from .sgd import SGD

__all__ = ["SGD", "Adam", "AdamW", "Optimizer"]
