"""What is wrong with a custom Function, in a sentence: all diagnoses in their order; the first that recognises the numbers speaks.

Reads records alone. The rows are written in diagnoses_values.py, diagnoses_gradients.py and diagnoses_beyond.py.
"""

from .diagnoses_beyond import BEYOND
from .diagnoses_gradients import GRADIENTS
from .diagnoses_values import VALUES
from .diagnosing import Diagnosis, Finding, first_findings
from .observe import Evidence

TABLE: tuple[Diagnosis, ...] = (*VALUES, *GRADIENTS, *BEYOND)


def diagnose(evidence: Evidence, failed: list[str]) -> list[Finding]:
    """The findings on the failed checks of a custom Function."""
    return first_findings(TABLE, evidence, failed)


def not_attempted(evidence: Evidence) -> bool:
    """Whether the answer is still the stub: forward stops at its NotImplementedError."""
    return evidence.structure == "no_forward" or any(
        run.crash is not None and run.crash.phase == "forward" and run.crash.kind == "NotImplementedError"
        for run in evidence.runs
    )
