"""Parameter: a leaf tensor that a Module recognises as its own.

Uses Tensor only; modules know their parameters (module.py), parameters do not know their module.
"""

from __future__ import annotations

from typing import Any, Self

from ..creation import empty
from ..errors import require
from ..tensor import Tensor


class Parameter(Tensor):
    """A tensor to be trained: when it is assigned to a Module, it appears in `parameters()`.

    data: tensor whose memory the parameter shares; None gives an empty one. requires_grad: whether gradients
    are computed; it is also True if the parameter is made under `no_grad`. The parameter is a leaf, even if
    `data` is the result of an operation. Raises RuntimeError if `requires_grad` and `data` is not floating.
    Results of operations are ordinary tensors. `copy.deepcopy` copies the values, without the gradient.

    >>> import autograd_teach as torch
    >>> data = torch.tensor([1.0, 2.0])
    >>> weight = torch.nn.Parameter(data)
    >>> data[0] = 5.0
    >>> weight
    Parameter containing:
    tensor([5., 2.], requires_grad=True)
    """

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Self:
        source = empty(0) if data is None else data.detach()
        require(source.is_floating_point() or not requires_grad, "requires_grad_at_creation")
        parameter = super().__new__(cls)
        parameter._array, parameter._counter = source._array, source._counter
        parameter.requires_grad = requires_grad
        return parameter

    def __init__(self, data: Tensor | None = None, requires_grad: bool = True) -> None:
        """Does nothing: `__new__` has made the parameter, and Tensor's constructor would allocate memory."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Parameter:
        # As in PyTorch the copy starts without a gradient.
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.data.clone(), self.requires_grad)
        return memo[id(self)]

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        # Rebuilt by its own constructor, with the attributes that users gave it.
        attributes = super().__reduce_ex__(protocol)[2]
        return type(self), (self.data, self.requires_grad), attributes


def typename(thing: object) -> str:
    """The name that PyTorch's messages give to a value's type: `torch.FloatTensor`, `int`, `numpy.ndarray`.

    >>> typename(3), typename([1])
    ('int', 'list')
    """
    if isinstance(thing, Tensor):
        return thing.dtype.tensor_type
    named: Any = thing if hasattr(thing, "__qualname__") else type(thing)
    module = getattr(named, "__module__", None)
    return named.__qualname__ if module in (None, "builtins") else f"{module}.{named.__qualname__}"
