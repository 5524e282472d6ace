"""The commands of `autograd-teach`: a row of `table.py` for each, and the modules of those that have no part of their own.

The module of a command has `add_arguments(parser)` and `run(args)`, which returns the exit status. It is imported when
its command runs or shows its help.
"""
