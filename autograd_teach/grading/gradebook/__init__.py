"""Stores every mark with its evidence in SQLite, and decides which marks are still valid.

book.py         the SQLite file
remarks.py      an instructor's adjustments and comments
standing.py     which marks are still valid, by fingerprint.py's hashes of the exercise and the course
"""

from .book import FILE_NAME, Basis, Dressing, Gradebook, Judged, Remark, known_fields, reading, writing

__all__ = ["FILE_NAME", "Basis", "Dressing", "Gradebook", "Judged", "Remark", "known_fields", "reading", "writing"]
