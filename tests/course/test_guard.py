"""The notebook survives a student's code: time limits on every platform, and the line that is theirs."""

import signal
import threading
import time

import pytest

from autograd_teach.course import guard
from autograd_teach.course.guard import TimeLimit, crash_of, time_limit


def spin(seconds=5.0):
    """Compute for so long, by the processor's time: what else the machine does makes no difference."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this platform has no SIGALRM")
def test_a_loop_ends_at_the_limit_even_if_it_swallows_everything():
    came_to_its_end = []

    def stubborn():
        for _ in range(2):
            try:
                spin()
            except BaseException:  # noqa: BLE001, S110  # what a student's bare except does
                pass
        spin()
        came_to_its_end.append(True)

    with pytest.raises(TimeLimit), time_limit(0.1):
        stubborn()
    assert not came_to_its_end


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this platform has no SIGALRM")
def test_who_only_waits_is_ended_by_the_clock():
    start = time.monotonic()
    with pytest.raises(TimeLimit), time_limit(0.2):
        time.sleep(30)
    assert time.monotonic() - start >= 0.2 * guard.PATIENCE


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this platform has no SIGALRM")
def test_time_that_others_use_does_not_count():
    with time_limit(0.3):
        time.sleep(0.4)


def test_without_sigalrm_a_timer_interrupts(monkeypatch):
    monkeypatch.delattr(signal, "setitimer", raising=False)
    with pytest.raises(TimeLimit), time_limit(0.1):
        spin()
    with time_limit(0.2):
        pass
    time.sleep(0.3)  # The timer of a check that was in time never fires.


def test_the_students_own_interrupt_stays_an_interrupt(monkeypatch):
    monkeypatch.delattr(signal, "setitimer", raising=False)
    with pytest.raises(KeyboardInterrupt), time_limit(5):
        raise KeyboardInterrupt


def test_off_the_main_thread_code_runs_without_a_limit():
    results = []

    def work():
        with time_limit(0.01):
            time.sleep(0.05)
            results.append("done")

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert results == ["done"]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this platform has no SIGALRM")
def test_an_alarm_that_was_set_before_still_rings():
    rung = []
    old = signal.signal(signal.SIGALRM, lambda *_: rung.append(True))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with time_limit(1):
            pass
        time.sleep(0.4)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    assert rung


def test_a_crash_is_told_at_the_innermost_own_line_not_in_a_library():
    import fractions

    def helper():
        return fractions.Fraction("one half")

    try:
        helper()
    except ValueError as error:
        crash = crash_of(error, "forward")
    assert crash.source == 'return fractions.Fraction("one half")'
    assert str(crash).startswith(f"forward, line {crash.line}: `return fractions")
    assert "raised ValueError" in str(crash)


def test_nobody_is_asked_while_a_check_runs():
    with pytest.raises(EOFError, match="many times"), guard.quiet():
        input("a number: ")
    assert input.__module__ != guard.__name__


def test_a_cell_of_a_notebook_is_the_students_and_generated_code_is_not():
    assert guard._is_own("<ipython-input-3-abc>")
    assert not guard._is_own("<autograd_teach mul>")
    assert not guard._is_own(guard.__file__)
