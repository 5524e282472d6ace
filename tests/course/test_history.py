"""Why an error says that something does not require grad: what is said of loops, of branches and of what is gone, and what is not."""

import linecache
from typing import Any

import pytest

import autograd_teach as torch
from autograd_teach.course.checks.call.history import reason

ROWS = [
    (
        "h = x.clone()\nfor row in []:\n  h = (w * h).detach()\nh.sum().backward()",
        "line 2, `h = x.clone()`, uses no tensor",
    ),
    (
        "h = x.clone()\nfor row in [x]:\n  h = (w * h).detach()\nh.sum().backward()",
        "line 4, `h = (w * h).detach()`, cuts",
    ),
    ("h = x.clone()\nfor row in [x]:\n  if h.sum() > 1: break\n  h = (w * h).detach()\nh.sum().backward()", ""),
    ("h = x.clone()\nwhile h.sum() < 1:\n  h = (w * h).detach()\nh.sum().backward()", ""),
    ("y = torch.ones(2)\nwhile True:\n  y = torch.autograd.grad(y.sum(), w)[0]", ""),
    (
        "y = torch.ones(2)\nfor k in range(2):\n  y = torch.autograd.grad(y.sum(), w)[0]",
        "line 2, `y = torch.ones(2)`, uses no",
    ),
    (
        "y = w * w\nfor k in range(2):\n  y = torch.autograd.grad(y.sum(), w)[0]",
        "that line computes a gradient without `create_graph",
    ),
    (
        "for row in [x, x]:\n  y = w * row\n  y.sum().backward()\n  w = w.detach()",
        "nor does `w`: line 5, `w = w.detach()`, cuts",
    ),
    (
        "v = x.clone().requires_grad_()\nfor k in range(2):\n  y = v * x\n  y.sum().backward()\n  v = v.detach()",
        "nor does `v`: line 6, `v = v.detach()`, cuts",
    ),
    ("a, b = w * 1, w.detach()\na, b = b, a\na.sum().backward()", "line 2, `a, b = w * 1, w.detach()`, cuts"),
    ("y = w * 1\nif x.sum() > 1:\n  y = y.detach()\ny.sum().backward()", ""),
    ("w.requires_grad_(False)\n(w * x).sum().backward()", ""),
    ("w.detach_()\nv = x.clone().requires_grad_()\ntorch.autograd.grad(v.sum(), w)", ""),
    ("v = x.clone()\ntorch.autograd.grad((w * v).sum(), [w, v])", "`v` does not require grad: line 2"),
    ("(w.detach() * 2).backward(torch.ones(2))", "that line cuts the history off: `detach`"),
    ("y = w.detach()\ntorch.autograd.backward(y.sum())", "line 2, `y = w.detach()`, cuts"),
    ("y = torch.zeros(len(w))\ny.sum().backward()", ""),
]


@pytest.mark.parametrize(("body", "words"), ROWS)
def test_the_line_that_lost_the_history_is_named_only_if_it_is_known(body: str, words: str) -> None:
    """`words`: in the reason; nothing may be said if it is empty."""
    text = "def answer(w, x):\n" + "".join(f"    {line}\n" for line in body.split("\n"))
    file = f"<answer {abs(hash(body))}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    space: dict[str, Any] = {"torch": torch}
    exec(compile(text, file, "exec"), space)  # noqa: S102
    given = [torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0, 4.0])]
    with pytest.raises(RuntimeError, match="does not require grad") as caught:
        space["answer"](*given)
    told = reason(
        caught.value,
        lambda name: name == file,
        given,
        lambda thing: isinstance(thing, torch.Tensor) and thing.requires_grad,
    )
    assert words in told if words else not told, told
