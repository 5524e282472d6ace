"""The calls of an answer, with the right result of each.

Does not run the student's code. NumPy only.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ...exercises.declaration import CallForm
from ..checker import Evidence, Plan, Purpose, Request
from ..exact import is_same
from ..spec import Arguments, CallSpec, as_drawn, specified
from .asking import plain
from .records import Asked, Called


@dataclass
class CallEvidence(Evidence):
    """Everything that is known about an answer that is called."""

    spec: CallSpec
    calls: list[Called] = field(default_factory=list)
    repeated: Called | None = None

    @property
    def form(self) -> CallForm:
        """The form of the exercise: what it asks for, without the right results."""
        assert isinstance(self.exercise.form, CallForm)
        return self.exercise.form


def plans(spec: CallSpec, rng: np.random.Generator, purpose: Purpose) -> Iterator[Plan]:
    """The calls, then the first one again; for a grade also those with larger arguments."""
    calls = [_request(spec, arguments) for arguments in spec.inputs(rng)]
    yield Plan((*calls, replace(calls[0], purpose="repeated")), needed=len(calls))
    if purpose == "grade" and spec.larger is not None:
        larger = [_request(spec, arguments) for arguments in spec.larger(rng)]
        yield Plan(tuple(larger), needed=len(larger))


def _request(spec: CallSpec, arguments: Arguments) -> Request:
    arguments = as_drawn(arguments)
    return Request("call", Asked(arguments), plain(spec.result(*map(specified, arguments))))


def add(evidence: CallEvidence, plan: Plan, replies: Sequence[Called]) -> None:
    """Add the replies to the evidence, with the specified results."""
    for request, called in zip(plan.requests, replies, strict=False):
        called.names, called.arguments = evidence.form.arguments, request.asked.arguments
        called.expected = request.expected
        given = dict(zip(called.names, called.arguments, strict=True))
        called.changed = tuple(n for n, now in called.after.items() if not is_same(now.value, specified(given[n])))
        if request.purpose == "call":
            evidence.calls.append(called)
        else:
            evidence.repeated = called
