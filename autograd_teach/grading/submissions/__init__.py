"""Reads each student's answers from a folder or zip of submissions. Does not run anything.

archives.py    lists the files of folders, zips and zips in zips
budget.py      reads each student's files in a process of its own, within limits of time and memory
answers.py     extracts the sources of the answers from the bytes of a notebook
intake.py      finds out whose the files are, and which notebook counts
names.py       the file names that learning platforms use in their exports
roster.py      reads who is in the class
selection.py   the options about the class: due date, which of several notebooks, points, pseudonyms (pseudonyms.py)
preview.py     shows all of this without running anything
"""
