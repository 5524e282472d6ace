"""Containers: Sequential, ModuleList, ModuleDict and ParameterList."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, groupby
from textwrap import indent
from typing import Any, Self

from ..errors import require
from ..tensor import Tensor
from .module import Module
from .parameter import Parameter


def _place(index: Any, size: int) -> int:
    """The index in a list of this size, counted from the start."""
    number = operator.index(index)
    require(-size <= number < size, "index_out_of_range", number)
    return number % size


class _Modules(Module):
    """Base class of Sequential and ModuleList: modules in order, under their numbers or names."""

    def _key(self, index: Any) -> str:
        return list(self._modules)[_place(index, len(self))]

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return self._part(list(self._modules.items())[index])
        return self._modules[self._key(index)]

    def _part(self, items: list[tuple[str, Any]]) -> Self:
        raise NotImplementedError

    def __setitem__(self, index: int, module: Module) -> None:
        setattr(self, self._key(index), module)

    def __delitem__(self, index: int | slice) -> None:
        for key in list(self._modules)[index] if isinstance(index, slice) else [self._key(index)]:
            delattr(self, key)
        self._modules = {str(i): module for i, module in enumerate(self._modules.values())}

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def append(self, module: Module) -> Self:
        """Add a module at the end; returns self."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules: Iterable[Module]) -> Self:
        """Add several modules at the end; returns self."""
        for module in tuple(modules):
            self.append(module)
        return self

    def _insert(self, index: int, module: Module) -> None:
        for i in range(len(self), index, -1):
            self._modules[str(i)] = self._modules[str(i - 1)]
        self._modules[str(index)] = module

    def pop(self, key: int | slice) -> Any:
        """Remove a module, or those in a slice, and return it."""
        module = self[key]
        del self[key]
        return module


class Sequential(_Modules):
    """Calls its modules one after the other: each gets the result of the previous one.

    Made from modules, or from one OrderedDict of names and modules. TypeError for anything else. An
    int selects a module, a slice a shorter Sequential; IndexError if the index is out of range. `+`
    joins two. Parameters are named after their module: `0.weight`. Without modules, the call
    returns its input.

    >>> import autograd_teach as torch
    >>> model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(6, 2), torch.nn.Tanh())
    >>> model[-1], [name for name, _ in model.named_parameters()], model(torch.ones(5, 2, 3)).shape
    (Tanh(), ['1.weight', '1.bias'], torch.Size([5, 2]))
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        named = len(args) == 1 and isinstance(args[0], OrderedDict)
        for name, module in args[0].items() if named else ((str(i), m) for i, m in enumerate(args)):
            self.add_module(name, module)

    def _part(self, items: list[tuple[str, Any]]) -> Self:
        return type(self)(OrderedDict(items))

    def __add__(self, other: Any) -> Sequential:
        return Sequential(*self, *self._checked(other))

    def __iadd__(self, other: Any) -> Self:
        return self.extend(self._checked(other))

    def _checked(self, other: Any) -> Sequential:
        require(isinstance(other, Sequential), "sequential_plus", type(other))
        return other

    def insert(self, index: int, module: Module) -> Self:
        """Put a module before the one at `index`; returns self."""
        require(isinstance(module, Module), "sequential_insert_what", Module)
        require(-len(self) <= index <= len(self), "sequential_insert_where", index)
        self._insert(index + len(self) if index < 0 else index, module)
        return self

    def forward(self, input: Any) -> Any:
        for module in self:
            input = module(input)
        return input


class ModuleList(_Modules):
    """A list of modules, registered as submodules: `parameters()` of the module that contains the list includes theirs.

    Made from an iterable of modules; TypeError for another object, or for an element that is not a module. A
    module kept in a Python list is not registered. It is not callable: your `forward` indexes it or loops over
    it.

    >>> import autograd_teach as torch
    >>> torch.nn.ModuleList([torch.nn.Linear(2, 2), torch.nn.ReLU(), torch.nn.ReLU()])
    ModuleList(
      (0): Linear(in_features=2, out_features=2, bias=True)
      (1-2): 2 x ReLU()
    )
    """

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        self.extend(() if modules is None else modules)

    def _part(self, items: list[tuple[str, Any]]) -> Self:
        return type(self)([module for _, module in items])

    def extend(self, modules: Iterable[Module]) -> Self:
        require(isinstance(modules, Iterable), "extend_by_what", "ModuleList", type(modules).__name__)
        return super().extend(modules)

    def insert(self, index: int, module: Module) -> None:
        """Put a module before the one at `index`."""
        self._insert(index, module)

    def __iadd__(self, modules: Iterable[Module]) -> Self:
        return self.extend(modules)

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        return ModuleList(chain(self, other))

    def __repr__(self) -> str:
        # Equal neighbours are shown once, with their number.
        lines, first = [], 0
        for text, same in groupby(map(repr, self)):
            count = len(list(same))
            place = f"({first}): " if count == 1 else f"({first}-{first + count - 1}): {count} x "
            lines.append(indent(place + text, "  "))
            first += count
        return f"{type(self).__name__}(" + ("\n" + "\n".join(lines) + "\n" if lines else "") + ")"


class ModuleDict(Module):
    """A dictionary of modules, registered as submodules: `parameters()` of the module that contains it includes theirs.

    Made from a dictionary, or from pairs of a name and a module; the order is kept. TypeError for another
    object, a name that is not a string or a value that is not a module; KeyError for a name with a dot or of an
    attribute. It is not callable.

    >>> import autograd_teach as torch
    >>> heads = torch.nn.ModuleDict({"price": torch.nn.Linear(4, 1), "class": torch.nn.Linear(4, 3)})
    >>> list(heads), heads["class"](torch.ones(4)).shape
    (['price', 'class'], torch.Size([3]))
    """

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: str) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """Remove all modules."""
        self._modules.clear()

    def pop(self, key: str) -> Any:
        """Remove a module and return it."""
        return self._modules.pop(key)

    def keys(self) -> Iterable[str]:
        """The names."""
        return self._modules.keys()

    def items(self) -> Iterable[tuple[str, Any]]:
        """Names with their modules."""
        return self._modules.items()

    def values(self) -> Iterable[Any]:
        """The modules."""
        return self._modules.values()

    def update(self, modules: Any) -> None:
        """Add modules from a dictionary or from pairs; TypeError or ValueError for anything else."""
        require(isinstance(modules, Iterable), "module_dict_of_what", type(modules).__name__)
        pairs = modules.items() if isinstance(modules, Mapping | ModuleDict) else modules
        for number, pair in enumerate(pairs):
            require(isinstance(pair, Iterable), "module_dict_pair", number, type(pair).__name__)
            key, *module = pair
            require(len(module) == 1, "module_dict_length", number, 1 + len(module))
            self[key] = module[0]


class ParameterList(Module):
    """A list whose tensors become parameters of the module that contains it.

    Made from an iterable; TypeError for another object and for a tensor. Tensors are wrapped in Parameter
    (RuntimeError for integer ones); values of other types are kept as they are. IndexError if an index is out
    of range.

    >>> import autograd_teach as torch
    >>> torch.nn.ParameterList([torch.zeros(2, 3), "a note"])
    ParameterList(
        (0): Parameter containing: [torch.float32 of size 2x3]
        (1): Object of type: str
    )
    """

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        self.extend(() if values is None else values)

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return type(self)(self[i] for i in range(len(self))[index])
        return getattr(self, str(_place(index, len(self))))

    def __setitem__(self, index: int, param: Any) -> None:
        plain = isinstance(param, Tensor) and not isinstance(param, Parameter)
        setattr(self, str(_place(index, len(self))), Parameter(param) if plain else param)

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return iter([self[i] for i in range(len(self))])

    def __iadd__(self, parameters: Iterable[Any]) -> Self:
        return self.extend(parameters)

    def append(self, value: Any) -> Self:
        """Add a value at the end; returns self."""
        self._size += 1
        self[self._size - 1] = value
        return self

    def extend(self, values: Iterable[Any]) -> Self:
        """Add several values at the end; returns self. TypeError for a tensor: use `append`."""
        fits = isinstance(values, Iterable) and not isinstance(values, Tensor)
        require(fits, "extend_by_what", "ParameterList", type(values).__name__)
        for value in values:
            self.append(value)
        return self

    def extra_repr(self) -> str:
        return "\n".join(f"  ({i}): {_described(value)}" for i, value in enumerate(self))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("ParameterList should not be called.")


def _described(value: Any) -> str:
    if not isinstance(value, Tensor):
        return f"Object of type: {type(value).__name__}"
    kind = "Parameter" if isinstance(value, Parameter) else "Tensor"
    return f"{kind} containing: [{value.dtype} of size {'x'.join(map(str, value.shape))}]"
