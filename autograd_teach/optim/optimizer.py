"""Optimizer: groups of tensors to change, their options, and what an optimizer remembers of each.

Uses Tensor only. A rule of updating is a subclass that says `_update` of one parameter (sgd.py, adam.py).
"""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable
from copy import deepcopy
from itertools import chain
from typing import Any

import numpy as np

from ..autograd.modes import enable_grad, no_grad
from ..fused import fused as fused_arrays
from ..nn.module import clear_grad
from ..nn.parameter import typename
from ..tensor import Tensor, wrap


class Optimizer:
    """Base class of all optimizers: groups of tensors, their options, and the state kept for each tensor.

    params: iterable of tensors, of (name, tensor) pairs, or of dicts; each dict has "params" (a tensor, or an
    iterable of tensors or pairs) and options of its own, and becomes one entry of `param_groups`. defaults:
    options of groups that do not set them. Options are read at each step: change `param_groups[0]["lr"]` to
    change the learning rate. `state` maps each tensor to what the optimizer remembers of it. A subclass
    overrides `step`, or only `_update`, the rule for one tensor.

    TypeError if `params` is a tensor or contains something else than tensors, or if a group's are a set;
    ValueError if there are none, for a tensor that is neither a leaf nor retains its gradient, for one that is
    in two groups, and if only some have names. A tensor that is twice in one group gives a warning.

    >>> import autograd_teach as torch
    >>> x, y = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
    >>> optimizer = torch.optim.SGD([{"params": [x], "lr": 0.1}, {"params": [y]}], lr=0.5)
    >>> (x + y).sum().backward()
    >>> optimizer.step()
    >>> x.detach(), y.detach()
    (tensor([0.9000]), tensor([0.5000]))
    """

    def __init__(self, params: Iterable[Any], defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be "
                "an iterable of Tensors or dicts, but got " + typename(params)
            )
        self.state: defaultdict[Any, Any] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update, in place and without recording, every tensor that has a gradient; the others are skipped.

        closure: optional function that is called first, with gradients enabled: it clears the gradients,
        computes the loss, calls `backward` and returns the loss. Returns what it returned, or None.
        NotImplementedError for a class without a rule.

        >>> import autograd_teach as torch
        >>> x = torch.tensor([1.0], requires_grad=True)
        >>> optimizer = torch.optim.SGD([x], lr=0.1)
        >>> def closure():
        ...     optimizer.zero_grad()
        ...     loss = (x**2).sum()
        ...     loss.backward()
        ...     return loss
        >>> optimizer.step(closure).item(), x.detach()
        (1.0, tensor([0.8000]))
        """
        if type(self)._update is Optimizer._update:
            raise NotImplementedError
        with no_grad():
            loss = None
            if closure is not None:
                with enable_grad():
                    loss = closure()
            for group in self.param_groups:
                for param in group["params"]:
                    if param.grad is not None:
                        self._update(param, param.grad, group)
        return loss

    def _update(self, param: Tensor, gradient: Tensor, group: dict[str, Any]) -> None:
        """The rule of one parameter, under `no_grad`: what a subclass says."""
        raise NotImplementedError

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Reset the gradients of all tensors.

        Without this, `backward` adds to the gradients that are there. set_to_none: set `.grad` to None, so that
        `step` skips a tensor until it gets a gradient. If False, existing gradients are filled with zeros in
        place, and detached from any graph.

        >>> import autograd_teach as torch
        >>> x = torch.ones(2, requires_grad=True)
        >>> x.sum().backward()
        >>> torch.optim.SGD([x], lr=0.1).zero_grad(set_to_none=False)
        >>> x.grad
        tensor([0., 0.])
        """
        for group in self.param_groups:
            for param in group["params"]:
                clear_grad(param, set_to_none)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a group of tensors with options of its own; for instance, layers to be trained from now on.

        param_group: dict with "params" (a tensor, or an iterable of tensors or of (name, tensor) pairs) and any
        options; those that are missing are filled in from `defaults`. The dict itself becomes the last entry of
        `param_groups`. TypeError if it is not a dict; KeyError without "params"; otherwise the errors of the
        class.

        >>> import autograd_teach as torch
        >>> x, y = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
        >>> optimizer = torch.optim.SGD([x], lr=0.5)
        >>> optimizer.add_param_group({"params": y, "lr": 0.1})
        >>> [group["lr"] for group in optimizer.param_groups]
        [0.5, 0.1]
        """
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        params = param_group["params"]
        if isinstance(params, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but "
                "the ordering of tensors in sets will change between runs. "
                "Please use a list instead."
            )
        params = [params] if isinstance(params, Tensor) else list(params)
        names = [param[0] for param in params if isinstance(param, tuple)]
        params = [param[1] if isinstance(param, tuple) else param for param in params]
        param_group["params"] = params
        if names:
            if len(names) != len(params):
                raise ValueError("all optimizer params should be with/without names. Some param names are missing")
            param_group["param_names"] = names
        for param in params:
            if not isinstance(param, Tensor):
                raise TypeError("optimizer can only optimize Tensors, but one of the params is " + typename(param))
            if not (param.is_leaf or param.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")
        for name, default in self.defaults.items():
            param_group.setdefault(name, default)
        self._check_unique(param_group)
        self.param_groups.append(param_group)

    def _check_unique(self, param_group: dict[str, Any]) -> None:
        params = set(param_group["params"])
        if len(params) != len(param_group["params"]):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters; "
                "in future, this will cause an error; "
                "see github.com/pytorch/pytorch/issues/40967 for more information",
                stacklevel=4,
            )
        named = "param_names" in param_group
        if any(named != ("param_names" in group) for group in self.param_groups):
            raise ValueError(
                "all optimizer param groups should be with/without names. cannot add param group "
                f"{'with names' if named else 'without names'} to the optimizer"
            )
        if any(not params.isdisjoint(group["params"]) for group in self.param_groups):
            raise ValueError("some parameters appear in more than one parameter group")

    def state_dict(self) -> dict[str, Any]:
        """The optimizer's state and options as a dict to save, with numbers in place of the tensors to optimize.

        Returns {"state": {number: state of this tensor}, "param_groups": [options, with "params" a list of
        numbers]}; the numbers count the tensors through all groups. The tensors of the state are not copied:
        the next step changes them.

        >>> import autograd_teach as torch
        >>> x = torch.zeros(1, requires_grad=True)
        >>> optimizer = torch.optim.SGD([x], lr=0.1, momentum=0.9)
        >>> (2 * x).sum().backward()
        >>> optimizer.step()
        >>> optimizer.state_dict()["state"]
        {0: {'momentum_buffer': tensor([2.])}}
        """
        numbers: dict[int, int] = {}
        groups: list[dict[str, Any]] = []
        for group in self.param_groups:
            start = sum(len(earlier["params"]) for earlier in groups)
            new = [(id(p), i) for i, p in enumerate(group["params"], start) if id(p) not in numbers]
            numbers.update(new)  # of a tensor that is twice in a group, the later number
            packed = {name: value for name, value in group.items() if name != "params"}
            packed["params"] = [numbers[id(param)] for param in group["params"]]
            groups.append(packed)
        state = {numbers[id(key)] if isinstance(key, Tensor) else key: value for key, value in self.state.items()}
        return {"state": state, "param_groups": groups}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Replace the optimizer's state and options by those of a `state_dict`.

        state_dict: from an optimizer with as many groups of the same sizes; its numbers are matched with this
        optimizer's tensors in order. State tensors are converted to the dtype of the floating tensor that they
        belong to ("step" is not); those that need no conversion are shared, not copied. ValueError if the
        number of groups or a group's size differs.

        >>> import autograd_teach as torch
        >>> x = torch.zeros(1, requires_grad=True)
        >>> optimizer = torch.optim.SGD([x], lr=0.1)
        >>> optimizer.load_state_dict(torch.optim.SGD([x], lr=0.7).state_dict())
        >>> optimizer.param_groups[0]["lr"]
        0.7
        """
        saved_groups = deepcopy(state_dict["param_groups"])
        if len(self.param_groups) != len(saved_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        pairs = list(zip(self.param_groups, saved_groups, strict=True))
        if any(len(group["params"]) != len(saved["params"]) for group, saved in pairs):
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
            )
        numbers = chain.from_iterable(saved["params"] for saved in saved_groups)
        params = chain.from_iterable(group["params"] for group in self.param_groups)
        param_of = dict(zip(numbers, params, strict=True))
        self.state = defaultdict(dict)
        for key, value in state_dict["state"].items():
            param = param_of.get(key)
            self.state[key if param is None else param] = _as_state_of(param, value)
        for group, saved in pairs:
            saved["params"] = group["params"]
            if "param_names" in group:
                saved.setdefault("param_names", group["param_names"])
        self.param_groups = saved_groups

    def __repr__(self) -> str:
        text = f"{type(self).__name__} ("
        for i, group in enumerate(self.param_groups):
            text += f"\nParameter Group {i}\n"
            text += "".join(f"    {name}: {group[name]}\n" for name in sorted(set(group) - {"params"}))
        return text + ")"


def fused(a: Tensor, factor: Tensor | float, c: Tensor) -> Tensor:
    """`a * factor + c`, elementwise and rounded once, as PyTorch's kernels compute it."""
    x, y = a._array, factor._array if isinstance(factor, Tensor) else factor
    return wrap(np.asarray(fused_arrays(x, np.asarray(y, np.promote_types(x.dtype, "f4")), c._array)))


def check_one_element(lr: Any) -> None:
    """Raise ValueError for a tensor that does not have exactly one element."""
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")


def number(value: Any) -> Any:
    """The value of an option as a plain number, also if it was given as a tensor with one element."""
    return value.item() if isinstance(value, Tensor) else value


def refuse(**options: Any) -> None:
    """Raise NotImplementedError if one of these options, which only PyTorch supports, is true."""
    for name, value in options.items():
        if value:
            raise NotImplementedError(f"autograd_teach's optimizers do not support {name}={value}")


def _as_state_of(param: Tensor | None, value: Any, key: Any = None) -> Any:
    """A saved value with its tensors converted to the dtype of `param`; "step" keeps its own."""
    if isinstance(value, dict):
        return {name: _as_state_of(param, entry, name) for name, entry in value.items()}
    if isinstance(value, Tensor) and param is not None and key != "step":
        return value.to(param.dtype) if param.is_floating_point() else value
    return value
