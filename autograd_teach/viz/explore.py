"""`viz.explore`: controls for the arguments of a function; every change draws its graph again.

A graph is dynamic: it records what the code did in this call. The controls are ipywidgets, created
only when the view is shown in a kernel; without them the view shows the graph of the start values.
"""

from __future__ import annotations

import inspect
import math
import sys
from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Any

from autograd_teach.viz.chart import Chart
from autograd_teach.viz.facts import first_line, in_words, printable
from autograd_teach.viz.naming import caller_tensors, given_names
from autograd_teach.viz.plots import chart_of, is_figure
from autograd_teach.viz.running import call_noting
from autograd_teach.viz.snapshot import Snapshot, take
from autograd_teach.viz.view import GraphView, View


def explore(f: Callable[..., Any], /, *, names: Mapping[str, Any] | None = None, **arguments: Any) -> ExploreView:
    """Draw the graph of the result of `f`, with a control for each of its arguments.

    Every change of a control runs `f` again.

    f: function that returns a tensor, or several in a list, tuple or dictionary. If it returns a
    chart (`viz.jacobian`, `viz.gradcheck_eps`) or a Matplotlib figure, the view shows that.
    names: names for tensors, as in `viz.graph`; variables inside `f` are known as well.
    arguments: one keyword for each argument of `f`, and its value chooses the control:

    - `k=(1, 6)` or, with a step, `k=(1, 6, 2)`: a slider; over integers if all numbers are integers
    - `k=3`: a slider around this number
    - `k=True` or `k=False`: a check box
    - `k=[...]`: a choice

    A control starts at the default of `f`. Without a default it starts at the lower end or at the
    first entry of the list.

    Returns an ExploreView. `view.value(k=3)` sets arguments from code and returns the result of
    `f`. An error in `f` and a control that cannot be made become a sentence in the view. Raises
    TypeError if `names` is not a dictionary.

    >>> import autograd_teach as torch
    >>> from autograd_teach import viz
    >>> x = torch.tensor(2.0, requires_grad=True)
    >>> def power(k):
    ...     y = x
    ...     for _ in range(k):
    ...         y = y * x
    ...     return y
    >>> viz.explore(power, k=(1, 6), names={"x": x})
    power(k=1)
    output y, shape (), 4
    └─ MulBackward0, shape (), 4
       ├─ AccumulateGrad of x, shape (), 2, grad not computed yet
       └─ AccumulateGrad of x, shown above
    """
    known = given_names(names or {})
    return ExploreView(f, arguments, known, caller_tensors(sys._getframe(1)))


@dataclass
class Control:
    """The control of one argument: its kind, its start and its possible values."""

    kind: str
    start: Any
    low: Any = None
    high: Any = None
    step: Any = None
    options: tuple[Any, ...] = ()

    def shown(self, value: Any) -> Any:
        """The control's state for a value: for a choice, the index of the option."""
        if not self.options:
            return value
        return next((place for place, option in enumerate(self.options) if _same(option, value)), None)


class ExploreView(View):
    """The graph of a function's result for the current values of its arguments."""

    kind = "graph"

    def __init__(
        self,
        f: Callable[..., Any],
        arguments: Mapping[str, Any],
        given: list[tuple[str, Any]],
        around: list[tuple[str, Any]],
    ) -> None:
        self.f = f
        self._given, self._around = given, around
        self.controls: dict[str, Control] = {}
        self.values: dict[str, Any] = {}
        self._widget: Any = None
        self._picture: Any = None
        self._chart: Any = None
        self._sliders: dict[str, Any] = {}
        trouble = "" if callable(f) else f"Nothing to explore: give a function, not {in_words(f)}."
        defaults = _defaults(f) if not trouble else {}
        for name, spec in arguments.items():
            try:
                self.controls[name] = _control(name, spec, defaults.get(name, inspect.Parameter.empty))
            except ValueError as error:
                trouble = trouble or str(error)
        self.values = {name: control.start for name, control in self.controls.items()}
        self._trouble = trouble
        self.result: Any = None
        self.view = self._run()

    def value(self, **changed: Any) -> Any:
        """Set arguments, draw again, and return the function's result (None if it raised an error).

        Raises TypeError if there is no control with one of these names.
        """
        unknown = [name for name in changed if name not in self.values]
        if unknown:
            raise TypeError(
                f"there is no control for {', '.join(unknown)}; there are {', '.join(self.values) or 'none'}"
            )
        self.values |= changed
        self._redraw()
        for name, value in changed.items():
            if name in self._sliders:
                self._sliders[name].value = self.controls[name].shown(value)
        return self.result

    def _run(self) -> View:
        """The view of the function's result; an error becomes a sentence."""
        self.result = None
        if self._trouble:
            return GraphView(Snapshot(notes=[self._trouble]))
        inside: list[tuple[str, Any]] = []
        try:
            self.result = call_noting(lambda: self.f(**self.values), self.f, inside)
        # Any error of a student's function.
        except Exception as error:  # noqa: BLE001
            told = printable(first_line(error))
            return GraphView(
                Snapshot(notes=[f"{self.call} stops with {type(error).__name__}{': ' * bool(told)}{told}"])
            )
        if isinstance(self.result, Chart):
            return self.result
        if is_figure(self.result):
            return chart_of(self.result)
        outputs = list(self.result.values()) if isinstance(self.result, dict) else [self.result]
        return GraphView(take(outputs, [*self._given, *inside, *self._around]).snapshot)

    @property
    def call(self) -> str:
        """The current call as code: `power(k=3)`."""
        name = getattr(self.f, "__name__", type(self.f).__name__)
        name = "f" if name == "<lambda>" else name
        return printable(f"{name}({', '.join(f'{key}={in_words(value)}' for key, value in self.values.items())})")

    def _redraw(self) -> None:
        self.view = self._run()
        self._renew(None if isinstance(self.view, Chart) else self._picture)
        if self._widget is not None:
            self._widget.children = [*self._sliders.values(), self._shown()]

    def _shown(self) -> Any:
        """The widget below the controls.

        A chart is an image: its colours follow those of the page.
        """
        if not isinstance(self.view, Chart):
            return self._picture
        source = f"data:image/svg+xml;base64,{b64encode(self.svg.encode()).decode()}"
        self._chart.value = f'<img alt="{escape(self.title)}" src="{source}">'
        return self._chart

    @property
    def snapshot(self) -> Snapshot:  # type: ignore[override]  # replaced after each change
        """The current graph."""
        return self.view.snapshot

    @cached_property
    def svg(self) -> str:
        """The picture for the current values."""
        return self.view.svg if isinstance(self.view, Chart) else super().svg

    @property
    def text(self) -> str:
        """The call, followed by the graph of its result."""
        return self.view.text if self._trouble else f"{self.call}\n{self.view.text}"

    @property
    def title(self) -> str:
        """Alternative text: one sentence that says what the picture shows."""
        return self.view.title if self._trouble else f"{self.call}: {self.view.title}"

    @property
    def widget(self) -> Any:  # type: ignore[override]  # a box, not an anywidget
        """The controls with the picture below.

        Raises ImportError if ipywidgets or anywidget is not installed.
        """
        if self._widget is None:
            import ipywidgets

            from autograd_teach.viz.widget import Widget

            self._picture = Widget(svg=self.svg, view=self.data())
            self._chart = ipywidgets.HTML()
            self._sliders = {name: _make(ipywidgets, name, control) for name, control in self.controls.items()}
            for name, slider in self._sliders.items():
                slider.value = self.controls[name].shown(self.values[name])
                slider.observe(self._changed(name), "value")
            self._widget = ipywidgets.VBox([*self._sliders.values(), self._shown()])
        return self._widget

    def _changed(self, name: str) -> Callable[[Any], None]:
        def act(change: Any) -> None:
            control = self.controls[name]
            new = control.options[change["new"]] if control.options else change["new"]
            if not _same(self.values[name], new):
                self.values[name] = new
                self._redraw()

        return act


def _same(one: Any, other: Any) -> bool:
    return one is other or (isinstance(one, (bool, int, float, str)) and type(one) is type(other) and one == other)


def _defaults(f: Any) -> dict[str, Any]:
    try:
        return {name: parameter.default for name, parameter in inspect.signature(f).parameters.items()}
    except (TypeError, ValueError):  # a function without a readable signature
        return {}


def _control(name: str, spec: Any, default: Any) -> Control:
    """The control for one argument.

    Raises ValueError, with a message for the reader, if none fits.
    """
    if isinstance(spec, bool):
        return Control("check box", spec)
    if isinstance(spec, list):
        if not spec:
            raise ValueError(f"{name}=[] is an empty list: give at least one value to choose from.")
        found = [option for option in spec if _same(option, default)]
        return Control("choice", found[0] if found else spec[0], options=tuple(spec))
    if isinstance(spec, tuple) and len(spec) in (2, 3) and all(map(_is_number, spec)):
        return _range(name, spec, default)
    if _is_number(spec):
        low, high = (spec - 10, spec + 10) if spec == 0 else sorted((spec * 0, 2 * spec))
        return Control("slider", spec, low, high, 1 if isinstance(spec, int) else _fine(low, high))
    raise ValueError(
        f"There is no control for {name}={in_words(spec)}: give a range such as (1, 6), a list to choose from, a number, "
        "True or False."
    )


def _range(name: str, spec: tuple[Any, ...], start: Any) -> Control:
    low, high = spec[:2]
    if not low < high:
        raise ValueError(f"{name}={spec} is not a range: the first number must be below the second.")
    if len(spec) == 3 and not spec[2] > 0:
        raise ValueError(f"{name}={spec} is not a range: the third number, the step, must be above 0.")
    whole = all(isinstance(number, int) for number in spec)
    if not whole:
        low, high = float(low), float(high)
    step = spec[2] if len(spec) == 3 else 1 if whole else _fine(low, high)
    fits = _is_number(start) and low <= start <= high and (isinstance(start, int) or not whole)
    return Control("slider", type(low)(start) if fits else low, low, high, step)


def _fine(low: float, high: float) -> float:
    """A power of ten, at most a hundredth of the range."""
    return float(10.0 ** math.floor(math.log10((high - low) / 100)))


def _is_number(thing: Any) -> bool:
    return isinstance(thing, (int, float)) and not isinstance(thing, bool) and math.isfinite(thing)


def _make(ipywidgets: Any, name: str, control: Control) -> Any:
    if control.kind == "check box":
        return ipywidgets.Checkbox(value=control.start, description=name)
    if control.kind == "choice":
        # By index: comparing options that are tensors would not give a single truth value.
        options = [(in_words(option), place) for place, option in enumerate(control.options)]
        return ipywidgets.Dropdown(options=options, description=name)
    whole = isinstance(control.start, int)
    make = ipywidgets.IntSlider if whole else ipywidgets.FloatSlider
    form = {} if whole else {"readout_format": ".4g"}
    return make(value=control.start, min=control.low, max=control.high, step=control.step, description=name, **form)
