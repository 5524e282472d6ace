"""The parts of pyplot whose results have a structure: figures and grids of axes.

Other functions return `Nothing`.
"""

import numpy

from . import SENTENCE, Nothing
from .figure import Figure


def subplots(nrows=1, ncols=1, *_, squeeze=True, **__):
    """A figure and its axes, in the same structure as in matplotlib."""
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
    """Print the sentence in the place of the plot."""
    print(SENTENCE)


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(name)
    return Nothing()
