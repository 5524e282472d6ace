"""What the views of gradients do not explain, because they would say something false of it.

`why` and `play` read gradients as arrays of real numbers, by `autograd.grad`. Some tensors and nodes
of PyTorch do not fit: complex numbers, sparse gradients, reentrant checkpoints, tensors that hold no
numbers of their own. Nor does a Function whose backward can run only once.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from autograd_teach.viz.facts import library_of


def unsupported(tensors: Iterable[Any], nodes: Iterable[Any]) -> str:
    """What is not supported among these tensors and nodes, as a part of a sentence; empty if nothing is."""
    nodes = list(nodes)
    if any(_reads_once(node) for node in nodes):
        return "Functions with clear_saved_tensors_on_access: their backward can run only once"
    torch = sys.modules.get("torch")
    if torch is None:
        return ""
    for tensor in tensors:
        if library_of(tensor) == "torch" and (what := _of_tensor(tensor, torch)):
            return what
    for node in nodes:
        if what := _of_leaf_or_node(node, torch):
            return what
    return ""


def _reads_once(node: Any) -> bool:
    """Whether a pass of the view would leave nothing for the reader's own backward."""
    return bool(getattr(getattr(node, "_forward_cls", None), "clear_saved_tensors_on_access", False))


def is_nested(node: Any) -> bool:
    """Whether a node's operation made a nested tensor, which has no shape."""
    return any(getattr(one, "is_nested_tensor", False) for one in getattr(node, "_input_metadata", ()))


def _of_leaf_or_node(node: Any, torch: Any) -> str:
    variable = getattr(node, "variable", None)
    if variable is not None:
        return _of_tensor(variable, torch) if library_of(variable) == "torch" else ""
    if getattr(getattr(node, "_forward_cls", None), "__module__", "") == "torch.utils.checkpoint":
        return (
            "torch.utils.checkpoint with use_reentrant=True, which autograd.grad cannot pass: use_reentrant=False works"
        )
    if getattr(node, "_saved_sparse", False):
        return "sparse gradients"
    if is_nested(node):
        return "nested tensors"
    is_complex = any(getattr(one.dtype, "is_complex", False) for one in getattr(node, "_input_metadata", ()))
    return "complex numbers" if is_complex else ""


def _of_tensor(tensor: Any, torch: Any) -> str:
    kinds = {
        "complex numbers": tensor.dtype.is_complex,
        "nested tensors": tensor.is_nested,
        "quantized tensors": tensor.is_quantized,
        "tensors inside torch.func transforms": torch._C._functorch.is_functorch_wrapped_tensor(tensor),
        "tensors on the device meta, which hold no numbers": tensor.is_meta,
        "sparse tensors": tensor.layout not in (torch.strided, torch._mkldnn),
        "tensors in the layout of MKL-DNN": tensor.is_mkldnn,
        f"tensors of the class {type(tensor).__name__}": "__torch_dispatch__"
        in {name for kind in type(tensor).__mro__ if kind is not torch.Tensor for name in vars(kind)},
    }
    return next((name for name, holds in kinds.items() if holds), "")
