"""Module: a tree of named parameters, buffers and submodules with a `forward`.

Uses Tensor and Parameter only; knows no layer and no operation.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from textwrap import indent
from typing import Any, NamedTuple, Self

from ..autograd.graph import RemovableHandle
from ..autograd.modes import no_grad
from ..dtypes import dtype as Dtype
from ..dtypes import float32, float64
from ..tensor import Tensor
from .parameter import Parameter, typename


class _IncompatibleKeys(NamedTuple):
    """What load_state_dict returns."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        missing, unexpected = self
        return f"_IncompatibleKeys(missing_keys={missing}, unexpected_keys={unexpected})"


class Module:
    """Base of all layers: assign parameters and submodules as attributes, write `forward`, call it.

    Subclasses call `super().__init__()` before they assign; AttributeError says so otherwise.

    >>> Module()
    Module()
    """

    training: bool
    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Module | None]
    _non_persistent_buffers_set: set[str]
    _forward_pre_hooks: dict[int, Callable[..., Any]]
    _forward_hooks: dict[int, Callable[..., Any]]

    def __init__(self) -> None:
        # Not by assignment: __setattr__ needs these dictionaries.
        self.__dict__.update(
            training=True,
            _parameters={},
            _buffers={},
            _modules={},
            _non_persistent_buffers_set=set(),
            _forward_pre_hooks={},
            _forward_hooks={},
        )

    # Calling

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The computation; every subclass writes its own."""
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        for hook in tuple(self._forward_pre_hooks.values()):
            changed = hook(self, args)
            if changed is not None:
                args = changed if isinstance(changed, tuple) else (changed,)
        result = self.forward(*args, **kwargs)
        for hook in tuple(self._forward_hooks.values()):
            changed = hook(self, args, result)
            if changed is not None:
                result = changed
        return result

    def register_forward_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(module, args)` before each forward; what it returns, unless None, are the args."""
        return RemovableHandle(self._forward_pre_hooks, hook)

    def register_forward_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(module, args, output)` after each forward; what it returns replaces output."""
        return RemovableHandle(self._forward_hooks, hook)

    # Registering

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add a parameter, or None as its placeholder, under `name`."""
        if "_parameters" not in self.__dict__:
            raise AttributeError("cannot assign parameter before Module.__init__() call")
        self._check_name("parameter", name, self._parameters)
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{typename(param)}' object to parameter '{name}' (torch.nn.Parameter or None required)"
            )
        if param is not None and param.grad_fn is not None:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model "
                f"parameters must be created explicitly. To express '{name}' "
                "as a function of another Tensor, compute the value in the forward() method."
            )
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add a tensor that is state but no parameter; not in `state_dict` unless persistent."""
        if "_buffers" not in self.__dict__:
            raise AttributeError("cannot assign buffer before Module.__init__() call")
        self._check_name("buffer", name, self._buffers)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{typename(tensor)}' object to buffer '{name}' (torch Tensor or None required)"
            )
        self._buffers[name] = tensor
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def add_module(self, name: str, module: Module | None) -> None:
        """Add a submodule, or None as its placeholder, under `name`."""
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{typename(module)} is not a Module subclass")
        self._check_name("module", name, self._modules)
        self._modules[name] = module

    def _check_name(self, kind: str, name: str, members: dict[str, Any]) -> None:
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {typename(name)}")
        if "." in name:
            got = f", got: {name}" if kind == "module" else ""
            raise KeyError(f'{kind} name can\'t contain "."{got}')
        if name == "":
            raise KeyError(f'{kind} name can\'t be empty string ""')
        if hasattr(self, name) and name not in members:
            raise KeyError(f"attribute '{name}' already exists")

    # Attributes: parameters, submodules and buffers live in dictionaries of their own

    def __setattr__(self, name: str, value: Any) -> None:
        own = self.__dict__
        if isinstance(value, Parameter):
            if "_parameters" not in own:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            self._forget(name, "_parameters")
            self.register_parameter(name, value)
        elif name in own.get("_parameters", ()):
            self._replace("_parameters", name, value, "parameter", "torch.nn.Parameter")
        elif isinstance(value, Module):
            if "_modules" not in own:
                raise AttributeError("cannot assign module before Module.__init__() call")
            self._forget(name, "_modules")
            self._modules[name] = value
        elif name in own.get("_modules", ()):
            self._replace("_modules", name, value, "child module", "torch.nn.Module")
        elif name in own.get("_buffers", ()):
            self._replace("_buffers", name, value, "buffer", "torch.nn.Buffer, torch.Tensor")
        else:
            super().__setattr__(name, value)

    def _replace(self, members: str, name: str, value: Any, kind: str, expected: str) -> None:
        if value is not None and not (kind == "buffer" and isinstance(value, Tensor)):
            raise TypeError(f"cannot assign '{typename(value)}' as {kind} '{name}' ({expected} or None expected)")
        self.__dict__[members][name] = value

    def _forget(self, name: str, keep: str) -> None:
        """Drop every other meaning that `name` had."""
        self.__dict__.pop(name, None)
        for members in {"_parameters", "_buffers", "_modules"} - {keep}:
            self.__dict__[members].pop(name, None)
        self._non_persistent_buffers_set.discard(name)

    def __getattr__(self, name: str) -> Any:
        # Called only where the ordinary look-up finds nothing.
        for members in ("_parameters", "_buffers", "_modules"):
            if name in self.__dict__.get(members, ()):
                return self.__dict__[members][name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __delattr__(self, name: str) -> None:
        if any(name in members for members in (self._parameters, self._buffers, self._modules)):
            self._forget(name, keep="")
        else:
            super().__delattr__(name)

    # Walking the tree

    def named_modules(
        self, memo: set[Module] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """This module and all below it with their dotted names, each once."""
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(memo, _dotted(prefix, name), remove_duplicate)

    def modules(self) -> Iterator[Module]:
        """This module and all below it."""
        return (module for _, module in self.named_modules())

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """The direct submodules with their names, each once."""
        first_names = {id(m): name for name, m in reversed(self._modules.items()) if m is not None}
        for name, module in self._modules.items():
            if module is not None and first_names[id(module)] == name:
                yield name, module

    def children(self) -> Iterator[Module]:
        """The direct submodules."""
        return (module for _, module in self.named_children())

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """Parameters with their dotted names, shared ones once; this module's own if not `recurse`."""
        return self._named_members("_parameters", prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """Parameters, as an optimizer takes them."""
        return (param for _, param in self.named_parameters(recurse=recurse))

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """Buffers with their dotted names."""
        return self._named_members("_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """Buffers."""
        return (buffer for _, buffer in self.named_buffers(recurse=recurse))

    def _named_members(
        self, members: str, prefix: str, recurse: bool, remove_duplicate: bool
    ) -> Iterator[tuple[str, Any]]:
        here = iter([(prefix, self)])
        owners = self.named_modules(None, prefix, remove_duplicate) if recurse else here
        seen: set[int] = set()
        for owner_name, owner in owners:
            for name, member in owner.__dict__[members].items():
                if member is None or id(member) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(member))
                yield _dotted(owner_name, name), member

    # Changing all of it

    def train(self, mode: bool = True) -> Self:
        """Set `training` here and below; ValueError unless `mode` is a bool."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")  # noqa: TRY004  PyTorch's
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Self:
        """The same as `train(False)`."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Set `requires_grad` of every parameter."""
        for param in self.parameters():
            param.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget every parameter's gradient, or fill it with zeros."""
        for param in self.parameters():
            clear_grad(param, set_to_none)

    def apply(self, fn: Callable[[Module], object]) -> Self:
        """Call `fn` with every submodule, children first, and with this module."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def to(self, dtype: Dtype) -> Self:
        """Convert floating parameters, their gradients and floating buffers to `dtype`, in place."""
        if not dtype.is_floating_point:
            raise TypeError(
                f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={dtype}"
            )
        for param in self.parameters():
            grad, param.grad = param.grad, None
            param.data = param.data.to(dtype)
            param.grad = None if grad is None else grad.detach().to(dtype)
        for module in self.modules():
            for name, buffer in module._buffers.items():
                if buffer is not None and buffer.is_floating_point():
                    module._buffers[name] = buffer.to(dtype)
        return self

    def double(self) -> Self:
        """The same as `to(torch.float64)`."""
        return self.to(float64)

    def float(self) -> Self:
        """The same as `to(torch.float32)`."""
        return self.to(float32)

    # Saving and loading

    def state_dict(self, *, destination: Any = None, prefix: str = "", keep_vars: bool = False) -> dict[str, Tensor]:
        """Parameters and persistent buffers by dotted name; detached, unless `keep_vars`."""
        destination = OrderedDict() if destination is None else destination
        for name, member in self._persistent().items():
            destination[prefix + name] = member if keep_vars else member.detach()
        for name, module in self._modules.items():
            if module is not None:
                below = f"{prefix}{name}."
                module.state_dict(destination=destination, prefix=below, keep_vars=keep_vars)
        return destination

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True) -> _IncompatibleKeys:
        """Copy the values of a `state_dict` into the parameters and buffers of the same names.

        RuntimeError lists wrong sizes and, if `strict`, missing and unexpected keys; without
        `strict` those are returned. TypeError for what is not a mapping.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        keys = _IncompatibleKeys([], [])
        errors: list[str] = []
        self._load(dict(state_dict), "", keys, errors)
        if strict:
            for kind, names in (("Unexpected", keys[1]), ("Missing", keys[0])):
                if names:
                    listed = ", ".join(f'"{name}"' for name in names)
                    errors.insert(0, f"{kind} key(s) in state_dict: {listed}. ")
        if errors:
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t" + "\n\t".join(errors))
        return keys

    def _persistent(self) -> dict[str, Tensor]:
        members: dict[str, Tensor | None] = {**self._parameters, **self._buffers}
        skipped = self._non_persistent_buffers_set
        return {n: m for n, m in members.items() if m is not None and n not in skipped}

    def _load(self, state: dict[str, Any], prefix: str, keys: _IncompatibleKeys, errors: list[str]) -> None:
        own = self._persistent()
        for name, member in own.items():
            key = prefix + name
            if key not in state:
                keys.missing_keys.append(key)
            elif not isinstance(state[key], Tensor):
                errors.append(
                    f'While copying the parameter named "{key}", '
                    "expected torch.Tensor or Tensor-like object from checkpoint but "
                    f"received {type(state[key])}"
                )
            elif state[key].shape != member.shape:
                errors.append(
                    f"size mismatch for {key}: copying a param with shape {state[key].shape} "
                    f"from checkpoint, the shape in current model is {member.shape}."
                )
            else:
                with no_grad():
                    member.copy_(state[key])
        for key in state:
            first, dot, _ = key[len(prefix) :].partition(".")
            if first not in (self._modules if dot else own):
                keys.unexpected_keys.append(key)
        for name, module in self._modules.items():
            if module is not None:
                below = f"{prefix}{name}."
                inner = {key: value for key, value in state.items() if key.startswith(below)}
                module._load(inner, below, keys, errors)

    # Text

    def extra_repr(self) -> str:
        """What stands between the parentheses of the repr; subclasses write their own."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        children = [f"({name}): " + indent(repr(module), "  ").strip() for name, module in self._modules.items()]
        if not children and len(lines) <= 1:
            return f"{type(self).__name__}({extra})"
        return f"{type(self).__name__}(\n  " + "\n  ".join(lines + children) + "\n)"


def clear_grad(tensor: Tensor, set_to_none: bool) -> None:
    """Set a gradient to None, or to zeros and cut it from any graph of its own."""
    if tensor.grad is None or set_to_none:
        tensor.grad = None
        return
    if tensor.grad.grad_fn is not None:
        tensor.grad.detach_()
    else:
        tensor.grad.requires_grad_(False)
    tensor.grad.zero_()


def _dotted(prefix: str, name: str) -> str:
    return f"{prefix}.{name}" if prefix else name
