"""Module: a tree of named parameters, buffers and submodules with a `forward`.

Uses Tensor, Parameter, and hooks.py for backward hooks; it does not depend on layers or operations.
"""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from textwrap import indent
from typing import Any, NamedTuple, Self

from ..absent import attribute_error
from ..autograd.graph import RemovableHandle
from ..autograd.modes import no_grad
from ..dtypes import dtype as Dtype
from ..dtypes import float16, float32, float64
from ..errors import error, require
from ..tensor import Tensor
from .hooks import BackwardHooks
from .parameter import Parameter, typename

# The kinds of members: the attribute that stores them, and their name and type in messages.
_MEMBERS = (
    ("_parameters", "parameter", "torch.nn.Parameter"), ("_modules", "child module", "torch.nn.Module"),
    ("_buffers", "buffer", "torch.nn.Buffer, torch.Tensor"),
)  # fmt: skip


class _IncompatibleKeys(NamedTuple):
    """The result of load_state_dict."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        text = f"_IncompatibleKeys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"
        return text if any(self) else "<All keys matched successfully>"


class Module:
    """Base class of all layers and models: a tree of parameters, buffers and submodules with a `forward`.

    A subclass calls `super().__init__()`, assigns parameters and submodules as attributes, and defines
    `forward`; then the module is called like a function. Each assigned Parameter and Module is registered:
    `parameters()`, `state_dict()`, `to()` and `train()` reach everything below. `training` is True until
    `eval()` is called. AttributeError for an assignment before `super().__init__()`; TypeError for a plain
    tensor in place of a parameter.

    >>> import autograd_teach as torch
    >>> class Scale(torch.nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.factor = torch.nn.Parameter(torch.tensor(2.0))
    ...     def forward(self, x):
    ...         return self.factor * x
    >>> model = Scale()
    >>> model(torch.ones(2))
    tensor([2., 2.], grad_fn=<MulBackward0>)
    >>> [name for name, _ in model.named_parameters()]
    ['factor']
    """

    training: bool
    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Module | None]
    _non_persistent_buffers_set: set[str]
    # Saved in checkpoints; a subclass increases it if the form of its state changes.
    _version = 1

    def __init__(self) -> None:
        # Not by assignment: __setattr__ needs these dictionaries.
        own = self.__dict__
        own.update(training=True, _parameters={}, _buffers={}, _modules={}, _non_persistent_buffers_set=set())
        for hooks in ("_forward_pre_hooks", "_forward_hooks", "_backward_pre_hooks", "_backward_hooks"):
            own[hooks] = OrderedDict()
        # The numbers of the hooks that take keyword arguments, and of those that are called even
        # after an error.
        own.update(_hooks_with_kwargs=set(), _hooks_always_called=set())

    # Calling

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the module's result; each subclass defines its own, with any arguments.

        Call the module itself, not `forward`: `model(x)` also runs the hooks. NotImplementedError if it is not
        defined.
        """
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
                    if (changed := hook(self, args, kwargs)) is not None:
                        require(isinstance(changed, tuple) and len(changed) == 2, "hook_arguments", repr(changed))
                        args, kwargs = changed
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

    def register_forward_pre_hook(self, hook: Callable[..., Any], *, prepend: bool = False,
                                  with_kwargs: bool = False) -> RemovableHandle:  # fmt: skip
        """Call `hook(module, args)` before each `forward`, to see or replace its positional arguments.

        hook: returns None, or the new arguments (a tuple; a single value counts as a tuple of one).
        with_kwargs: call `hook(module, args, kwargs)`, which returns None or `(args, kwargs)`;
        RuntimeError otherwise. prepend: run it before the hooks that are already there. Returns a
        handle; `handle.remove()` removes the hook.

        >>> import autograd_teach as torch
        >>> relu = torch.nn.ReLU()
        >>> handle = relu.register_forward_pre_hook(lambda module, args: args[0] + 10)
        >>> relu(torch.tensor([-3.0]))
        tensor([7.])
        """
        return self._register(self._forward_pre_hooks, hook, prepend, with_kwargs)

    def register_forward_hook(self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False,
                              always_call: bool = False) -> RemovableHandle:  # fmt: skip
        """Call `hook(module, args, output)` after each `forward`, to see or replace its output.

        hook: returns None, or the new output. with_kwargs: call `hook(module, args, kwargs,
        output)`. always_call: also call it if `forward` raises an error, with None as output; the
        error is still raised. prepend: run it before the hooks that are already there. Returns a
        handle; `handle.remove()` removes the hook.

        >>> import autograd_teach as torch
        >>> model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.ReLU())
        >>> shapes = []
        >>> handle = model[0].register_forward_hook(lambda module, args, output: shapes.append(output.shape))
        >>> output = model(torch.ones(5, 3))
        >>> handle.remove()
        >>> shapes
        [torch.Size([5, 2])]
        """
        return self._register(self._forward_hooks, hook, prepend, with_kwargs, always_call)

    def register_full_backward_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call `hook(module, grad_output)` when the gradients of the outputs arrive in the backward pass.

        hook: `grad_output` is a tuple, one entry per output. It returns None, or a tuple with as many gradients
        to use instead; RuntimeError for another number. If the output is neither a tensor nor a tuple, the hook
        is not called, and a warning says so.
        prepend: run it before the hooks that are already there. Returns a handle with `remove()`.

        >>> import autograd_teach as torch
        >>> relu = torch.nn.ReLU()
        >>> handle = relu.register_full_backward_pre_hook(lambda module, grad_output: (grad_output[0] * 10,))
        >>> x = torch.tensor([-1.0, 2.0], requires_grad=True)
        >>> relu(x).sum().backward()
        >>> x.grad
        tensor([ 0., 10.])
        """
        return self._register(self._backward_pre_hooks, hook, prepend)

    def register_full_backward_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call `hook(module, grad_input, grad_output)` when the gradients of the module's inputs are computed.

        hook: both are tuples, one entry per positional argument and per output; None for a value
        that is not a tensor, zeros for a tensor without a gradient. It returns None, or a tuple of
        as many gradients that replaces `grad_input`; RuntimeError for another number. If no input
        requires grad, `grad_input` is all None, the hook cannot replace it, and a warning says so.
        Inputs and outputs must not be changed in place (RuntimeError). prepend: run it before the
        hooks that are already there. Returns a handle with `remove()`.

        >>> import autograd_teach as torch
        >>> relu = torch.nn.ReLU()
        >>> seen = []
        >>> handle = relu.register_full_backward_hook(lambda module, grad_input, grad_output: seen.append(grad_input))
        >>> relu(torch.tensor([-1.0, 2.0], requires_grad=True)).sum().backward()
        >>> seen
        [(tensor([0., 1.]),)]
        """
        return self._register(self._backward_hooks, hook, prepend)

    def _register(self, hooks: OrderedDict[int, Any], hook: Callable[..., Any], prepend: bool,
                  with_kwargs: bool = False, always_call: bool = False) -> RemovableHandle:  # fmt: skip
        handle = RemovableHandle(hooks, hook)
        if prepend:
            hooks.move_to_end(handle.id, last=False)
        for wanted, numbers in ((with_kwargs, self._hooks_with_kwargs), (always_call, self._hooks_always_called)):
            if wanted:
                numbers.add(handle.id)
        return handle

    # Registering

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Register a parameter under a name, as the assignment `self.name = parameter` does.

        name: str without a dot, not empty. param: a Parameter, or None as a placeholder: the attribute exists,
        but `parameters()` and `state_dict()` leave it out. TypeError for another type; KeyError if the name is
        not allowed or is already an attribute that is not a parameter.

        >>> import autograd_teach as torch
        >>> module = torch.nn.Module()
        >>> module.register_parameter("bias", None)
        >>> module.bias is None, list(module.parameters())
        (True, [])
        """
        self._check_name("parameter", name)
        if param is not None:
            wanted = "torch.nn.Parameter or None"
            require(isinstance(param, Parameter), "module_member_type", typename(param), "parameter", name, wanted)
            require(param.grad_fn is None, "module_no_leaf", name, name)
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Register a tensor that belongs to the module but is not trained, such as a running mean.

        name: str without a dot, not empty. tensor: a tensor, or None as a placeholder. persistent: if False,
        `state_dict()` leaves it out. A buffer is an attribute, is converted by `to()`, and is not among the
        parameters. TypeError for another type; KeyError if the name is not allowed or is already an attribute
        that is not a buffer.

        >>> import autograd_teach as torch
        >>> module = torch.nn.Module()
        >>> module.register_buffer("mean", torch.zeros(2))
        >>> module.register_buffer("cache", torch.zeros(2), persistent=False)
        >>> list(module.state_dict())
        ['mean']
        """
        self._check_name("buffer", name)
        is_tensor, wanted = isinstance(tensor, Tensor | None), "torch Tensor or None"
        require(is_tensor, "module_member_type", typename(tensor), "buffer", name, wanted)
        self._buffers[name] = tensor
        hidden = self._non_persistent_buffers_set
        (hidden.discard if persistent else hidden.add)(name)

    def add_module(self, name: str, module: Module | None) -> None:
        """Register a submodule under a name, as the assignment `self.name = module` does.

        `register_module` is another name for it. name: str without a dot, not empty; it may be a number, as in
        Sequential. module: a Module, or None as a placeholder. TypeError for another type; KeyError if the name
        is not allowed or is already an attribute that is not a submodule.

        >>> import autograd_teach as torch
        >>> model = torch.nn.Module()
        >>> model.add_module("layer", torch.nn.Linear(3, 2))
        >>> model.layer
        Linear(in_features=3, out_features=2, bias=True)
        """
        require(isinstance(module, Module | None), "module_is_no_module", typename(module))
        self._check_name("module", name)
        self._modules[name] = module

    register_module = add_module

    def _check_name(self, kind: str, name: str) -> None:
        members: Any = self.__dict__.get(f"_{kind}s")
        require(members is not None, "module_before_init", kind)
        require(isinstance(name, str), "module_name_type", kind, typename(name))
        require("." not in name, "module_name_dot", kind, f", got: {name}" if kind == "module" else "")
        require(name, "module_name_empty", kind)
        require(name in members or not hasattr(self, name), "module_name_taken", name)

    # Attributes: parameters, submodules and buffers live in dictionaries of their own

    def __setattr__(self, name: str, value: Any) -> None:
        own = self.__dict__
        home = "_parameters" if isinstance(value, Parameter) else "_modules" if isinstance(value, Module) else None
        for members, kind, expected in _MEMBERS:
            if members == home:
                require(home in own, "module_before_init", "module" if home == "_modules" else "parameters")
                self._forget(name, keep=home)
                if home == "_parameters":
                    self.register_parameter(name, value)
            elif name in own.get(members, ()):
                fits = value is None or (members == "_buffers" and isinstance(value, Tensor))
                require(fits, "module_member", typename(value), kind, name, expected)
            else:
                continue
            own[members][name] = value
            return
        super().__setattr__(name, value)

    def _forget(self, name: str, keep: str) -> None:
        """Remove the name from the attributes and from all registries except `keep`."""
        self.__dict__.pop(name, None)
        for members, _, _ in _MEMBERS:
            if members != keep:
                self.__dict__[members].pop(name, None)
        self._non_persistent_buffers_set.discard(name)

    def __getattr__(self, name: str) -> Any:
        # Called only if the ordinary lookup finds nothing.
        for members, _, _ in _MEMBERS:
            if name in self.__dict__.get(members, ()):
                return self.__dict__[members][name]
        raise attribute_error("torch.nn.Module", name, f"'{type(self).__name__}' object has no attribute '{name}'")

    def __dir__(self) -> list[str]:
        # Members of a list have numbers as names, which are not valid attribute names.
        names = [*super().__dir__(), *self._parameters, *self._buffers, *self._modules]
        return sorted(name for name in set(names) if not name[0].isdigit())

    def __delattr__(self, name: str) -> None:
        if any(name in members for members in (self._parameters, self._buffers, self._modules)):
            self._forget(name, keep="")
        else:
            super().__delattr__(name)

    # Walking the tree

    def named_modules(self, memo: set[Module] | None = None, prefix: str = "",
                      remove_duplicate: bool = True) -> Iterator[tuple[str, Module]]:  # fmt: skip
        """Iterate over (dotted name, module) for this module and all below it, each followed by its submodules.

        memo: set of modules to leave out; those that are visited are added. prefix: name of this module, "" by
        default. remove_duplicate: visit a module that is registered twice only once, under its first name.

        >>> import autograd_teach as torch
        >>> inner = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())
        >>> [name for name, _ in torch.nn.Sequential(inner, torch.nn.Tanh()).named_modules()]
        ['', '0', '0.0', '0.1', '1']
        """
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
        """Iterate over this module and all below it, each once, in the order of `named_modules`."""
        return (module for _, module in self.named_modules())

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """Iterate over (name, module) for the direct submodules, each once, under its first name.

        >>> import autograd_teach as torch
        >>> inner = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())
        >>> [name for name, _ in torch.nn.Sequential(inner, torch.nn.Tanh()).named_children()]
        ['0', '1']
        """
        return self._named_members("_modules", recurse=False)

    def children(self) -> Iterator[Module]:
        """Iterate over the direct submodules, each once; `modules` also goes below them."""
        return (module for _, module in self.named_children())

    def named_parameters(self, prefix: str = "", recurse: bool = True,
                         remove_duplicate: bool = True) -> Iterator[tuple[str, Parameter]]:  # fmt: skip
        """Iterate over (dotted name, parameter) for the parameters of this module and of all below it.

        prefix: name of this module, put before each name. recurse: if False, only this module's own parameters.
        remove_duplicate: yield a shared parameter only once, under its first name.

        >>> import autograd_teach as torch
        >>> model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.ReLU())
        >>> [(name, tuple(param.shape)) for name, param in model.named_parameters()]
        [('0.weight', (2, 3)), ('0.bias', (2,))]
        """
        return self._named_members("_parameters", prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """Iterate over the parameters, each once; without `recurse`, only over this module's own.

        >>> import autograd_teach as torch
        >>> sum(param.numel() for param in torch.nn.Linear(3, 2).parameters())
        8
        """
        return (param for _, param in self.named_parameters(recurse=recurse))

    def named_buffers(self, prefix: str = "", recurse: bool = True,
                      remove_duplicate: bool = True) -> Iterator[tuple[str, Tensor]]:  # fmt: skip
        """Iterate over (dotted name, buffer) for the buffers of this module and of all below it.

        prefix, recurse, remove_duplicate: as in `named_parameters`. Buffers that are not persistent are
        included; those that are None are left out.

        >>> import autograd_teach as torch
        >>> module = torch.nn.Module()
        >>> module.register_buffer("mean", torch.zeros(2))
        >>> list(module.named_buffers(prefix="norm"))
        [('norm.mean', tensor([0., 0.]))]
        """
        return self._named_members("_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """Iterate over the buffers, each once; without `recurse`, only over this module's own."""
        return (buffer for _, buffer in self.named_buffers(recurse=recurse))

    def _named_members(self, members: str, prefix: str = "", recurse: bool = True,
                       remove_duplicate: bool = True) -> Iterator[tuple[str, Any]]:  # fmt: skip
        owners = self.named_modules(None, prefix, remove_duplicate) if recurse else [(prefix, self)]
        seen: set[int] = set()
        for owner_name, owner in owners:
            for name, member in owner.__dict__[members].items():
                if member is not None and id(member) not in seen:
                    if remove_duplicate:
                        seen.add(id(member))
                    yield _dotted(owner_name, name), member

    def get_submodule(self, target: str) -> Module:
        """The module of a dotted name, such as "encoder.0"; for "", this module.

        AttributeError if a part of the name does not exist, or is not a module.

        >>> import autograd_teach as torch
        >>> model = torch.nn.Sequential(torch.nn.Sequential(torch.nn.ReLU()), torch.nn.Tanh())
        >>> model.get_submodule("0.0")
        ReLU()
        """
        module: Any = self
        for name in target.split(".") if target else ():
            module = module._attribute(name)
            require(isinstance(module, Module), "module_target", name, "an nn.Module")
        return module

    def get_parameter(self, target: str) -> Parameter:
        """The parameter of a dotted name, such as "encoder.0.weight".

        AttributeError if a part of the name does not exist, or if it does not name a parameter.

        >>> import autograd_teach as torch
        >>> torch.nn.Sequential(torch.nn.Linear(3, 2)).get_parameter("0.weight").shape
        torch.Size([2, 3])
        """
        path, _, name = target.rpartition(".")
        parameter = self.get_submodule(path)._attribute(name)
        require(isinstance(parameter, Parameter), "module_target", name, "an nn.Parameter")
        return parameter

    def get_buffer(self, target: str) -> Tensor:
        """The buffer of a dotted name, such as "encoder.norm.mean".

        AttributeError if a part of the name does not exist, or if it does not name a buffer.
        """
        path, _, name = target.rpartition(".")
        owner = self.get_submodule(path)
        buffer = owner._attribute(name)
        require(name in owner._buffers, "module_target", name, "a buffer")
        return buffer

    def _attribute(self, name: str) -> Any:
        require(hasattr(self, name), "module_no_attribute", type(self).__name__, name)
        return getattr(self, name)

    # Changing the whole tree

    def train(self, mode: bool = True) -> Self:
        """Switch this module and all below it to training or evaluation mode; returns the module.

        It sets their `training`, which modules such as Dropout read. mode: True for training, False for
        evaluation. ValueError if it is not a bool. Gradients are computed in both modes.

        >>> import autograd_teach as torch
        >>> model = torch.nn.Sequential(torch.nn.Dropout(0.5)).train(False)
        >>> model(torch.ones(4))
        tensor([1., 1., 1., 1.])
        """
        require(isinstance(mode, bool), "module_training")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Self:
        """Set the module and all below it to evaluation, the same as `train(False)`; returns the module.

        This does not turn off gradients; `no_grad` does.
        """
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Set `requires_grad` of every parameter, here and below; returns the module.

        Without gradients, an optimizer leaves the parameters as they are: the module is frozen.

        >>> import autograd_teach as torch
        >>> model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Linear(2, 1))
        >>> _ = model[0].requires_grad_(False)
        >>> [param.requires_grad for param in model.parameters()]
        [False, False, True, True]
        """
        for param in self.parameters():
            param.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Reset the gradients of all parameters, here and below.

        Without this, `backward` adds to the gradients that are there. set_to_none: set `.grad` to None. If
        False, existing gradients are filled with zeros in place, and detached from any graph.
        """
        for param in self.parameters():
            clear_grad(param, set_to_none)

    def apply(self, fn: Callable[[Module], object]) -> Self:
        """Call `fn` with every module below this one, children before parents, and then with this one.

        Returns the module. A common use is to initialize weights.

        >>> import autograd_teach as torch
        >>> def initialize(module):
        ...     if isinstance(module, torch.nn.Linear):
        ...         torch.nn.init.zeros_(module.bias)
        >>> torch.nn.Sequential(torch.nn.Linear(3, 2)).apply(initialize)[0].bias.detach()
        tensor([0., 0.])
        """
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def _apply(self, fn: Callable[[Tensor], Tensor]) -> Self:
        """Replace every parameter's data, its gradient and every buffer by the result of `fn`."""
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
        """Convert floating parameters, their gradients and floating buffers in place; returns the module.

        args, kwargs: a floating dtype, a tensor whose dtype is used, or the device "cpu". Parameters remain the
        same objects, so an optimizer that has them keeps working. Integer and bool buffers keep
        their dtype. TypeError for a dtype that is not floating; NotImplementedError for another
        device.

        >>> import autograd_teach as torch
        >>> torch.nn.Linear(1, 1).to(torch.float64).weight.dtype
        torch.float64
        """
        given = [arg.dtype if isinstance(arg, Tensor) else arg for arg in args if isinstance(arg, Dtype | Tensor)]
        dtype = given[-1] if given else kwargs.get("dtype")
        require(dtype is None or dtype.is_floating_point, "module_to", dtype)
        # `Tensor.to` checks the remaining arguments.
        return self._apply(lambda t: t.to(*args, **kwargs) if t.is_floating_point() or dtype is None else t)

    def type(self, dst_type: Dtype) -> Self:
        """Convert all parameters, their gradients and all buffers to a floating dtype; returns the module.

        Unlike `to`, it also converts integer and bool buffers.

        >>> import autograd_teach as torch
        >>> module = torch.nn.Module()
        >>> module.register_buffer("count", torch.tensor(3))
        >>> module.type(torch.float64).count, module.to(torch.float32).count
        (tensor(3., dtype=torch.float64), tensor(3.))
        """
        return self._apply(lambda t: t.to(dst_type))

    def double(self) -> Self:
        """Convert floating parameters and buffers to float64, in place; the same as `to(torch.float64)`."""
        return self.to(float64)

    def float(self) -> Self:
        """Convert floating parameters and buffers to float32, in place; the same as `to(torch.float32)`."""
        return self.to(float32)

    def half(self) -> Self:
        """Convert floating parameters and buffers to float16, in place; the same as `to(torch.float16)`."""
        return self.to(float16)

    def cpu(self) -> Self:
        """Return the module unchanged: the CPU is the only device."""
        return self

    # Saving and loading

    def state_dict(self, *args: Any, destination: Any = None, prefix: str = "",
                   keep_vars: bool = False) -> dict[str, Any]:  # fmt: skip
        """All parameters and persistent buffers by their dotted names, to save a model.

        Returns an OrderedDict. destination: dict to add the entries to, a new one by default. prefix: put
        before each name. keep_vars: if True, the parameters themselves; otherwise detached tensors, which share
        their memory: clone them to keep the values. args: the same three by position, with a FutureWarning.

        >>> import autograd_teach as torch
        >>> model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.ReLU())
        >>> list(model.state_dict())
        ['0.weight', '0.bias']
        """
        if args:
            warnings.warn(str(error("state_dict_positions")), FutureWarning, stacklevel=2)
            destination = args[0] if destination is None else destination
            prefix, keep_vars = prefix or "".join(args[1:2]), keep_vars or any(args[2:3])
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
        """Add this module's own entries to `destination`; a subclass may add more."""
        for name, member in self._persistent().items():
            destination[prefix + name] = member if keep_vars else member.detach()

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True,
                        assign: bool = False) -> _IncompatibleKeys:  # fmt: skip
        """Copy the values of a `state_dict` into the parameters and buffers of the same names.

        state_dict: mapping from dotted names to tensors of the same shapes. strict: whether missing
        and unexpected names are errors. assign: replace the module's own tensors by those of
        `state_dict`, with their dtype; without it, values are converted and copied, and parameters
        remain the same objects. Returns (missing_keys, unexpected_keys). RuntimeError lists
        everything that does not fit; the rest has been loaded then. TypeError if `state_dict` is
        not a mapping.

        >>> import autograd_teach as torch
        >>> layer = torch.nn.Linear(1, 1)
        >>> layer.load_state_dict({"weight": torch.tensor([[3.0]])}, strict=False)
        _IncompatibleKeys(missing_keys=['bias'], unexpected_keys=[])
        >>> layer.weight.item()
        3.0
        """
        require(isinstance(state_dict, Mapping), "state_dict_is_no_dict", type(state_dict))
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

    def _load_from_state_dict(self, state_dict: dict[str, Any], prefix: str, local_metadata: dict[str, Any],
                              strict: bool, missing_keys: list[str], unexpected_keys: list[str],
                              error_msgs: list[str]) -> None:  # fmt: skip
        """Load this module's own entries, and add to the lists what does not fit; a subclass may load more."""
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
        """Set one parameter or buffer to its value; returns a list of error messages, empty if it fits."""
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
        """The text between the parentheses of the module's repr, "" by default; a subclass defines its own.

        >>> import autograd_teach as torch
        >>> torch.nn.Linear(3, 2).extra_repr()
        'in_features=3, out_features=2, bias=True'
        """
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        children = [f"({name}): " + indent(repr(module), "  ").strip() for name, module in self._modules.items()]
        if not children and len(lines) <= 1:
            return f"{type(self).__name__}({extra})"
        return f"{type(self).__name__}(\n  " + "\n  ".join(lines + children) + "\n)"


def clear_grad(tensor: Tensor, set_to_none: bool) -> None:
    """Set a tensor's gradient to None, or fill it with zeros and detach it."""
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
