"""Answers to notebook 08 by people who saw the statements alone: right ones and wrong ones with what is wrong."""

ANSWERS = [
    (
        "08.predict_in_place_errors",
        "right",
        "a dict literal",
        """
def predict_in_place_errors():
    return {
        "A": "saved",
        "B": "fine",
        "C": "leaf",
        "D": "fine",
        "E": "saved",
        "F": "wrong",
        "G": "saved",
        "H": "saved",
    }
""",
    ),
    (
        "08.predict_in_place_errors",
        "right",
        "dict(zip(...)) over letters and words",
        """
def predict_in_place_errors():
    words = "saved fine leaf fine saved wrong saved saved".split()
    return dict(zip("ABCDEFGH", words))
""",
    ),
    (
        "08.predict_in_place_errors",
        "right",
        "everything is saved by default, then corrected",
        """
def predict_in_place_errors():
    prediction = dict.fromkeys("HGFEDCBA", "saved")
    prediction.update(B="fine", D="fine", C="leaf", F="wrong")
    return prediction
""",
    ),
    (
        "08.predict_in_place_errors",
        "right",
        "grouped by word and turned around",
        """
def predict_in_place_errors():
    groups = {"saved": "AEGH", "fine": "BD", "leaf": "C", "wrong": "F"}
    return {letter: word for word, letters in groups.items() for letter in letters}
""",
    ),
    (
        "08.predict_in_place_errors",
        "wrong",
        "A: tanh saves its result, and y += 1 changes it",
        """
def predict_in_place_errors():
    return {
        "A": "fine",
        "B": "fine",
        "C": "leaf",
        "D": "fine",
        "E": "saved",
        "F": "wrong",
        "G": "saved",
        "H": "saved",
    }
""",
    ),
    (
        "08.predict_in_place_errors",
        "wrong",
        "A: the changed result is noticed, the gradient is not silently wrong",
        """
def predict_in_place_errors():
    return {
        "A": "wrong",
        "B": "fine",
        "C": "leaf",
        "D": "fine",
        "E": "saved",
        "F": "wrong",
        "G": "saved",
        "H": "saved",
    }
""",
    ),
    (
        "08.predict_in_place_errors",
        "wrong",
        "B: exp saves its result z, not its input y; changing y is fine",
        """
def predict_in_place_errors():
    return {
        "A": "saved",
        "B": "saved",
        "C": "leaf",
        "D": "fine",
        "E": "saved",
        "F": "wrong",
        "G": "saved",
        "H": "saved",
    }
""",
    ),
    (
        "08.predict_in_place_errors",
        "wrong",
        "B: nothing that is needed changes, so the gradient is right",
        """
def predict_in_place_errors():
    return {
        "A": "saved",
        "B": "wrong",
        "C": "leaf",
        "D": "fine",
        "E": "saved",
        "F": "wrong",
        "G": "saved",
        "H": "saved",
    }
""",
    ),
    (
        "08.predict_in_place_errors",
        "wrong",
        "C: a view of a leaf has the memory of the leaf, so zero_ raises at once",
        """
def predict_in_place_errors():
    return {
        "A": "saved",
        "B": "fine",
        "C": "fine",
        "D": "fine",
        "E": "saved",
        "F": "wrong",
        "G": "saved",
        "H": "saved",
    }
""",
    ),
    (
        "08.predict_in_place_errors",
        "wrong",
        "C: it raises at once at zero_, not in backward",
        """
def predict_in_place_errors():
    return {
        "A": "saved",
        "B": "fine",
        "C": "saved",
        "D": "fine",
        "E": "saved",
        "F": "wrong",
        "G": "saved",
        "H": "saved",
    }
""",
    ),
    (
        "08.predict_in_place_errors",
        "wrong",
        "D: in no_grad a leaf may be changed",
        """
def predict_in_place_errors():
    return {
        "A": "saved",
        "B": "fine",
        "C": "leaf",
        "D": "leaf",
        "E": "saved",
        "F": "wrong",
        "G": "saved",
        "H": "saved",
    }
""",
    ),
    (
        "08.predict_in_place_errors",
        "wrong",
        "D: the loss is computed after the change, from the new x, so the gradient is right",
        """
def predict_in_place_errors():
    return {
        "A": "saved",
        "B": "fine",
        "C": "leaf",
        "D": "wrong",
        "E": "saved",
        "F": "wrong",
        "G": "saved",
        "H": "saved",
    }
""",
    ),
    (
        "08.predict_in_place_errors",
        "wrong",
        "D: the square saves x after the change",
        """
def predict_in_place_errors():
    return {
        "A": "saved",
        "B": "fine",
        "C": "leaf",
        "D": "saved",
        "E": "saved",
        "F": "wrong",
        "G": "saved",
        "H": "saved",
    }
""",
    ),
    (
        "08.predict_in_place_errors",
        "wrong",
        "E: no_grad allows the change, but x was saved for backward",
        """
def predict_in_place_errors():
    return {
        "A": "saved",
        "B": "fine",
        "C": "leaf",
        "D": "fine",
        "E": "fine",
        "F": "wrong",
        "G": "saved",
        "H": "saved",
    }
""",
    ),
    (
        "08.predict_in_place_errors",
        "wrong",
        "E: the change is noticed by its version; only .data hides it",
        """
def predict_in_place_errors():
    return {
        "A": "saved",
        "B": "fine",
        "C": "leaf",
        "D": "fine",
        "E": "wrong",
        "F": "wrong",
        "G": "saved",
        "H": "saved",
    }
""",
    ),
    (
        "08.predict_in_place_errors",
        "wrong",
        "E: in no_grad the leaf may be written to; the error comes in backward",
        """
def predict_in_place_errors():
    return {
        "A": "saved",
        "B": "fine",
        "C": "leaf",
        "D": "fine",
        "E": "leaf",
        "F": "wrong",
        "G": "saved",
        "H": "saved",
    }
""",
    ),
    (
        "08.predict_in_place_errors",
        "wrong",
        "F: a change through .data is not noticed, so the gradient is silently wrong",
        """
def predict_in_place_errors():
    return {
        "A": "saved",
        "B": "fine",
        "C": "leaf",
        "D": "fine",
        "E": "saved",
        "F": "saved",
        "G": "saved",
        "H": "saved",
    }
""",
    ),
    (
        "08.predict_in_place_errors",
        "wrong",
        "F: backward uses the changed x, so the gradient is not right",
        """
def predict_in_place_errors():
    return {
        "A": "saved",
        "B": "fine",
        "C": "leaf",
        "D": "fine",
        "E": "saved",
        "F": "fine",
        "G": "saved",
        "H": "saved",
    }
""",
    ),
    (
        "08.predict_in_place_errors",
        "wrong",
        "G: y[2:] is a view, changing it changes the saved result of exp",
        """
def predict_in_place_errors():
    return {
        "A": "saved",
        "B": "fine",
        "C": "leaf",
        "D": "fine",
        "E": "saved",
        "F": "wrong",
        "G": "fine",
        "H": "saved",
    }
""",
    ),
    (
        "08.predict_in_place_errors",
        "wrong",
        "G: the view shares the version counter, so backward raises",
        """
def predict_in_place_errors():
    return {
        "A": "saved",
        "B": "fine",
        "C": "leaf",
        "D": "fine",
        "E": "saved",
        "F": "wrong",
        "G": "wrong",
        "H": "saved",
    }
""",
    ),
    (
        "08.predict_in_place_errors",
        "wrong",
        "H: detach() shares memory and version counter, unlike .data: backward raises",
        """
def predict_in_place_errors():
    return {
        "A": "saved",
        "B": "fine",
        "C": "leaf",
        "D": "fine",
        "E": "saved",
        "F": "wrong",
        "G": "saved",
        "H": "wrong",
    }
""",
    ),
    (
        "08.predict_in_place_errors",
        "wrong",
        "H: detach() is not a copy",
        """
def predict_in_place_errors():
    return {
        "A": "saved",
        "B": "fine",
        "C": "leaf",
        "D": "fine",
        "E": "saved",
        "F": "wrong",
        "G": "saved",
        "H": "fine",
    }
""",
    ),
    (
        "08.predict_in_place_errors",
        "wrong",
        "H: the detached tensor is no leaf that requires grad, so the line itself does not raise",
        """
def predict_in_place_errors():
    return {
        "A": "saved",
        "B": "fine",
        "C": "leaf",
        "D": "fine",
        "E": "saved",
        "F": "wrong",
        "G": "saved",
        "H": "leaf",
    }
""",
    ),
    (
        "08.predict_in_place_errors",
        "wrong",
        "the entry for H is missing",
        """
def predict_in_place_errors():
    return {
        "A": "saved",
        "B": "fine",
        "C": "leaf",
        "D": "fine",
        "E": "saved",
        "F": "wrong",
        "G": "saved",
    }
""",
    ),
    (
        "08.predict_in_place_errors",
        "wrong",
        "the letters are lower case",
        """
def predict_in_place_errors():
    return {
        "a": "saved",
        "b": "fine",
        "c": "leaf",
        "d": "fine",
        "e": "saved",
        "f": "wrong",
        "g": "saved",
        "h": "saved",
    }
""",
    ),
    (
        "08.predict_in_place_errors",
        "wrong",
        "returns a list of words, not a dict",
        """
def predict_in_place_errors():
    return ["saved", "fine", "leaf", "fine", "saved", "wrong", "saved", "saved"]
""",
    ),
    (
        "08.predict_in_place_errors",
        "wrong",
        'C has a word that is none of the four ("error")',
        """
def predict_in_place_errors():
    return {
        "A": "saved",
        "B": "fine",
        "C": "error",
        "D": "fine",
        "E": "saved",
        "F": "wrong",
        "G": "saved",
        "H": "saved",
    }
""",
    ),
    (
        "08.predict_in_place_errors",
        "wrong",
        "the dict is not returned",
        """
def predict_in_place_errors():
    prediction = {
        "A": "saved",
        "B": "fine",
        "C": "leaf",
        "D": "fine",
        "E": "saved",
        "F": "wrong",
        "G": "saved",
        "H": "saved",
    }
""",
    ),
    (
        "08.predict_in_place_errors",
        "right",
        "builds the dict from the words, each with its letters",
        """
def predict_in_place_errors():
    groups = {"saved": "AEGH", "fine": "BD", "leaf": "C", "wrong": "F"}
    return {letter: word for word, letters in groups.items() for letter in letters}
""",
    ),
    (
        "08.predict_in_place_errors",
        "wrong",
        "B: exp saves its result z and not its argument y, so changing y is fine; the answer says saved",
        """
def predict_in_place_errors():
    return {"A": "saved", "B": "saved", "C": "leaf", "D": "fine", "E": "saved", "F": "wrong", "G": "saved", "H": "saved"}
""",
    ),
    (
        "08.predict_in_place_errors",
        "wrong",
        "D: under no_grad a leaf may be changed, and the loss is computed afterwards, so it is fine; the answer says leaf",
        """
def predict_in_place_errors():
    return {"A": "saved", "B": "fine", "C": "leaf", "D": "leaf", "E": "saved", "F": "wrong", "G": "saved", "H": "saved"}
""",
    ),
    (
        "08.predict_in_place_errors",
        "wrong",
        "F: x.data hides the change from autograd, so nothing raises but the gradient is wrong; the answer says saved as for E",
        """
def predict_in_place_errors():
    return {"A": "saved", "B": "fine", "C": "leaf", "D": "fine", "E": "saved", "F": "saved", "G": "saved", "H": "saved"}
""",
    ),
    (
        "08.predict_in_place_errors",
        "wrong",
        "G: last is a view of y, and changing it changes the result that exp saved; the answer says fine",
        """
def predict_in_place_errors():
    return {"A": "saved", "B": "fine", "C": "leaf", "D": "fine", "E": "saved", "F": "wrong", "G": "fine", "H": "saved"}
""",
    ),
    (
        "08.predict_in_place_errors",
        "wrong",
        "H: detach shares the version counter, so the change is noticed and backward raises; the answer says wrong as for .data",
        """
def predict_in_place_errors():
    return {"A": "saved", "B": "fine", "C": "leaf", "D": "fine", "E": "saved", "F": "wrong", "G": "saved", "H": "wrong"}
""",
    ),
    (
        "08.repair_centre",
        "right",
        "out of place",
        """
def repair_centre(x):
    y = x - x.mean()
    result = y * y
    return result
""",
    ),
    (
        "08.repair_centre",
        "right",
        "in place on a clone",
        """
def repair_centre(x):
    y = x.clone()
    y -= x.mean()
    return y**2
""",
    ),
    (
        "08.repair_centre",
        "right",
        "multiplies with the centring matrix",
        """
def repair_centre(x):
    n = len(x)
    matrix = torch.eye(n, dtype=x.dtype) - torch.ones(n, n, dtype=x.dtype) / n
    return (matrix @ x) ** 2
""",
    ),
    (
        "08.repair_centre",
        "right",
        "one entry at a time, stacked",
        """
def repair_centre(x):
    total = 0
    for entry in x:
        total = total + entry
    m = total / len(x)
    return torch.stack([(m - entry) * (m - entry) for entry in x])
""",
    ),
    (
        "08.repair_centre",
        "wrong",
        "the mean is detached, so its part of the gradient is missing",
        """
def repair_centre(x):
    y = x - x.mean().detach()
    return y * y
""",
    ),
    (
        "08.repair_centre",
        "wrong",
        "the mean is a plain number (.item()), so its part of the gradient is missing",
        """
def repair_centre(x):
    m = x.mean().item()
    return (x - m) ** 2
""",
    ),
    (
        "08.repair_centre",
        "wrong",
        "works on x.detach(): the result has no graph",
        """
def repair_centre(x):
    y = x.detach().clone()
    y -= y.mean()
    return y * y
""",
    ),
    (
        "08.repair_centre",
        "wrong",
        "the result is computed in no_grad and has no graph",
        """
def repair_centre(x):
    with torch.no_grad():
        y = x - x.mean()
        return y * y
""",
    ),
    (
        "08.repair_centre",
        "wrong",
        "x is changed in no_grad",
        """
def repair_centre(x):
    with torch.no_grad():
        x -= x.mean()
    return x * x
""",
    ),
    (
        "08.repair_centre",
        "wrong",
        "x is changed through .data",
        """
def repair_centre(x):
    x.data -= x.data.mean()
    return x * x
""",
    ),
    (
        "08.repair_centre",
        "wrong",
        "x.detach() is no copy, so x itself is changed",
        """
def repair_centre(x):
    y = x.detach()
    y -= y.mean()
    y = x - x.mean()
    return y * y
""",
    ),
    (
        "08.repair_centre",
        "wrong",
        "not squared",
        """
def repair_centre(x):
    return x - x.mean()
""",
    ),
    (
        "08.repair_centre",
        "wrong",
        "absolute distances, not squared ones",
        """
def repair_centre(x):
    return (x - x.mean()).abs()
""",
    ),
    (
        "08.repair_centre",
        "wrong",
        "returns the mean of the squared distances, one number",
        """
def repair_centre(x):
    y = x - x.mean()
    return (y * y).mean()
""",
    ),
    (
        "08.repair_centre",
        "wrong",
        "x_i^2 - m^2 instead of (x_i - m)^2",
        """
def repair_centre(x):
    return x * x - x.mean() ** 2
""",
    ),
    (
        "08.repair_centre",
        "wrong",
        "x_i * (x_i - m): only one of the factors is centred",
        """
def repair_centre(x):
    return x * (x - x.mean())
""",
    ),
    (
        "08.repair_centre",
        "wrong",
        "divides by n - 1 for the mean",
        """
def repair_centre(x):
    m = x.sum() / (len(x) - 1)
    return (x - m) ** 2
""",
    ),
    (
        "08.repair_centre",
        "wrong",
        "the sum instead of the mean",
        """
def repair_centre(x):
    return (x - x.sum()) ** 2
""",
    ),
    (
        "08.repair_centre",
        "wrong",
        "divides by 3 as in the example, whatever the length",
        """
def repair_centre(x):
    m = x.sum() / 3
    return (x - m) ** 2
""",
    ),
    (
        "08.repair_centre",
        "wrong",
        "the median instead of the mean",
        """
def repair_centre(x):
    return (x - x.median()) ** 2
""",
    ),
    (
        "08.repair_centre",
        "wrong",
        "a tensor built from numbers with torch.tensor has no graph back to x",
        """
def repair_centre(x):
    m = x.mean()
    return torch.tensor([((entry - m) ** 2).item() for entry in x], dtype=x.dtype, requires_grad=True)
""",
    ),
    (
        "08.repair_centre",
        "wrong",
        "returns a list of tensors, not a tensor",
        """
def repair_centre(x):
    m = x.mean()
    return [(entry - m) ** 2 for entry in x]
""",
    ),
    (
        "08.repair_centre",
        "wrong",
        "the result is not returned",
        """
def repair_centre(x):
    y = x - x.mean()
    result = y * y
""",
    ),
    (
        "08.repair_centre",
        "wrong",
        "still writes to the leaf: x -= ... raises",
        """
def repair_centre(x):
    x -= x.mean()
    result = x * x
    return result
""",
    ),
    (
        "08.repair_centre",
        "wrong",
        "y = x is only another name for the leaf, so y -= raises",
        """
def repair_centre(x):
    y = x
    y -= x.mean()
    return y * y
""",
    ),
    (
        "08.repair_centre",
        "right",
        "multiplies x by the centring matrix (identity minus 1/n) and squares",
        """
def repair_centre(x):
    n = len(x)
    C = torch.eye(n, dtype=x.dtype) - torch.ones(n, n, dtype=x.dtype) / n
    return (C @ x).square()
""",
    ),
    (
        "08.repair_centre",
        "wrong",
        "the mean is detached, so the gradient lacks the part that goes through the mean",
        """
def repair_centre(x):
    y = x - x.mean().detach()
    return y * y
""",
    ),
    (
        "08.repair_centre",
        "wrong",
        "changes the caller's x under no_grad",
        """
def repair_centre(x):
    with torch.no_grad():
        x -= x.mean()
    return x * x
""",
    ),
    (
        "08.repair_centre",
        "wrong",
        "works on a detached copy, so the result has no graph to x",
        """
def repair_centre(x):
    y = x.detach().clone()
    y -= y.mean()
    return y * y
""",
    ),
    (
        "08.repair_centre",
        "wrong",
        "x^2 - m^2 is not (x - m)^2",
        """
def repair_centre(x):
    m = x.mean()
    return x ** 2 - m ** 2
""",
    ),
    (
        "08.repair_centre",
        "wrong",
        "returns the mean of the squared distances (the variance), not each of them",
        """
def repair_centre(x):
    y = x - x.mean()
    return (y * y).mean()
""",
    ),
    (
        "08.repair_threshold",
        "right",
        "torch.where",
        """
def repair_threshold(x):
    y = x.tanh()
    return torch.where(y >= 0.5, y, torch.zeros_like(y))
""",
    ),
    (
        "08.repair_threshold",
        "right",
        "in place on a clone",
        """
def repair_threshold(x):
    y = x.tanh()
    result = y.clone()
    result[y < 0.5] = 0
    return result
""",
    ),
    (
        "08.repair_threshold",
        "right",
        "times a mask of 0 and 1",
        """
def repair_threshold(x):
    y = torch.tanh(x)
    keep = (y.detach() >= 0.5).to(x.dtype)
    return keep * y
""",
    ),
    (
        "08.repair_threshold",
        "right",
        "masked_fill",
        """
def repair_threshold(x):
    y = x.tanh()
    return y.masked_fill(y < 0.5, 0.0)
""",
    ),
    (
        "08.repair_threshold",
        "right",
        "one entry at a time, stacked; Python's if",
        """
def repair_threshold(x):
    entries = []
    for entry in x:
        value = entry.tanh()
        entries.append(value if value.item() >= 0.5 else torch.zeros_like(value))
    return torch.stack(entries)
""",
    ),
    (
        "08.repair_threshold",
        "wrong",
        "the threshold is applied to x, not to tanh x",
        """
def repair_threshold(x):
    y = x.tanh()
    return torch.where(x >= 0.5, y, torch.zeros_like(y))
""",
    ),
    (
        "08.repair_threshold",
        "wrong",
        "> instead of >=: a tanh of exactly 0.5 is replaced",
        """
def repair_threshold(x):
    y = x.tanh()
    return torch.where(y > 0.5, y, torch.zeros_like(y))
""",
    ),
    (
        "08.repair_threshold",
        "wrong",
        "0.5 instead of 0 in place of what is below (clamp)",
        """
def repair_threshold(x):
    return x.tanh().clamp(min=0.5)
""",
    ),
    (
        "08.repair_threshold",
        "wrong",
        "0.5 is subtracted too",
        """
def repair_threshold(x):
    return torch.relu(x.tanh() - 0.5)
""",
    ),
    (
        "08.repair_threshold",
        "wrong",
        "the absolute value is compared: tanh below -0.5 is kept",
        """
def repair_threshold(x):
    y = x.tanh()
    return torch.where(y.abs() >= 0.5, y, torch.zeros_like(y))
""",
    ),
    (
        "08.repair_threshold",
        "wrong",
        "the change through .data hides the error, but the gradient is wrong",
        """
def repair_threshold(x):
    y = x.tanh()
    y.data[y.data < 0.5] = 0
    return y
""",
    ),
    (
        "08.repair_threshold",
        "wrong",
        "the result is detached: no graph",
        """
def repair_threshold(x):
    y = x.tanh().detach()
    y[y < 0.5] = 0
    return y
""",
    ),
    (
        "08.repair_threshold",
        "wrong",
        "the whole is in no_grad: no graph",
        """
def repair_threshold(x):
    with torch.no_grad():
        y = x.tanh()
        y[y < 0.5] = 0
    return y
""",
    ),
    (
        "08.repair_threshold",
        "wrong",
        "entries below the threshold are left out, not replaced by 0",
        """
def repair_threshold(x):
    y = x.tanh()
    return y[y >= 0.5]
""",
    ),
    (
        "08.repair_threshold",
        "wrong",
        "the condition is turned around: what is above is replaced",
        """
def repair_threshold(x):
    y = x.tanh()
    return torch.where(y < 0.5, y, torch.zeros_like(y))
""",
    ),
    (
        "08.repair_threshold",
        "wrong",
        "where's two values are swapped",
        """
def repair_threshold(x):
    y = x.tanh()
    return torch.where(y >= 0.5, torch.zeros_like(y), y)
""",
    ),
    (
        "08.repair_threshold",
        "wrong",
        "entries that are replaced still get a gradient",
        """
def repair_threshold(x):
    y = x.tanh()
    return y - (y * (y < 0.5)).detach()
""",
    ),
    (
        "08.repair_threshold",
        "wrong",
        "x is changed in no_grad before the tanh",
        """
def repair_threshold(x):
    with torch.no_grad():
        x[x.tanh() < 0.5] = 0
    return x.tanh()
""",
    ),
    (
        "08.repair_threshold",
        "wrong",
        "the threshold is 0, as in relu",
        """
def repair_threshold(x):
    y = x.tanh()
    return torch.where(y >= 0, y, torch.zeros_like(y))
""",
    ),
    (
        "08.repair_threshold",
        "wrong",
        "what is kept is x, not its tanh",
        """
def repair_threshold(x):
    y = x.tanh()
    return torch.where(y >= 0.5, x, torch.zeros_like(x))
""",
    ),
    (
        "08.repair_threshold",
        "wrong",
        "returns the mask",
        """
def repair_threshold(x):
    y = x.tanh()
    return (y >= 0.5).to(x.dtype)
""",
    ),
    (
        "08.repair_threshold",
        "wrong",
        "y.detach() shares the memory, so the saved result is still changed: backward raises",
        """
def repair_threshold(x):
    y = x.tanh()
    same = y.detach()
    same[same < 0.5] = 0
    return y
""",
    ),
    (
        "08.repair_threshold",
        "wrong",
        "the first entry below the threshold ends the loop, what follows stays 0",
        """
def repair_threshold(x):
    y = x.tanh()
    entries = []
    for value in y:
        if value < 0.5:
            break
        entries.append(value)
    entries += [torch.zeros_like(y[0])] * (len(x) - len(entries))
    return torch.stack(entries)
""",
    ),
    (
        "08.repair_threshold",
        "wrong",
        "the sum instead of the vector is returned",
        """
def repair_threshold(x):
    y = x.tanh()
    return torch.where(y >= 0.5, y, torch.zeros_like(y)).sum()
""",
    ),
    (
        "08.repair_threshold",
        "wrong",
        "no gradient flows at all, because only the kept numbers are copied into a new tensor",
        """
def repair_threshold(x):
    y = x.tanh()
    result = torch.zeros_like(x)
    result[y >= 0.5] = y[y >= 0.5].detach()
    return result
""",
    ),
    (
        "08.repair_threshold",
        "wrong",
        "not returned",
        """
def repair_threshold(x):
    y = x.tanh()
    result = torch.where(y >= 0.5, y, torch.zeros_like(y))
""",
    ),
    (
        "08.repair_threshold",
        "right",
        "multiplies the tanh by a mask of ones and zeros",
        """
def repair_threshold(x):
    y = torch.tanh(x)
    keep = torch.ge(y.detach(), 0.5).to(x.dtype)
    return y.mul(keep)
""",
    ),
    (
        "08.repair_threshold",
        "wrong",
        "compares x with 0.5, not its tanh",
        """
def repair_threshold(x):
    return torch.where(x >= 0.5, x.tanh(), torch.zeros_like(x))
""",
    ),
    (
        "08.repair_threshold",
        "wrong",
        "clamps: what is below 0.5 becomes 0.5, not 0",
        """
def repair_threshold(x):
    return x.tanh().clamp(min=0.5)
""",
    ),
    (
        "08.repair_threshold",
        "wrong",
        "writes through y.data: nothing raises, but backward uses the changed result that tanh saved, so entries replaced by 0 still get a gradient",
        """
def repair_threshold(x):
    y = x.tanh()
    y.data[y.detach() < 0.5] = 0
    return y
""",
    ),
    (
        "08.repair_threshold",
        "wrong",
        "keeps negative entries too: compares the absolute value of tanh with 0.5",
        """
def repair_threshold(x):
    y = x.tanh()
    return torch.where(y.abs() < 0.5, torch.zeros_like(y), y)
""",
    ),
    (
        "08.repair_threshold",
        "wrong",
        "relu(tanh - 0.5) is not shifted back: what is above the threshold is too small by 0.5",
        """
def repair_threshold(x):
    return torch.relu(x.tanh() - 0.5)
""",
    ),
    (
        "08.repair_products",
        "right",
        "a list of products, stacked",
        """
def repair_products(x):
    products = [x[0]]
    for i in range(1, len(x)):
        products.append(products[-1] * x[i])
    return torch.stack(products)
""",
    ),
    (
        "08.repair_products",
        "right",
        "cumprod",
        """
def repair_products(x):
    return x.cumprod(0)
""",
    ),
    (
        "08.repair_products",
        "right",
        "the factor is a clone, so filling the table does not change it",
        """
def repair_products(x):
    products = torch.zeros(len(x), dtype=x.dtype)
    products[0] = x[0]
    for i in range(1, len(x)):
        products[i] = products[i - 1].clone() * x[i]
    return products
""",
    ),
    (
        "08.repair_products",
        "right",
        "itertools.accumulate",
        """
def repair_products(x):
    import itertools
    import operator
    return torch.stack(list(itertools.accumulate(x, operator.mul)))
""",
    ),
    (
        "08.repair_products",
        "right",
        "grows a vector with cat",
        """
def repair_products(x):
    result = x[:1]
    for i in range(1, len(x)):
        result = torch.cat([result, result[-1:] * x[i : i + 1]])
    return result
""",
    ),
    (
        "08.repair_products",
        "wrong",
        "the running sum",
        """
def repair_products(x):
    return x.cumsum(0)
""",
    ),
    (
        "08.repair_products",
        "wrong",
        "exp of the sum of logs: nan for negative entries",
        """
def repair_products(x):
    return x.log().cumsum(0).exp()
""",
    ),
    (
        "08.repair_products",
        "wrong",
        "exp of the sum of logs of abs: the signs are lost",
        """
def repair_products(x):
    return x.abs().log().cumsum(0).exp()
""",
    ),
    (
        "08.repair_products",
        "wrong",
        "the product of all entries divided by the rest: fails (0/0) when an entry is 0",
        """
def repair_products(x):
    total = x.prod()
    return torch.stack([total / x[i + 1 :].prod() if i + 1 < len(x) else total for i in range(len(x))])
""",
    ),
    (
        "08.repair_products",
        "wrong",
        "the previous product is detached: nothing raises, but the gradient of the earlier factors is lost",
        """
def repair_products(x):
    products = torch.zeros(len(x), dtype=x.dtype)
    products[0] = x[0]
    for i in range(1, len(x)):
        products[i] = products[i - 1].detach().clone() * x[i]
    return products
""",
    ),
    (
        "08.repair_products",
        "wrong",
        "a tensor of numbers: no graph",
        """
def repair_products(x):
    numbers = [x[0].item()]
    for i in range(1, len(x)):
        numbers.append(numbers[-1] * x[i].item())
    return torch.tensor(numbers, dtype=x.dtype)
""",
    ),
    (
        "08.repair_products",
        "wrong",
        "a list of tensors, not a tensor",
        """
def repair_products(x):
    products = [x[0]]
    for i in range(1, len(x)):
        products.append(products[-1] * x[i])
    return products
""",
    ),
    (
        "08.repair_products",
        "wrong",
        "the last entry is missing: range(1, len(x) - 1)",
        """
def repair_products(x):
    products = [x[0]]
    for i in range(1, len(x) - 1):
        products.append(products[-1] * x[i])
    return torch.stack(products)
""",
    ),
    (
        "08.repair_products",
        "wrong",
        "the first entry comes in twice: the loop begins at 0",
        """
def repair_products(x):
    products = [x[0]]
    for i in range(len(x)):
        products.append(products[-1] * x[i])
    return torch.stack(products[1:])
""",
    ),
    (
        "08.repair_products",
        "wrong",
        "shifted by one: starts with 1 and leaves out the last product",
        """
def repair_products(x):
    products = [torch.ones_like(x[0])]
    for i in range(len(x) - 1):
        products.append(products[-1] * x[i])
    return torch.stack(products)
""",
    ),
    (
        "08.repair_products",
        "wrong",
        "begins with 0, so every product is 0",
        """
def repair_products(x):
    product = torch.zeros_like(x[0])
    products = []
    for entry in x:
        product = product * entry
        products.append(product)
    return torch.stack(products)
""",
    ),
    (
        "08.repair_products",
        "wrong",
        "one result too many: the 1 at the beginning stays in the list",
        """
def repair_products(x):
    products = [torch.ones_like(x[0])]
    for entry in x:
        products.append(products[-1] * entry)
    return torch.stack(products)
""",
    ),
    (
        "08.repair_products",
        "wrong",
        "the product of two neighbours only",
        """
def repair_products(x):
    return torch.cat([x[:1], x[:-1] * x[1:]])
""",
    ),
    (
        "08.repair_products",
        "wrong",
        "only the product of all entries",
        """
def repair_products(x):
    return x.prod()
""",
    ),
    (
        "08.repair_products",
        "wrong",
        "products from the end: of the last i + 1 entries",
        """
def repair_products(x):
    return x.flip(0).cumprod(0)
""",
    ),
    (
        "08.repair_products",
        "wrong",
        "result is right but in no_grad: no graph",
        """
def repair_products(x):
    with torch.no_grad():
        return x.cumprod(0)
""",
    ),
    (
        "08.repair_products",
        "wrong",
        "product *= entry changes the tensor that is in the list: all entries are the same (or backward raises)",
        """
def repair_products(x):
    product = x[0].clone()
    products = [product]
    for i in range(1, len(x)):
        product *= x[i]
        products.append(product)
    return torch.stack(products)
""",
    ),
    (
        "08.repair_products",
        "wrong",
        "products[i - 1] is still a view of the table that is filled: backward raises",
        """
def repair_products(x):
    products = torch.zeros_like(x)
    products[0] = x[0]
    for i in range(1, len(x)):
        before = products[i - 1]
        products[i] = before * x[i]
    return products
""",
    ),
    (
        "08.repair_products",
        "wrong",
        "the cumprod is written into x: x is changed",
        """
def repair_products(x):
    result = x.cumprod(0)
    x.data[:] = result.data
    return result
""",
    ),
    (
        "08.repair_products",
        "wrong",
        "the loop stops at a 0, so entries after it are missing",
        """
def repair_products(x):
    products = [x[0]]
    for i in range(1, len(x)):
        if x[i] == 0:
            break
        products.append(products[-1] * x[i])
    return torch.stack(products)
""",
    ),
    (
        "08.repair_products",
        "wrong",
        "not returned",
        """
def repair_products(x):
    products = [x[0]]
    for i in range(1, len(x)):
        products.append(products[-1] * x[i])
    result = torch.stack(products)
""",
    ),
    (
        "08.repair_products",
        "wrong",
        "powers of the entry instead of products: x_i ** (i + 1)",
        """
def repair_products(x):
    return torch.stack([x[i] ** (i + 1) for i in range(len(x))])
""",
    ),
    (
        "08.repair_products",
        "right",
        "the product of each beginning of x, stacked",
        """
def repair_products(x):
    return torch.stack([x[:i + 1].prod() for i in range(len(x))])
""",
    ),
    (
        "08.repair_products",
        "wrong",
        "goes through logarithms, which fails (nan) for negative entries and for 0",
        """
def repair_products(x):
    return x.log().cumsum(0).exp()
""",
    ),
    (
        "08.repair_products",
        "wrong",
        "off by one: entry i is the product of the entries before i, without entry i",
        """
def repair_products(x):
    result = [torch.ones((), dtype=x.dtype)]
    for i in range(1, len(x)):
        result.append(result[i - 1] * x[i - 1])
    return torch.stack(result)
""",
    ),
    (
        "08.repair_products",
        "wrong",
        "the previous product is detached, so the gradient reaches only the last factor",
        """
def repair_products(x):
    result = [x[0]]
    for i in range(1, len(x)):
        result.append(result[-1].detach() * x[i])
    return torch.stack(result)
""",
    ),
    (
        "08.repair_products",
        "wrong",
        "torch.tensor makes a new tensor of the numbers, without a graph to x",
        """
def repair_products(x):
    result = [x[0].item()]
    for i in range(1, len(x)):
        result.append(result[-1] * x[i].item())
    return torch.tensor(result, dtype=x.dtype, requires_grad=True)
""",
    ),
    (
        "08.repair_products",
        "wrong",
        "returns a list of tensors instead of one tensor",
        """
def repair_products(x):
    products = [x[0]]
    for i in range(1, len(x)):
        products.append(products[i - 1] * x[i])
    return products
""",
    ),
    (
        "08.repair_step",
        "right",
        "backward first, then both changes",
        """
def repair_step(w):
    loss = (w**4 - w**2).sum()
    loss.backward()
    with torch.no_grad():
        w *= 0.9
        w -= 0.1 * w.grad
    return loss
""",
    ),
    (
        "08.repair_step",
        "right",
        "torch.autograd.grad and copy_",
        """
def repair_step(w):
    loss = (w**4 - w**2).sum()
    (g,) = torch.autograd.grad(loss, w)
    with torch.no_grad():
        w.copy_(0.9 * w - 0.1 * g)
    return loss.item()
""",
    ),
    (
        "08.repair_step",
        "right",
        "the gradient by hand, change through .data",
        """
def repair_step(w):
    with torch.no_grad():
        loss = (w**4 - w**2).sum()
        g = 4 * w**3 - 2 * w
    w.data.mul_(0.9).sub_(0.1 * g)
    return loss
""",
    ),
    (
        "08.repair_step",
        "right",
        "the loss from a clone, so that the decay may come first",
        """
def repair_step(w):
    loss = (w.clone() ** 4 - w.clone() ** 2).sum()
    with torch.no_grad():
        w *= 0.9
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    return loss.detach()
""",
    ),
    (
        "08.repair_step",
        "right",
        "torch.optim.SGD with weight_decay 1: w - 0.1 (g + w)",
        """
def repair_step(w):
    optimizer = torch.optim.SGD([w], lr=0.1, weight_decay=1.0)
    loss = (w**4 - w**2).sum()
    loss.backward()
    optimizer.step()
    return loss
""",
    ),
    (
        "08.repair_step",
        "wrong",
        "the decay comes after the step, so the step is made smaller too: 0.9 (w - 0.1 g)",
        """
def repair_step(w):
    loss = (w**4 - w**2).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        w *= 0.9
    return loss
""",
    ),
    (
        "08.repair_step",
        "wrong",
        "the gradient is computed at the decayed weights",
        """
def repair_step(w):
    loss = (w**4 - w**2).sum()
    with torch.no_grad():
        w *= 0.9
    (w**4 - w**2).sum().backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    return loss
""",
    ),
    (
        "08.repair_step",
        "wrong",
        "the decay goes through .data before backward: nothing raises, but the gradient is wrong",
        """
def repair_step(w):
    loss = (w**4 - w**2).sum()
    w.data *= 0.9
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    return loss
""",
    ),
    (
        "08.repair_step",
        "wrong",
        "returns the loss from after the step",
        """
def repair_step(w):
    loss = (w**4 - w**2).sum()
    loss.backward()
    with torch.no_grad():
        w *= 0.9
        w -= 0.1 * w.grad
    return (w**4 - w**2).sum()
""",
    ),
    (
        "08.repair_step",
        "wrong",
        "w is not changed in place: w = ... makes a new tensor",
        """
def repair_step(w):
    loss = (w**4 - w**2).sum()
    loss.backward()
    with torch.no_grad():
        w = 0.9 * w - 0.1 * w.grad
    return loss
""",
    ),
    (
        "08.repair_step",
        "wrong",
        "no weight decay",
        """
def repair_step(w):
    loss = (w**4 - w**2).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    return loss
""",
    ),
    (
        "08.repair_step",
        "wrong",
        "a step of size 1: the factor 0.1 is missing",
        """
def repair_step(w):
    loss = (w**4 - w**2).sum()
    loss.backward()
    with torch.no_grad():
        w *= 0.9
        w -= w.grad
    return loss
""",
    ),
    (
        "08.repair_step",
        "wrong",
        "goes with the gradient, not against it",
        """
def repair_step(w):
    loss = (w**4 - w**2).sum()
    loss.backward()
    with torch.no_grad():
        w *= 0.9
        w += 0.1 * w.grad
    return loss
""",
    ),
    (
        "08.repair_step",
        "wrong",
        "the mean instead of the sum",
        """
def repair_step(w):
    loss = (w**4 - w**2).mean()
    loss.backward()
    with torch.no_grad():
        w *= 0.9
        w -= 0.1 * w.grad
    return loss
""",
    ),
    (
        "08.repair_step",
        "wrong",
        "the loss is not returned",
        """
def repair_step(w):
    loss = (w**4 - w**2).sum()
    loss.backward()
    with torch.no_grad():
        w *= 0.9
        w -= 0.1 * w.grad
""",
    ),
    (
        "08.repair_step",
        "wrong",
        "the gradient by hand forgets the factor 2: 4 w^3 - w",
        """
def repair_step(w):
    with torch.no_grad():
        loss = (w**4 - w**2).sum()
        g = 4 * w**3 - w
        w.copy_(0.9 * w - 0.1 * g)
    return loss
""",
    ),
    (
        "08.repair_step",
        "wrong",
        "w *= 0.9 without no_grad: a leaf that requires grad is written to",
        """
def repair_step(w):
    loss = (w**4 - w**2).sum()
    loss.backward()
    w *= 0.9
    w -= 0.1 * w.grad
    return loss
""",
    ),
    (
        "08.repair_step",
        "wrong",
        "multiplies by 0.1 instead of 0.9: makes the weights smaller to, not by, a tenth",
        """
def repair_step(w):
    loss = (w**4 - w**2).sum()
    loss.backward()
    with torch.no_grad():
        w *= 0.1
        w -= 0.1 * w.grad
    return loss
""",
    ),
    (
        "08.repair_step",
        "wrong",
        "backward is called twice, so the gradient is doubled",
        """
def repair_step(w):
    loss = (w**4 - w**2).sum()
    loss.backward(retain_graph=True)
    loss.backward()
    with torch.no_grad():
        w *= 0.9
        w -= 0.1 * w.grad
    return loss
""",
    ),
    (
        "08.repair_step",
        "wrong",
        "returns one loss for each weight, not their sum",
        """
def repair_step(w):
    losses = w**4 - w**2
    losses.sum().backward()
    with torch.no_grad():
        w *= 0.9
        w -= 0.1 * w.grad
    return losses
""",
    ),
    (
        "08.repair_step",
        "wrong",
        "walks over range(len(w)): fails for a w without dimensions",
        """
def repair_step(w):
    loss = (w**4 - w**2).sum()
    loss.backward()
    with torch.no_grad():
        for i in range(len(w)):
            w[i] = 0.9 * w[i] - 0.1 * w.grad[i]
    return loss
""",
    ),
    (
        "08.repair_step",
        "wrong",
        "sums over dimension 0 only: backward fails for a w with two dimensions",
        """
def repair_step(w):
    loss = (w**4 - w**2).sum(0)
    loss.backward()
    with torch.no_grad():
        w *= 0.9
        w -= 0.1 * w.grad
    return loss
""",
    ),
    (
        "08.repair_step",
        "wrong",
        "the new weights are returned instead of the loss",
        """
def repair_step(w):
    loss = (w**4 - w**2).sum()
    loss.backward()
    with torch.no_grad():
        w *= 0.9
        w -= 0.1 * w.grad
    return w
""",
    ),
    (
        "08.repair_step",
        "wrong",
        "changes a detached clone, not w",
        """
def repair_step(w):
    loss = (w**4 - w**2).sum()
    loss.backward()
    new = w.detach().clone()
    new *= 0.9
    new -= 0.1 * w.grad
    return loss
""",
    ),
    (
        "08.repair_step",
        "wrong",
        "the weight decay is put into the loss (w^2/2 added): the step is right, but the returned loss is not L(w)",
        """
def repair_step(w):
    loss = (w**4 - w**2 + w**2 / 2).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    return loss
""",
    ),
    (
        "08.repair_step",
        "wrong",
        "the sign of the second term of the loss",
        """
def repair_step(w):
    loss = (w**4 + w**2).sum()
    loss.backward()
    with torch.no_grad():
        w *= 0.9
        w -= 0.1 * w.grad
    return loss
""",
    ),
    (
        "08.repair_step",
        "wrong",
        "w -= 0.1 is applied to the decayed gradient too: 0.9 w - 0.09 g",
        """
def repair_step(w):
    loss = (w**4 - w**2).sum()
    loss.backward()
    with torch.no_grad():
        w *= 0.9
        w -= 0.9 * 0.1 * w.grad
    return loss
""",
    ),
    (
        "08.repair_step",
        "wrong",
        "the step is detached too early: (w.detach()...) has no graph, backward raises",
        """
def repair_step(w):
    v = w.detach()
    loss = (v**4 - v**2).sum()
    loss.backward()
    with torch.no_grad():
        w *= 0.9
        w -= 0.1 * w.grad
    return loss
""",
    ),
    (
        "08.repair_step",
        "right",
        "lets the optimizer SGD take the step, with weight_decay 1 and lr 0.1",
        """
def repair_step(w):
    loss = (w**4 - w**2).sum()
    loss.backward()
    torch.optim.SGD([w], lr=0.1, weight_decay=1.0).step()
    return loss.detach()
""",
    ),
    (
        "08.repair_step",
        "wrong",
        "shrinks the weights through .data before backward: no error any more, but the gradient is taken at the changed weights",
        """
def repair_step(w):
    loss = (w**4 - w**2).sum()
    w.data *= 0.9
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    return loss.detach()
""",
    ),
    (
        "08.repair_step",
        "wrong",
        "decays after the gradient step, so the gradient's part is multiplied by 0.9 too",
        """
def repair_step(w):
    loss = (w**4 - w**2).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        w *= 0.9
    return loss.detach()
""",
    ),
    (
        "08.repair_step",
        "wrong",
        "binds the name w to a new tensor; the caller's w does not change",
        """
def repair_step(w):
    loss = (w**4 - w**2).sum()
    loss.backward()
    with torch.no_grad():
        w = 0.9 * w - 0.1 * w.grad
    return loss.detach()
""",
    ),
    (
        "08.repair_step",
        "wrong",
        "returns the loss after the step",
        """
def repair_step(w):
    loss = (w**4 - w**2).sum()
    g, = torch.autograd.grad(loss, w)
    with torch.no_grad():
        w.mul_(0.9).sub_(0.1 * g)
        return (w**4 - w**2).sum()
""",
    ),
    (
        "08.repair_step",
        "wrong",
        "forgets to return the loss",
        """
def repair_step(w):
    loss = (w**4 - w**2).sum()
    loss.backward()
    with torch.no_grad():
        w *= 0.9
        w -= 0.1 * w.grad
""",
    ),
]
