"""The part of pyplot whose results have a form: figures and grids of axes; all else gives back nothing that can be used."""

import numpy

from . import SENTENCE, Nothing
from .figure import Figure


def subplots(nrows=1, ncols=1, *_, squeeze=True, **__):
    """A figure and its axes, in the form that matplotlib gives them."""
    axes = numpy.empty((nrows, ncols), dtype=object)
    for place in numpy.ndindex(axes.shape):
        axes[place] = Nothing()
    if not squeeze:
        return Figure(), axes
    return Figure(), axes.item() if axes.size == 1 else axes.squeeze()


def figure(*_, **__):
    """A figure."""
    return Figure()


def show(*_, **__):
    """Say once, where the plot would be, that there is none."""
    print(SENTENCE)


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(name)
    return Nothing()
