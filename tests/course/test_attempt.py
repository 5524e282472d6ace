"""`attempt` prints the outcome of a call: no error, a value, or the error's type and first sentence."""

import pytest

import autograd_teach as torch
from autograd_teach.course.attempt import attempt, first_sentence


def freed() -> None:
    x = torch.tensor(2.0, requires_grad=True)
    y = 1 / x
    y.backward()
    y.backward()


def fail(error: BaseException) -> None:
    raise error


@pytest.mark.parametrize(
    ("call", "printed"),
    [
        (lambda: None, "no error"),
        (lambda: 0, "no error: 0"),
        (lambda: torch.tensor(3.0), "no error: tensor(3.)"),
        (lambda: torch.tensor([1.0, 2.0]), "no error: tensor([1., 2.])"),
        (
            freed,
            "RuntimeError: Trying to backward through the graph a second time "
            + "(or directly access saved tensors after they have already been freed)",
        ),
        (lambda: fail(KeyError("w")), "KeyError: 'w'"),
        (lambda: fail(ValueError()), "ValueError"),
        (lambda: fail(ValueError("Costs 1.5 s.\nMore.")), "ValueError: Costs 1.5 s"),
    ],
)
def test_the_outcome_is_printed(call, printed, capsys):
    assert attempt(call) is None
    assert capsys.readouterr().out == f"{printed}\n"


def test_an_interrupt_is_not_caught():
    with pytest.raises(KeyboardInterrupt):
        attempt(lambda: fail(KeyboardInterrupt()))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("One. Two.", "One"),
        ("one at line 3. two", "one at line 3. two"),
        ("One\nTwo", "One"),
        ("Is 1.5", "Is 1.5"),
        ("", ""),
    ],
)
def test_the_first_sentence(text, sentence):
    assert first_sentence(text) == sentence
