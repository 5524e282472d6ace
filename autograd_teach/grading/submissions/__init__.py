"""From what an instructor has (a folder, a zip) to each student's answers. Runs nothing.

archives.py    folders, zips and zips in zips as a list of files
answers.py     from the bytes of a notebook to the source of its answers
intake.py      whose the files are, and which notebook counts
names.py       how learning platforms name what they export
roster.py      who is in the class
selection.py   what an instructor asks of the class: a due date, the best of several, points, pseudonyms (pseudonyms.py)
preview.py     shows it all without running anything
"""
