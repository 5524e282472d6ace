"""The oracle: decides an exercise's points outside the process that runs the student's code.

    judging.py   in the grader: from a student's answers to marks, cell by cell; the `Judge` that verdicts.py is given
    referee.py   in the grader: draws inputs, computes what is right, asks, judges by the course's own rules
    reaching.py  in the grader: names the lines of an answer that reach beyond its task, for a person to look at
    wire.py      on both sides: questions and replies as bytes
    server.py    in the submission's box (../sandbox): loads cells, calls what they define, answers

A reply is a number of bytes that is known before it is read, and means numbers, flags and words, never an object. Inputs
are drawn when the answer has been loaded, with a seed that exists only then; specifications (course/specs) are never loaded
in the student's process, and under bubblewrap their files are not there.
"""
