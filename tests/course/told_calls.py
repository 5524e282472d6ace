"""Rows for test_told.py: (exercise, what is wrong, words that must come, words that must not, the answer's cell)."""

TOLD: list[tuple[str, str, tuple[str, ...], tuple[str, ...], str]] = []
