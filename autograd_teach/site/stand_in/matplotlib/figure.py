"""A figure that shows a sentence in the place of a plot."""

from . import SENTENCE, Nothing


class _Axes(Nothing):
    def get_title(self):
        return SENTENCE


class Figure(Nothing):
    """A figure that contains only the sentence."""

    axes = (_Axes(),)

    def savefig(self, file, *_, **__):
        """Write the sentence as a picture to a file object, for `viz.explore`.

        A named file is not written.
        """
        if not hasattr(file, "write"):
            print(SENTENCE)
            return
        style = "text{font:13px sans-serif;fill:#1a1a1a}@media (prefers-color-scheme:dark){text{fill:#ececec}}"
        file.write(
            f'<svg xmlns="http://www.w3.org/2000/svg" width="520" height="40"><style>{style}</style>'
            f'<text x="8" y="25">{SENTENCE}</text></svg>'
        )
