"""`torch.autograd`: how gradients are computed. Names only; the file that each is imported from explains it."""

from . import functional, graph
from .backward import backward, grad
from .function import Function
from .gradcheck import GradcheckError, gradcheck, gradgradcheck
from .modes import (
    detect_anomaly, enable_grad, inference_mode, is_anomaly_enabled, is_grad_enabled, no_grad, set_detect_anomaly,
    set_grad_enabled,
)  # fmt: skip
from .node import Node
from .variable import Variable

__all__ = [
    "Function", "GradcheckError", "Node", "Variable", "backward", "detect_anomaly", "enable_grad", "functional", "grad",
    "gradcheck", "gradgradcheck", "graph", "inference_mode", "is_anomaly_enabled", "is_grad_enabled", "no_grad",
    "set_detect_anomaly", "set_grad_enabled",
]  # fmt: skip
