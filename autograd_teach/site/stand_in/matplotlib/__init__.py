"""Replaces matplotlib on a site without it: cells that plot run, and a sentence says why.

Part of a site built without matplotlib's wheel, under matplotlib's name; never imported elsewhere.
"""

__version__ = "0"
SENTENCE = "Matplotlib is not available on this site: the plot is left out, and everything else works."


class Nothing:
    """The result of every call: it has every attribute, can be called, and draws nothing."""

    def __call__(self, *_, **__):
        return self

    def __getattr__(self, name):
        if name.startswith("_"):  # so that IPython does not try to display it
            raise AttributeError(name)
        return self

    def __iter__(self):
        return iter(())

    def __getitem__(self, _):
        return self

    def __setitem__(self, _, __):
        pass

    def __len__(self):
        return 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(name)
    return Nothing()
