"""From what an instructor has (a folder, a zip) to each student's answers. Runs nothing.

intake.py      reads files and keeps the source of the answer cells
names.py       how learning platforms name what they export
roster.py      who is in the class
selection.py   what an instructor asks of the class: a due date, the best of several, points, pseudonyms (pseudonyms.py)
preview.py     shows it all without running anything
"""
