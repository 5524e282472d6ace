"""Neural network building blocks (`torch.nn`): names only; each lives in the file it is imported from."""

# Imported names are packed into full lines.
# ruff: noqa: I001
# fmt: off
from . import functional, init, utils
from .activations import (
    CELU, ELU, GELU, SELU, Hardtanh, LeakyReLU, LogSigmoid, LogSoftmax, ReLU, ReLU6, Sigmoid, SiLU, Softmax,
    Softmin, Softplus, Softsign, Tanh, Tanhshrink, Threshold,
)
from .containers import ModuleDict, ModuleList, ParameterList, Sequential
from .layers import (
    BatchNorm1d, CosineSimilarity, Dropout, Embedding, Flatten, Identity, LayerNorm, Linear, PairwiseDistance,
)
from .losses import (
    BCELoss, BCEWithLogitsLoss, CrossEntropyLoss, HuberLoss, KLDivLoss, L1Loss, MSELoss, NLLLoss, SmoothL1Loss,
)
from .module import Module
from .parameter import Parameter

__all__ = [
    "CELU", "ELU", "GELU", "SELU", "BCELoss", "BCEWithLogitsLoss", "BatchNorm1d", "CosineSimilarity",
    "CrossEntropyLoss", "Dropout", "Embedding", "Flatten", "Hardtanh", "HuberLoss", "Identity", "KLDivLoss", "L1Loss",
    "LayerNorm", "LeakyReLU", "Linear", "LogSigmoid", "LogSoftmax", "MSELoss", "Module", "ModuleDict", "ModuleList",
    "NLLLoss", "PairwiseDistance", "Parameter", "ParameterList", "ReLU", "ReLU6", "Sequential", "SiLU", "Sigmoid",
    "SmoothL1Loss", "Softmax", "Softmin", "Softplus", "Softsign", "Tanh", "Tanhshrink", "Threshold", "functional",
    "init", "utils",
]
