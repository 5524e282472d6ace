"""The oracle: decides an exercise's points outside the process that runs the student's code.

    judging.py   in the grader: a `Judge` that turns a student's answers into marks, cell by cell
    referee.py   in the grader: draws inputs, computes the right results, asks, and judges by the course's rules
    reaching.py  in the grader: lists the lines of an answer that reach beyond its task, for a person to look at
    wire.py      on both sides: questions and replies as bytes
    server.py    in the submission's box (../sandbox): loads cells, calls what they define, and replies

The size of a reply is known before it is read. A reply contains numbers, flags and text, never objects. Inputs are drawn
after the answer is loaded, with a seed that is drawn only then. Specifications (course/specs) are never loaded in the
student's process, and their files cannot be read there.
"""
