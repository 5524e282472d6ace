"""The course as a website: a folder of static files in which every lesson can be read and run without installing anything.

`build.py` says what the site is and puts it together: pages to read (`pages.py`, `landing.py`) and, under `live/`, notebooks
that run in the reader's browser (`live.py`, on JupyterLite; `runtime.py`: the Python for it, `wheel.py`: this package for it).
"""
