"""Variable: the name of a tensor that can require grad before PyTorch 0.4, still used by old programs."""

from typing import Any

from ..errors import require
from ..tensor import Tensor


class _VariableMeta(type):
    def __instancecheck__(cls, other: Any) -> bool:
        return isinstance(other, Tensor)


class Variable(metaclass=_VariableMeta):
    """The old name of a tensor that can require grad: makes a new leaf with the memory of `data`, a tensor.

    TypeError if `data` is not a tensor, RuntimeError if `requires_grad` is True and `data` is not
    floating.

    >>> import autograd_teach as torch
    >>> torch.autograd.Variable(torch.ones(2), requires_grad=True)
    tensor([1., 1.], requires_grad=True)
    """

    def __new__(cls, data: Any = None, requires_grad: bool = False) -> Any:
        data = Tensor() if data is None else data
        require(isinstance(data, Tensor), "variable_of_what", type(data).__name__)
        require(data.is_floating_point() or not requires_grad, "requires_grad_at_creation")
        return data.detach().requires_grad_(requires_grad)
