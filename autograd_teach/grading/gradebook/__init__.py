"""Every mark with its evidence, kept in SQLite, and which of them still stand.

book.py         the file itself
remarks.py      what a person adds to the marks: adjustments and comments
standing.py     which marks stand, by the hashes that fingerprint.py makes of an exercise and of the course
"""

from .book import FILE_NAME, Basis, Dressing, Gradebook, Judged, Remark, known_fields, reading, writing

__all__ = ["FILE_NAME", "Basis", "Dressing", "Gradebook", "Judged", "Remark", "known_fields", "reading", "writing"]
