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
    """Base of all optimizers.

    `params` are tensors, (name, tensor) pairs, or dicts with "params" and options of their own;
    `defaults` are the options of groups that do not set them. Raises TypeError and ValueError for
    what cannot be optimized.
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
        """Update every tensor that has a gradient.

        `closure`: called first, with recording on, to compute the loss anew; what it returns is returned.
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
        """Forget the gradients, or fill them with zeros."""
        for group in self.param_groups:
            for param in group["params"]:
                clear_grad(param, set_to_none)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add tensors with their options."""
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
        """What the optimizer remembers and its options, with tensors replaced by their numbers."""
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
        """Take over options and memory from a `state_dict` of groups of the same sizes; ValueError otherwise."""
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
    """ValueError for a tensor that is not one number."""
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")


def number(value: Any) -> Any:
    """An option as a plain number, where it was given as a tensor with one element."""
    return value.item() if isinstance(value, Tensor) else value


def refuse(**options: Any) -> None:
    """NotImplementedError if one of PyTorch's options that this package does not have is asked for."""
    for name, value in options.items():
        if value:
            raise NotImplementedError(f"autograd_teach's optimizers do not support {name}={value}")


def _as_state_of(param: Tensor | None, value: Any, key: Any = None) -> Any:
    """A copy of a saved value in which tensors have the dtype of `param`; "step" keeps its own."""
    if isinstance(value, dict):
        return {name: _as_state_of(param, entry, name) for name, entry in value.items()}
    if isinstance(value, Tensor) and param is not None and key != "step":
        return value.to(param.dtype) if param.is_floating_point() else value
    return value
