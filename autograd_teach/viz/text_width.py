"""Upper bounds for the width of a text: boxes are laid out before the browser chooses the font.

The tables hold the advance widths of DejaVu Sans and DejaVu Sans Bold, the widest fonts that
browsers use in place of Helvetica and Arial.
"""

from __future__ import annotations

import unicodedata

# In thousandths of the font size, for the characters from space to tilde.
_REGULAR = [
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636, 636, 636, 636, 636, 636,
    636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863, 748, 787,
    603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635, 615, 352, 635,
    634, 278, 278, 579, 278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838,
]  # fmt: skip
_BOLD = [
    348, 456, 521, 838, 696, 1002, 872, 306, 457, 457, 523, 838, 380, 415, 380, 365, 696, 696, 696, 696, 696, 696, 696, 696,
    696, 696, 400, 400, 838, 838, 838, 580, 1000, 774, 762, 734, 830, 683, 683, 821, 837, 372, 372, 775, 637, 995, 837, 850,
    733, 850, 770, 720, 682, 812, 774, 1103, 771, 724, 725, 457, 365, 457, 838, 500, 500, 675, 716, 593, 716, 678, 435, 716,
    712, 343, 343, 665, 343, 1042, 712, 687, 716, 716, 493, 595, 478, 712, 652, 924, 645, 652, 582, 712, 365, 712, 838,
]  # fmt: skip
_NARROW_SIGNS, _WIDE_SIGNS = "·²³ᵀ\u0304", "…—½æœÆŒ"
_FIRST, _NARROW, _OTHER, _WIDE = 32, 440, 900, 1100


def width(text: str, size: float, bold: bool = False) -> float:
    """The width of one line in points; `size` is the font size in points.

    >>> round(width("Mul", 10.0), 1), round(width("Mul", 10.0, bold=True), 1)
    (17.8, 20.5)
    """
    table = _BOLD if bold else _REGULAR
    total = 0
    for character in text:
        place = ord(character) - _FIRST
        if 0 <= place < len(table):
            total += table[place]
        else:
            total += _of_other(character)
    return total * size / 1000


def _of_other(character: str) -> int:
    """An upper bound for the width of a character outside ASCII; a few rare letters are wider."""
    if character in _NARROW_SIGNS:
        return _NARROW
    wide = character in _WIDE_SIGNS or unicodedata.east_asian_width(character) in "WF"
    return _WIDE if wide else _OTHER
