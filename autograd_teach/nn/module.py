"""Module: a tree of named parameters, buffers and submodules with a `forward`.

Uses Tensor, Parameter and, for what users want to see of the backward pass, hooks.py; knows no layer and no operation.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from textwrap import indent
from typing import Any, NamedTuple, Self

from ..autograd.graph import RemovableHandle
from ..autograd.modes import no_grad
from ..dtypes import dtype as Dtype
from ..dtypes import float16, float32, float64
from ..tensor import Tensor
from .hooks import BackwardHooks
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
    # A checkpoint remembers it; a subclass whose state changes its form raises it.
    _version = 1

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if kwargs:
            raise TypeError(
                f"{type(self).__name__}.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'"
            )
        if args:
            raise TypeError(
                f"{type(self).__name__}.__init__() takes 1 positional argument but {len(args) + 1} were given"
            )
        # Not by assignment: __setattr__ needs these dictionaries.
        self.__dict__.update(
            training=True,
            _parameters={},
            _buffers={},
            _modules={},
            _non_persistent_buffers_set=set(),
            _forward_pre_hooks=OrderedDict(),
            _forward_hooks=OrderedDict(),
            _backward_pre_hooks=OrderedDict(),
            _backward_hooks=OrderedDict(),
            # The numbers of the hooks that take keyword arguments, and of those that are called after an error too.
            _hooks_with_kwargs=set(),
            _hooks_always_called=set(),
        )

    # Calling

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The computation; every subclass writes its own."""
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._forward_pre_hooks or self._forward_hooks or self._backward_pre_hooks or self._backward_hooks:
            return self._call_with_hooks(args, kwargs)
        return self.forward(*args, **kwargs)

    def _call_with_hooks(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        waiting = dict(self._forward_hooks)
        result = None
        try:
            for number, hook in tuple(self._forward_pre_hooks.items()):
                if number in self._hooks_with_kwargs:
                    args, kwargs = _changed_arguments(hook(self, args, kwargs), args, kwargs)
                elif (changed := hook(self, args)) is not None:
                    args = changed if isinstance(changed, tuple) else (changed,)
            backward = None
            if self._backward_pre_hooks or self._backward_hooks:
                backward = BackwardHooks(self, tuple(self._backward_pre_hooks.values()), self._backward_hooks.values())
                args = backward.of_inputs(args)
            result = self.forward(*args, **kwargs)
            for number, hook in tuple(waiting.items()):
                del waiting[number]
                result = self._hooked(number, hook, args, kwargs, result)
            return result if backward is None else backward.of_outputs(result)
        except Exception:
            for number in self._hooks_always_called.intersection(waiting):
                self._hooked(number, waiting[number], args, kwargs, result)
            raise

    def _hooked(self, number: int, hook: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> Any:
        changed = hook(self, args, kwargs, result) if number in self._hooks_with_kwargs else hook(self, args, result)
        return result if changed is None else changed

    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call `hook(module, args)` before each forward; what it returns, unless None, are the args.

        `with_kwargs`: `hook(module, args, kwargs)`, which returns both. `prepend`: before the hooks that there are.
        """
        return self._register(self._forward_pre_hooks, hook, prepend, with_kwargs)

    def register_forward_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> RemovableHandle:
        """Call `hook(module, args, output)` after each forward; what it returns, unless None, replaces output.

        `with_kwargs`: `hook(module, args, kwargs, output)`. `always_call`: also where the forward raises an error.
        """
        handle = self._register(self._forward_hooks, hook, prepend, with_kwargs)
        if always_call:
            self._hooks_always_called.add(handle.id)
        return handle

    def register_full_backward_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call `hook(module, grad_output)` before each backward; what it returns, unless None, replaces grad_output."""
        return self._register(self._backward_pre_hooks, hook, prepend)

    def register_full_backward_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call `hook(module, grad_input, grad_output)` after each backward; what it returns, unless None, replaces grad_input.

        Both are tuples, with None for what is no tensor or requires no grad.
        """
        return self._register(self._backward_hooks, hook, prepend)

    def _register(
        self, hooks: OrderedDict[int, Any], hook: Callable[..., Any], prepend: bool, with_kwargs: bool = False
    ) -> RemovableHandle:
        handle = RemovableHandle(hooks, hook)
        if prepend:
            hooks.move_to_end(handle.id, last=False)
        if with_kwargs:
            self._hooks_with_kwargs.add(handle.id)
        return handle

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

    register_module = add_module

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

    def __dir__(self) -> list[str]:
        # Members of a list have numbers for names, which are no attributes one could write.
        names = [*super().__dir__(), *self._parameters, *self._buffers, *self._modules]
        return sorted(name for name in set(names) if not name[0].isdigit())

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

    def get_submodule(self, target: str) -> Module:
        """The module of this dotted name; this one for "". AttributeError where there is none."""
        module: Any = self
        for name in target.split(".") if target else ():
            module = module._attribute(name)
            if not isinstance(module, Module):
                raise AttributeError(f"`{name}` is not an nn.Module")  # noqa: TRY004  PyTorch's
        return module

    def get_parameter(self, target: str) -> Parameter:
        """The parameter of this dotted name; AttributeError where there is none."""
        path, _, name = target.rpartition(".")
        parameter = self.get_submodule(path)._attribute(name)
        if not isinstance(parameter, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")  # noqa: TRY004  PyTorch's
        return parameter

    def get_buffer(self, target: str) -> Tensor:
        """The buffer of this dotted name; AttributeError where there is none."""
        path, _, name = target.rpartition(".")
        owner = self.get_submodule(path)
        buffer = owner._attribute(name)
        if name not in owner._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return buffer

    def _attribute(self, name: str) -> Any:
        if not hasattr(self, name):
            raise AttributeError(f"{type(self).__name__} has no attribute `{name}`")
        return getattr(self, name)

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

    def _apply(self, fn: Callable[[Tensor], Tensor]) -> Self:
        """Replace every parameter's data, its gradient and every buffer by what `fn` makes of it."""
        for module in self.children():
            module._apply(fn)
        with no_grad():
            for param in self._parameters.values():
                if param is not None:
                    grad, param.grad = param.grad, None
                    param.data = fn(param)
                    param.grad = None if grad is None else fn(grad.detach())
            for name, buffer in self._buffers.items():
                self._buffers[name] = None if buffer is None else fn(buffer)
        return self

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Convert floating parameters, their gradients and floating buffers to a dtype, or that of a tensor, in place."""
        dtype = kwargs.get("dtype")
        for arg in args:
            if isinstance(arg, Dtype | Tensor):
                dtype = arg.dtype if isinstance(arg, Tensor) else arg
        if dtype is not None and not dtype.is_floating_point:
            raise TypeError(
                f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={dtype}"
            )
        # A tensor finds out which arguments there are besides.
        return self._apply(lambda t: t.to(*args, **kwargs) if t.is_floating_point() or dtype is None else t)

    def type(self, dst_type: Dtype) -> Self:
        """Convert all parameters and buffers to this dtype, in place."""
        return self._apply(lambda t: t.to(dst_type))

    def double(self) -> Self:
        """The same as `to(torch.float64)`."""
        return self.to(float64)

    def float(self) -> Self:
        """The same as `to(torch.float32)`."""
        return self.to(float32)

    def half(self) -> Self:
        """The same as `to(torch.float16)`."""
        return self.to(float16)

    def cpu(self) -> Self:
        """The module itself: there is no other device."""
        return self

    # Saving and loading

    def state_dict(self, *, destination: Any = None, prefix: str = "", keep_vars: bool = False) -> dict[str, Any]:
        """Parameters and persistent buffers by dotted name; detached, unless `keep_vars`."""
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = {"version": self._version}
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        return destination

    def _save_to_state_dict(self, destination: dict[str, Any], prefix: str, keep_vars: bool) -> None:
        """Add this module's own part to a state; a subclass may add more."""
        for name, member in self._persistent().items():
            destination[prefix + name] = member if keep_vars else member.detach()

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> _IncompatibleKeys:
        """Copy the values of a `state_dict` into the parameters and buffers of the same names.

        RuntimeError lists wrong sizes and, if `strict`, missing and unexpected keys; without `strict` those are returned.
        `assign`: the state's tensors take the place of the module's own. TypeError for what is not a mapping.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        metadata = getattr(state_dict, "_metadata", {})
        keys = _IncompatibleKeys([], [])
        errors: list[str] = []

        def load(module: Module, state: dict[str, Any], prefix: str) -> None:
            about = {**metadata.get(prefix[:-1], {}), "assign_to_params_buffers": assign}
            module._load_from_state_dict(state, prefix, about, True, *keys, errors)
            for name, child in module._modules.items():
                if child is not None:
                    below = f"{prefix}{name}."
                    load(child, {key: value for key, value in state.items() if key.startswith(below)}, below)

        load(self, dict(state_dict), "")
        if strict:
            for kind, names in (("Unexpected", keys.unexpected_keys), ("Missing", keys.missing_keys)):
                if names:
                    listed = ", ".join(f'"{name}"' for name in names)
                    errors.insert(0, f"{kind} key(s) in state_dict: {listed}. ")
        if errors:
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t" + "\n\t".join(errors))
        return keys

    def _persistent(self) -> dict[str, Tensor]:
        skipped = self._non_persistent_buffers_set
        buffers = {name: buffer for name, buffer in self._buffers.items() if name not in skipped}
        return {name: member for name, member in {**self._parameters, **buffers}.items() if member is not None}

    def _load_from_state_dict(
        self, state_dict: dict[str, Any], prefix: str, local_metadata: dict[str, Any], strict: bool,
        missing_keys: list[str], unexpected_keys: list[str], error_msgs: list[str],
    ) -> None:  # fmt: skip
        """Take this module's own part out of a state, and add to the lists what does not fit; a subclass may take more."""
        own = self._persistent()
        for name, member in own.items():
            key = prefix + name
            if key in state_dict:
                assign = local_metadata.get("assign_to_params_buffers", False)
                error_msgs += self._load_member(name, member, key, state_dict[key], assign)
            elif strict:
                missing_keys.append(key)
        for key in state_dict if strict else ():
            first, dot, _ = key[len(prefix) :].partition(".")
            if key.startswith(prefix) and first not in (self._modules if dot else own):
                unexpected_keys.append(key)

    def _load_member(self, name: str, member: Tensor, key: str, value: Any, assign: bool) -> list[str]:
        """Give one member its value; what is wrong with that, if anything."""
        if not isinstance(value, Tensor):
            expected = "expected torch.Tensor or Tensor-like object from checkpoint"
            return [f'While copying the parameter named "{key}", {expected} but received {type(value)}']
        if member.shape == () and value.shape == (1,):
            value = value[0]  # as PyTorch saved a number before 0.4
        if value.shape != member.shape:
            sizes = f"with shape {value.shape} from checkpoint, the shape in current model is {member.shape}"
            return [f"size mismatch for {key}: copying a param {sizes}."]
        with no_grad():
            if not assign:
                member.copy_(value)
            elif isinstance(member, Parameter) and not isinstance(value, Parameter):
                setattr(self, name, Parameter(value, member.requires_grad))
            else:
                setattr(self, name, value.requires_grad_(member.requires_grad))
        return []

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


def _changed_arguments(changed: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any]:
    if changed is None:
        return args, kwargs
    if not (isinstance(changed, tuple) and len(changed) == 2):
        raise RuntimeError(
            f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {changed}."
        )
    return changed


def _dotted(prefix: str, name: str) -> str:
    return f"{prefix}.{name}" if prefix else name
