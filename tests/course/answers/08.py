"""Answers to notebook 08: see tests/course/table.py."""

# %% 08.predict_in_place_errors right: word by word
def predict_in_place_errors():
    return {"A": "saved", "B": "fine", "C": "leaf", "D": "fine", "E": "saved", "F": "wrong", "G": "saved", "H": "saved"}

# %% 08.predict_in_place_errors right: by exceptions
def predict_in_place_errors():
    outcomes = dict.fromkeys("HGFEDCBA", "saved")
    outcomes.update(B="fine", D="fine", C="leaf", F="wrong")
    print(outcomes)
    return outcomes

# %% 08.predict_in_place_errors right: by words
def predict_in_place_errors():
    words = {"saved": "AEGH", "fine": "BD", "leaf": "C", "wrong": "F"}
    return {letter: word for word, letters in words.items() for letter in letters}

# %% 08.predict_in_place_errors right: a dict literal
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

# %% 08.predict_in_place_errors right: dict(zip(...)) over letters and words
def predict_in_place_errors():
    words = "saved fine leaf fine saved wrong saved saved".split()
    return dict(zip("ABCDEFGH", words))

# %% 08.predict_in_place_errors right: everything is saved by default, then corrected
def predict_in_place_errors():
    prediction = dict.fromkeys("HGFEDCBA", "saved")
    prediction.update(B="fine", D="fine", C="leaf", F="wrong")
    return prediction

# %% 08.predict_in_place_errors right: grouped by word and turned around
def predict_in_place_errors():
    groups = {"saved": "AEGH", "fine": "BD", "leaf": "C", "wrong": "F"}
    return {letter: word for word, letters in groups.items() for letter in letters}

# %% 08.predict_in_place_errors right: builds the dict from the words, each with its letters
def predict_in_place_errors():
    groups = {"saved": "AEGH", "fine": "BD", "leaf": "C", "wrong": "F"}
    return {letter: word for word, letters in groups.items() for letter in letters}

# %% 08.predict_in_place_errors wrong: A: tanh saves its result, and y += 1 changes it
expect("known", "the local slope of tanh is 1 minus the square of its result, so its node saves the")
edit('"saved", "B', '"fine", "B', of="word by word")

# %% 08.predict_in_place_errors wrong: A: the changed result is noticed, the gradient is not silently wrong
expect("known", "in A, the version counter counts the change: does backward run through and give a")
edit('"saved", "B', '"wrong", "B', of="word by word")

# %% 08.predict_in_place_errors wrong: B: exp saves its result z, not its input y; changing y is fine
expect("known", "a node saves what its local slope is computed from")
edit('"fine", "C', '"saved", "C', of="word by word")

# %% 08.predict_in_place_errors wrong: B: nothing that is needed changes, so the gradient is right
expect("known", "in B, no value changes after it was saved for backward, so the gradient is that of the")
edit('"fine", "C', '"wrong", "C', of="word by word")

# %% 08.predict_in_place_errors wrong: C: a view of a leaf has the memory of the leaf, so zero_ raises at once
expect("known", "in C, `first` is a view: writing to it writes to x itself, and autograd is recording")
edit('"leaf"', '"fine"', of="word by word")

# %% 08.predict_in_place_errors wrong: C: it raises at once at zero_, not in backward
expect("known", "in C, no node has saved a value when `first` is written to")
edit('"leaf"', '"saved"', of="word by word")

# %% 08.predict_in_place_errors wrong: D: in no_grad a leaf may be changed
expect("known", "in D, the change is not recorded, and nothing was computed from x before it")
edit('"fine", "E', '"leaf", "E', of="word by word")

# %% 08.predict_in_place_errors wrong: D: the loss is computed after the change, from the new x, so the gradient is right
expect("known", "in D, no value changes after it was saved for backward, so the gradient is that of the")
edit('"fine", "E', '"wrong", "E', of="word by word")

# %% 08.predict_in_place_errors wrong: D: the square saves x after the change
expect("known", "in D, the square is computed after the change, so the value that it saves does not")
edit('"fine", "E', '"saved", "E', of="word by word")

# %% 08.predict_in_place_errors wrong: E: no_grad allows the change, but x was saved for backward
expect("known", "`no_grad` keeps a change out of the graph, but the version counter still counts it")
edit('"saved", "F', '"fine", "F', of="word by word")

# %% 08.predict_in_place_errors wrong: E: the change is noticed by its version; only .data hides it
expect("known", "in E, the version counter counts the change: does backward run through and give a")
edit('"saved", "F', '"wrong", "F', of="word by word")

# %% 08.predict_in_place_errors wrong: E: in no_grad the leaf may be written to; the error comes in backward
expect("known", "in E, x is a leaf, but its change is not recorded, so the line that changes it does not")
edit('"saved", "F', '"leaf", "F', of="word by word")

# %% 08.predict_in_place_errors wrong: F: a change through .data is not noticed, so the gradient is silently wrong
expect("known", "the version counter does not count a change through `.data`, so backward cannot notice")
edit('"wrong"', '"saved"', of="word by word")

# %% 08.predict_in_place_errors wrong: F: backward uses the changed x, so the gradient is not right
expect("known", "in F, the local slope of the square is computed from x as it is when backward runs: is")
edit('"wrong"', '"fine"', of="word by word")

# %% 08.predict_in_place_errors wrong: G: y[2:] is a view, changing it changes the saved result of exp
expect("known", "in G, `last` is a view: it shares its memory and its version counter with y")
edit('"saved", "H', '"fine", "H', of="word by word")

# %% 08.predict_in_place_errors wrong: G: the view shares the version counter, so backward raises
expect("known", "in G, the version counter counts the change: does backward run through and give a")
edit('"saved", "H', '"wrong", "H', of="word by word")

# %% 08.predict_in_place_errors wrong: H: detach() shares memory and version counter, unlike .data: backward raises
expect("known", "`detach` and `.data` both share the memory, but only one of them shares the version")
edit('"H": "saved",  # detach shares the version counter', '"H": "wrong"  # detach shares the version counter')

# %% 08.predict_in_place_errors wrong: H: detach() is not a copy
expect("known", "in H, `detach` gives another tensor with the same memory and the same version counter")
edit('"H": "saved",  # detach shares the version counter', '"H": "fine"  # detach shares the version counter')

# %% 08.predict_in_place_errors wrong: H: the detached tensor is no leaf that requires grad, so the line itself does not raise
expect("known", "in H, x is a leaf, but its change is not recorded, so the line that changes it does not")
edit('"H": "saved",  # detach shares the version counter', '"H": "leaf"  # detach shares the version counter')

# %% 08.predict_in_place_errors wrong: the entry for H is missing
expect("keys", "there is no entry for 'H'")
edit('"saved",  # a view of y\n        "H": "saved",', '"saved"')

# %% 08.predict_in_place_errors wrong: returns a list of words, not a dict
expect("type", "the result is a list of 8 entries, it must be a dict")
def predict_in_place_errors():
    return ["saved", "fine", "leaf", "fine", "saved", "wrong", "saved", "saved"]

# %% 08.predict_in_place_errors wrong: the dict is not returned
expect("no_result", "it returns None: is there a `return`? Only the value that stands after it is returned")
edit("return", "prediction =", of="word by word")

# %% 08.predict_in_place_errors wrong: another word
expect("other_word", "the entry of A is 'error'; use one of these words: 'fine', 'leaf'")
edit('"A": "saved"', '"A": "error"')

# %% 08.predict_in_place_errors wrong: all in place is forbidden
expect("known", "Look again at B")
edit('"B": "fine"', '"B": "saved"', '"D": "fine"', '"D": "leaf"')

# %% 08.repair_centre right: one expression
def repair_centre(x):
    return (x - x.mean()) ** 2

# %% 08.repair_centre right: on a clone
def repair_centre(x):
    copy = x.clone()
    copy -= x.mean()
    return copy * copy

# %% 08.repair_centre right: in place where it is allowed
def repair_centre(x):
    assert x.is_leaf
    y = x * 1
    y.sub_(x.sum() / len(x))
    return y.pow(2)

# %% 08.repair_centre right: multiplied out
def repair_centre(x):
    m = x.mean()
    print(m)
    return x * x - 2 * m * x + m * m

# %% 08.repair_centre right: by a matrix
def repair_centre(x):
    n = len(x)
    centring = torch.eye(n, dtype=x.dtype) - torch.full((n, n), 1 / n, dtype=x.dtype)
    return torch.square(centring @ x)

# %% 08.repair_centre right: entry by entry
def repair_centre(x):
    return torch.stack([(entry - x.mean()) ** 2 for entry in x])

# %% 08.repair_centre right: out of place
def repair_centre(x):
    y = x - x.mean()
    result = y * y
    return result

# %% 08.repair_centre right: in place on a clone
def repair_centre(x):
    y = x.clone()
    y -= x.mean()
    return y**2

# %% 08.repair_centre right: multiplies with the centring matrix
def repair_centre(x):
    n = len(x)
    matrix = torch.eye(n, dtype=x.dtype) - torch.ones(n, n, dtype=x.dtype) / n
    return (matrix @ x) ** 2

# %% 08.repair_centre right: one entry at a time, stacked
def repair_centre(x):
    total = 0
    for entry in x:
        total = total + entry
    m = total / len(x)
    return torch.stack([(m - entry) * (m - entry) for entry in x])

# %% 08.repair_centre right: multiplies x by the centring matrix (identity minus 1/n) and squares
def repair_centre(x):
    n = len(x)
    C = torch.eye(n, dtype=x.dtype) - torch.ones(n, n, dtype=x.dtype) / n
    return (C @ x).square()

# %% 08.repair_centre wrong: the mean is detached, so the gradient lacks the part that goes through the mean
expect("known", "the gradient treats the mean as a constant, but it depends on every entry of x")
edit("centred = x - x.mean()", "centred = x - x.mean().detach()")

# %% 08.repair_centre wrong: works on x.detach(): the result has no graph
expect("known", "no gradient reaches x: the result has no graph that leads back to x")
edit("copy = x.clone()", "copy = x.detach().clone()", "copy -= x.mean()", "copy -= copy.mean()", of="on a clone")

# %% 08.repair_centre wrong: x is changed through .data
expect("argument_changed", "the gradient treats the mean as a constant, but it depends on every entry of x")
edit("\n    centred = x - x", "\n    x.data -= x.data", "return centred * centred", "return x * x")

# %% 08.repair_centre wrong: x.detach() is no copy, so x itself is changed
expect("argument_changed", "the argument x is changed by the call: work on a copy of it")
edit("copy = x.clone()", "copy = x.detach()",
     "copy -= x.mean()", "copy -= copy.mean()\n    copy = x - x.mean()", of="on a clone")

# %% 08.repair_centre wrong: not squared
expect("known", "the square of each distance: this step is left out")
def repair_centre(x):
    return x - x.mean()

# %% 08.repair_centre wrong: absolute distances, not squared ones
expect("known", "these are the sizes of the distances: they are not squared")
def repair_centre(x):
    return (x - x.mean()).abs()

# %% 08.repair_centre wrong: returns the mean of the squared distances (the variance), not each of them
expect("known", "this is one number, the mean of all results")
edit("return centred * centred", "return (centred * centred).mean()")

# %% 08.repair_centre wrong: x^2 - m^2 is not (x - m)^2
expect("known", "x and the mean are squared too early: first comes the distance, then the square")
edit("centred = x - x.mean()", "centred = x.mean()", "return centred * centred", "return x ** 2 - centred ** 2")

# %% 08.repair_centre wrong: x_i * (x_i - m): only one of the factors is centred
expect("known", "only one of the two factors is a distance from the mean: the other is x")
def repair_centre(x):
    return x * (x - x.mean())

# %% 08.repair_centre wrong: divides by n - 1 for the mean
expect("known", "the number of entries: it is 1 too small")
edit("centred = x - x.mean()", "m = x.sum() / (len(x) - 1)", "return centred * centred", "return (x - m) ** 2")

# %% 08.repair_centre wrong: the sum instead of the mean
expect("known", "the mean: it is not divided by the number of entries")
def repair_centre(x):
    return (x - x.sum()) ** 2

# %% 08.repair_centre wrong: divides by 3 as in the example, whatever the length
expect("known", "the sum is always divided by 3, but x can have another number of entries")
edit("centred = x - x.mean()", "centred = x.sum() / 3", "return centred * centred", "return (x - centred) ** 2")

# %% 08.repair_centre wrong: the median instead of the mean
expect("known", "the median is subtracted, but it must be the mean")
def repair_centre(x):
    return (x - x.median()) ** 2

# %% 08.repair_centre wrong: still writes to the leaf: x -= ... raises
expect("raised", "`x -= x.mean()` raised RuntimeError")
edit("def repair_centre(x):\n    y = x - x.mean()", "def repair_centre(x):\n    x -= x.mean()", of="out of place")

# %% 08.repair_centre wrong: centre forgotten
expect("known", "the distances from the mean: the mean is left out")
def repair_centre(x):
    return x * x

# %% 08.repair_centre wrong: centre one factor detached
expect("factor", "the gradient that x gets is right but for a factor: half of what it")
edit("return centred * centred", "return centred * centred.detach()")

# %% 08.repair_centre wrong: centre one mean detached
expect("wrong_value", "the gradient that x gets is [")
def repair_centre(x):
    return (x - x.mean()) * (x - x.mean().detach())

# %% 08.repair_centre wrong: returns a tuple
expect("type", "the result is a list or tuple of 2 entries, it must be a tensor", never=("result['value']",))
edit("return centred * centred", "return centred * centred, centred")

# %% 08.repair_centre wrong: prints
expect("no_result", "it prints something, but it returns None", never=("`.grad`", "backward()", "list.sort()"))
edit("return centred * centred", "print(centred * centred)")

# %% 08.repair_centre wrong: a loop takes the mean anew after each entry was changed
expect("known", "the mean is taken again after each entry has changed: take it once, from x as it is")
def repair_centre(x):
    y = x.clone()
    for i in range(len(y)):
        y[i] = y[i] - y.mean()
    return y * y

# %% 08.repair_threshold right: by where
def repair_threshold(x):
    y = torch.tanh(x)
    return torch.where(y < 0.5, torch.zeros_like(y), y)

# %% 08.repair_threshold right: by a mask
def repair_threshold(x):
    y = x.tanh()
    return y * (y >= 0.5)

# %% 08.repair_threshold right: filled
def repair_threshold(x):
    y = x.tanh()
    return y.masked_fill(y < 0.5, 0.0)

# %% 08.repair_threshold right: into zeros
def repair_threshold(x):
    y = x.tanh()
    result = torch.zeros(len(x), dtype=x.dtype)
    keep = y.detach() >= 0.5
    result[keep] = y[keep]
    return result

# %% 08.repair_threshold right: compared with artanh
def repair_threshold(x):
    return torch.where(x >= 0.5493061443340549, x.tanh(), torch.zeros(len(x), dtype=x.dtype))

# %% 08.repair_threshold right: one by one
def repair_threshold(x):
    zero = torch.zeros((), dtype=x.dtype)
    return torch.stack([y if y.item() >= 0.5 else zero for y in x.tanh()])

# %% 08.repair_threshold right: torch.where
def repair_threshold(x):
    y = x.tanh()
    return torch.where(y >= 0.5, y, torch.zeros_like(y))

# %% 08.repair_threshold right: in place on a clone
def repair_threshold(x):
    y = x.tanh()
    result = y.clone()
    result[y < 0.5] = 0
    return result

# %% 08.repair_threshold right: times a mask of 0 and 1
def repair_threshold(x):
    y = torch.tanh(x)
    keep = (y.detach() >= 0.5).to(x.dtype)
    return keep * y

# %% 08.repair_threshold right: masked_fill
def repair_threshold(x):
    y = x.tanh()
    return y.masked_fill(y < 0.5, 0.0)

# %% 08.repair_threshold right: one entry at a time, stacked; Python's if
def repair_threshold(x):
    entries = []
    for entry in x:
        value = entry.tanh()
        entries.append(value if value.item() >= 0.5 else torch.zeros_like(value))
    return torch.stack(entries)

# %% 08.repair_threshold right: multiplies the tanh by a mask of ones and zeros
def repair_threshold(x):
    y = torch.tanh(x)
    keep = torch.ge(y.detach(), 0.5).to(x.dtype)
    return y.mul(keep)

# %% 08.repair_threshold accepted: > instead of >=: a tanh of exactly 0.5 is replaced: tanh x is exactly 0.5 for one float at most, by the last digit of a library
def repair_threshold(x):
    y = x.tanh()
    return torch.where(y > 0.5, y, torch.zeros_like(y))

# %% 08.repair_threshold wrong: the threshold is applied to x, not to tanh x
expect("known", "the test whether an entry is replaced: `x` stands in the place of tanh x")
edit("return y * (y >= 0.5)", "return torch.where(x >= 0.5, y, torch.zeros_like(y))", of="by a mask")

# %% 08.repair_threshold wrong: 0.5 instead of 0 in place of what is below (clamp)
expect("known", "what stands in the place of the other entries: it is 0.5 in yours")
def repair_threshold(x):
    return x.tanh().clamp(min=0.5)

# %% 08.repair_threshold wrong: relu(tanh - 0.5) is not shifted back: what is above the threshold is too small by 0.5
expect("known", "the entries that are kept are tanh x - 0.5, but they must be tanh x")
def repair_threshold(x):
    return torch.relu(x.tanh() - 0.5)

# %% 08.repair_threshold wrong: keeps negative entries too: compares the absolute value of tanh with 0.5
expect("known", "large negative entries are kept: they are below 0.5 too, so they must be 0")
edit("return y.masked_fill(y < 0.5, 0.0)", "return torch.where(y.abs() < 0.5, torch.zeros_like(y), y)", of="filled")

# %% 08.repair_threshold wrong: the result is detached: no graph
expect("known", "no gradient reaches x: the result has no graph that leads back to x")
edit("y = x.tanh()", "y = x.tanh().detach()\n    y[y < 0.5] = 0", of="by a mask")

# %% 08.repair_threshold wrong: the sum instead of the vector is returned
expect("wrong_shape", "the result has shape")
edit("return y * (y >= 0.5)", "return torch.where(y >= 0.5, y, torch.zeros_like(y)).sum()", of="by a mask")

# %% 08.repair_threshold wrong: where's two values are swapped
expect("known", "the test is the wrong way round: each tanh above 0.5 is replaced by 0")
edit("return y * (y >= 0.5)", "return torch.where(y >= 0.5, torch.zeros_like(y), y)", of="by a mask")

# %% 08.repair_threshold wrong: entries that are replaced still get a gradient
expect("known", "the entries that were set to 0 get a gradient as if they depended on x")
edit("return y * (y >= 0.5)", "return y - (y * (y < 0.5)).detach()", of="by a mask")

# %% 08.repair_threshold wrong: x is changed in no_grad before the tanh
expect("argument_changed", "the entries that were set to 0 get the slope 1, the slope of tanh if its result is 0")
edit("y = x.tanh()", "with torch.no_grad():\n        x[x.tanh() < 0.5] = 0",
     "return y * (y >= 0.5)", "return x.tanh()", of="by a mask")

# %% 08.repair_threshold wrong: the threshold is 0, as in relu
expect("known", "each tanh below 0 is replaced by 0: use the threshold of the statement")
edit("return y * (y >= 0.5)", "return torch.where(y >= 0, y, torch.zeros_like(y))", of="by a mask")

# %% 08.repair_threshold wrong: what is kept is x, not its tanh
expect("known", "the entries that are kept: it is `x` in yours")
edit("return y * (y >= 0.5)", "return torch.where(y >= 0.5, x, torch.zeros_like(x))", of="by a mask")

# %% 08.repair_threshold wrong: returns the mask
expect("known", "no gradient reaches x: the result has no graph that leads back to x",
       "these are 1 where tanh x is kept: the result must hold tanh x there")
edit("return y * (y >= 0.5)", "return (y >= 0.5).to(x.dtype)", of="by a mask")

# %% 08.repair_threshold wrong: y.detach() shares the memory, so the saved result is still changed: backward raises
expect("raised", "no line of yours is running then")
edit("result = y.clone()", "result = y.detach()", "return result", "return y")

# %% 08.repair_threshold wrong: the first entry below the threshold ends the loop, what follows stays 0
expect("known", "every entry after the first one below 0.5 is 0 too: each entry must be compared")
edit("result = y.clone()",
     "result = []\n    for value in y:\n        if value < 0.5:\n            break\n        result.append(value)",
     "result[y < 0.5] = 0", "result += [torch.zeros_like(y[0])] * (len(x) - len(result))",
     "return result", "return torch.stack(result)")

# %% 08.repair_threshold wrong: not returned
expect("no_result", "it returns None: is there a `return`? Only the value that stands after it is returned")
edit("return y * (y >= 0.5)", "result = torch.where(y >= 0.5, y, torch.zeros_like(y))", of="by a mask")

# %% 08.repair_threshold wrong: threshold of detached tanh
expect("some_entries", "the gradient that x gets is wrong only in entry [0]")
def repair_threshold(x):
    y = x.detach().tanh()
    return torch.where(y < 0.5, 0 * x, x + (y - x.detach()))

# %% 08.repair_threshold wrong: masked_fill of a copy
expect("known", "nothing is replaced by 0", never=("were set to 0",))
edit("return y * (y >= 0.5)", "return y", of="by a mask")

# %% 08.repair_threshold wrong: zeros with another slope
expect("known", "the entries that were set to 0 get the slope 1", "as if the change was hidden", never=("autograd;",))
edit("return y.masked_fill(y < 0.5, 0.0)", "return torch.where(y < 0.5, x - x.detach(), y)", of="filled")

# %% 08.repair_threshold wrong: a mask that can be -1
expect("known", "each tanh below -0.5 comes back without its sign: it must be 0", never=("both entries",))
edit("result = y.clone()\n    result[y < 0.5] = 0\n    return result", "result = y.clone()\n    return y * result",
     "result = y.clone()", "result = y.detach().round()")

# %% 08.repair_products right: copies saved
def repair_products(x):
    products = torch.zeros(len(x), dtype=x.dtype)
    products[0] = x[0]
    for i in range(1, len(x)):
        products[i] = products[i - 1].clone() * x[i]
    return products

# %% 08.repair_products right: running
def repair_products(x):
    product, products = torch.ones((), dtype=x.dtype), []
    for factor in x:
        product = product * factor
        products += [product]
    assert len(products) == len(x)
    return torch.stack(products)

# %% 08.repair_products right: joined
def repair_products(x):
    products = x[:1]
    for i in range(1, len(x)):
        products = torch.cat((products, products[-1:] * x[i : i + 1]))
    return products

# %% 08.repair_products right: each by itself
def repair_products(x):
    return torch.stack([x[: i + 1].prod() for i in range(len(x))])

# %% 08.repair_products right: ready made
def repair_products(x):
    return torch.cumprod(x, dim=0)

# %% 08.repair_products right: by a triangle
def repair_products(x):
    below = torch.tril(torch.ones(len(x), len(x), dtype=x.dtype))
    return (below * x + (1 - below)).prod(dim=1)

# %% 08.repair_products right: a list of products, stacked
def repair_products(x):
    products = [x[0]]
    for i in range(1, len(x)):
        products.append(products[-1] * x[i])
    return torch.stack(products)

# %% 08.repair_products right: cumprod
def repair_products(x):
    return x.cumprod(0)

# %% 08.repair_products right: the factor is a clone, so filling the table does not change it
def repair_products(x):
    products = torch.zeros(len(x), dtype=x.dtype)
    products[0] = x[0]
    for i in range(1, len(x)):
        products[i] = products[i - 1].clone() * x[i]
    return products

# %% 08.repair_products right: itertools.accumulate
def repair_products(x):
    import itertools
    import operator
    return torch.stack(list(itertools.accumulate(x, operator.mul)))

# %% 08.repair_products right: grows a vector with cat
def repair_products(x):
    result = x[:1]
    for i in range(1, len(x)):
        result = torch.cat([result, result[-1:] * x[i : i + 1]])
    return result

# %% 08.repair_products right: the product of each beginning of x, stacked
def repair_products(x):
    return torch.stack([x[:i + 1].prod() for i in range(len(x))])

# %% 08.repair_products wrong: the running sum
expect("known", "these are running sums, not products")
def repair_products(x):
    return x.cumsum(0)

# %% 08.repair_products wrong: goes through logarithms, which fails (nan) for negative entries and for 0
expect("nan", "the result has NaN in entry [2] (x is")
def repair_products(x):
    return x.log().cumsum(0).exp()

# %% 08.repair_products wrong: exp of the sum of logs of abs: the signs are lost
expect("known", "the signs are lost, as in the exp of a sum of log |x|")
def repair_products(x):
    return x.abs().log().cumsum(0).exp()

# %% 08.repair_products wrong: the previous product is detached: nothing raises, but the gradient of the earlier factors is lost
expect("known", "each product treats the product before it as a constant, but that product depends on")
edit("products[i] = products[i - 1].clone() * x[i]", "products[i] = products[i - 1].detach().clone() * x[i]",
     of="copies saved")

# %% 08.repair_products wrong: a tensor of numbers: no graph
expect("known", "no gradient reaches x: the result has no graph that leads back to x")
edit("return torch.stack(products)", "return torch.tensor(products, dtype=x.dtype)", of="a list of")

# %% 08.repair_products wrong: a list of tensors, not a tensor
expect("type", "the result is a list or tuple of 2 entries, it must be a tensor of shape")
edit("return torch.stack(products)", "return products", of="a list of")

# %% 08.repair_products wrong: the last entry is missing: range(1, len(x) - 1)
expect("known", "the entries after the first one: the last one is left out")
edit("for i in range(1, len(x)):", "for i in range(1, len(x) - 1):", of="a list of")

# %% 08.repair_products wrong: the first entry comes in twice: the loop begins at 0
expect("known", "the first entry is multiplied in twice")
edit("for i in range(1, len(x)):", "for i in range( len(x)):",
     "return torch.stack(products)", "return torch.stack(products[1:])", of="a list of")

# %% 08.repair_products wrong: off by one: entry i is the product of the entries before i, without entry i
expect("known", "the products begin with 1 and end before the last entry")
edit("products = [x[0]]", "products = [torch.ones((), dtype=x.dtype)]",
     "products.append(products[i - 1] * x[i])", "products.append(products[i - 1] * x[i - 1])")

# %% 08.repair_products wrong: begins with 0, so every product is 0
expect("known", "the products begin with 0, so all of them are 0")
edit("product, products = torch.ones((), dtype=x.dtype), []", "product = torch.zeros_like(x[0])\n    products = []",
     of="running")

# %% 08.repair_products wrong: one result too many: the 1 at the beginning stays in the list
expect("known", "there is one product too many, before the first entry")
edit("products = [x[0]]", "products = [torch.ones_like(x[0])]",
     "for i in range(1, len(x)):", "for i in x:",
     "products.append(products[-1] * x[i])", "products.append(products[-1] * i)", of="a list of")

# %% 08.repair_products wrong: the product of two neighbours only
expect("known", "these are the products of two neighbours")
def repair_products(x):
    return torch.cat([x[:1], x[:-1] * x[1:]])

# %% 08.repair_products wrong: only the product of all entries
expect("known", "only the last product is there: the result must hold all of them")
def repair_products(x):
    return x.prod()

# %% 08.repair_products wrong: products from the end: of the last i + 1 entries
expect("known", "the products begin with the last entry: begin with the first one")
def repair_products(x):
    return x.flip(0).cumprod(0)

# %% 08.repair_products wrong: product *= entry changes the tensor that is in the list: all entries are the same (or backward raises)
expect("known", "the product of all entries stands everywhere")
edit("products = [x[0]]", "product = x[0].clone()\n    products = [product]",
     "\n        products.append(products[i - 1] * x[i]", "\n        product *= x[i]\n        products.append(product")

# %% 08.repair_products wrong: the cumprod is written into x: x is changed
expect("argument_changed", "the argument x is changed by the call: work on a copy of it")
edit("return x.cumprod(0)", "result = x.cumprod(0)\n    x.data[:] = result.data\n    return result", of="cumprod")

# %% 08.repair_products wrong: not returned
expect("no_result", "it returns None: is there a `return`? Only the value that stands after it is returned")
edit("return torch.stack(products)", "result = torch.stack(products)", of="a list of")

# %% 08.repair_products wrong: powers of the entry instead of products: x_i ** (i + 1)
expect("known", "these are powers of each entry alone")
def repair_products(x):
    return torch.stack([x[i] ** (i + 1) for i in range(len(x))])

# %% 08.repair_products wrong: products as given
expect("raised", "no line of yours is running then")
edit("products[i] = products[i - 1].clone() * x[i]", "products[i] = products[i - 1] * x[i]", of="copies saved")

# %% 08.repair_products wrong: products without first
expect("wrong_shape", "the result has shape (1,), it must have (2,)")
edit("return torch.stack(products)", "return torch.stack(products[1:])")

# %% 08.repair_products wrong: products into x
expect("raised", "a leaf Variable")
edit("\n        products.append(products[-1] * x[i])", "\n        x[i] *= x[i - 1]", of="a list of")

# %% 08.repair_products wrong: products through data
expect("wrong_value", "the gradient that x gets is [")
edit("products[i] = products[i - 1].clone() * x[i]", "products.data[i] = (products[i - 1] * x[i]).data",
     of="copies saved")

# %% 08.repair_products wrong: products factors detached
expect("some_entries", "the gradient that x gets is wrong only in entry [1]")
edit("products[i] = products[i - 1].clone() * x[i]", "products[i] = products[i - 1].clone() * x[i].detach()",
     of="copies saved")

# %% 08.repair_products wrong: return inside the loop
expect("known", "only the first product is there: does `return` stand inside the loop?",
       never=("sends a gradient", "past autograd"))
edit("+= [product]\n    assert len(products) == len(x)\n    return", ".append(product)\n        return", of="running")

# %% 08.repair_step right: in one go
def repair_step(w):
    loss = (w**4 - w**2).sum()
    loss.backward()
    with torch.no_grad():
        w.copy_(0.9 * w - 0.1 * w.grad)
    return loss

# %% 08.repair_step right: gradient by call
def repair_step(w):
    loss = w.pow(4).sub(w * w).sum()
    (slope,) = torch.autograd.grad(loss, w)
    with torch.no_grad():
        w.mul_(0.9).sub_(slope, alpha=0.1)
    print(loss.item())
    return loss.item()

# %% 08.repair_step right: through detach
def repair_step(w):
    loss = (w**4).sum() - (w**2).sum()
    loss.backward()
    values = w.detach()
    values *= 0.9
    values -= w.grad / 10
    return loss.detach()

# %% 08.repair_step right: on a copy
def repair_step(w):
    copy = w.clone()
    loss = (copy**4 - copy**2).sum()
    with torch.no_grad():
        w *= 0.9
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    return loss

# %% 08.repair_step right: gradient by hand
def repair_step(w):
    with torch.no_grad():
        loss = (w**4 - w**2).sum()
        w.copy_(0.9 * w - 0.1 * (4 * w**3 - 2 * w))
    return loss

# %% 08.repair_step right: decay as part of the step
def repair_step(w):
    loss = (w**4 - w**2).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * (w + w.grad)
    w.grad = None
    return loss.reshape(1)

# %% 08.repair_step right: backward first, then both changes
def repair_step(w):
    loss = (w**4 - w**2).sum()
    loss.backward()
    with torch.no_grad():
        w *= 0.9
        w -= 0.1 * w.grad
    return loss

# %% 08.repair_step right: torch.autograd.grad and copy_
def repair_step(w):
    loss = (w**4 - w**2).sum()
    (g,) = torch.autograd.grad(loss, w)
    with torch.no_grad():
        w.copy_(0.9 * w - 0.1 * g)
    return loss.item()

# %% 08.repair_step right: the gradient by hand, change through .data
def repair_step(w):
    with torch.no_grad():
        loss = (w**4 - w**2).sum()
        g = 4 * w**3 - 2 * w
    w.data.mul_(0.9).sub_(0.1 * g)
    return loss

# %% 08.repair_step right: the loss from a clone, so that the decay may come first
def repair_step(w):
    loss = (w.clone() ** 4 - w.clone() ** 2).sum()
    with torch.no_grad():
        w *= 0.9
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    return loss.detach()

# %% 08.repair_step right: torch.optim.SGD with weight_decay 1: w - 0.1 (g + w)
def repair_step(w):
    optimizer = torch.optim.SGD([w], lr=0.1, weight_decay=1.0)
    loss = (w**4 - w**2).sum()
    loss.backward()
    optimizer.step()
    return loss

# %% 08.repair_step right: lets the optimizer SGD take the step, with weight_decay 1 and lr 0.1
def repair_step(w):
    loss = (w**4 - w**2).sum()
    loss.backward()
    torch.optim.SGD([w], lr=0.1, weight_decay=1.0).step()
    return loss.detach()

# %% 08.repair_step wrong: the gradient is computed at the decayed weights
expect("known", "the step is taken with the gradient at the smaller weights: use the weights as they")
edit("loss.backward()", "with torch.no_grad():\n        w *= 0.9\n    (w**4 - w**2).sum().backward()",
     "w *= 0.9\n        w -= 0.1 * w.grad", "w -= 0.1 * w.grad")

# %% 08.repair_step wrong: returns the loss from after the step
expect("known", "this is the loss of the weights after the step: use the weights as they were given")
edit("return loss", "return (w**4 - w**2).sum()")

# %% 08.repair_step wrong: binds the name w to a new tensor; the caller's w does not change
expect("known", "the caller's w has not changed")
edit("w *= 0.9\n        w -= 0.1 * w.grad", "w *= 0.9* w - 0.1 * w.grad", "w *= 0.9", "w = 0.9")

# %% 08.repair_step wrong: no weight decay
expect("known", "the weights after the decay: 0.9 is left out")
edit("w *= 0.9\n        w -= 0.1 * w.grad", "w -= 0.1 * w.grad")

# %% 08.repair_step wrong: a step of size 1: the factor 0.1 is missing
expect("known", "the step: 0.1 is left out")
edit("w -= 0.1 * w.grad", "w -= w.grad")

# %% 08.repair_step wrong: goes with the gradient, not against it
expect("known", "the new weights: the step is added, not subtracted")
edit("w -= 0.1 * w.grad", "w += 0.1 * w.grad")

# %% 08.repair_step wrong: the mean instead of the sum
expect("known", "the step: it is also divided by the number of entries of `w`")
edit("loss = (w**4 - w**2).sum()", "loss = (w**4 - w**2).mean()")

# %% 08.repair_step wrong: forgets to return the loss
expect("no_result", "it returns None: is there a `return`? Only the value that stands after it is returned")
edit("w -= 0.1 * w.grad\n    return loss", "w -= 0.1 * w.grad")

# %% 08.repair_step wrong: multiplies by 0.1 instead of 0.9: makes the weights smaller to, not by, a tenth
expect("known", "the weights are made smaller to a tenth, not by a tenth")
edit("w *= 0.9", "w *= 0.1")

# %% 08.repair_step wrong: backward is called twice, so the gradient is doubled
expect("known", "the step: it comes out as with 0.2 where another number must stand")
edit("loss = (w**4 - w**2).sum()", "loss = (w**4 - w**2).sum()\n    loss.backward(retain_graph=True)")

# %% 08.repair_step wrong: returns one loss for each weight, not their sum
expect("known", "the loss: the sum is left out")
edit("loss = (w**4 - w**2).sum()\n    loss.backward()", "loss = w**4 - w**2\n    loss.sum().backward()")

# %% 08.repair_step wrong: sums over dimension 0 only: backward fails for a w with two dimensions
expect("raises_for_some", "`loss.backward()` raised RuntimeError")
edit("loss = (w**4 - w**2).sum()", "loss = (w**4 - w**2).sum(0)")

# %% 08.repair_step wrong: the new weights are returned instead of the loss
expect("known", "the new weights are returned, but it must be the loss")
edit("return loss", "return w")

# %% 08.repair_step wrong: the weight decay is put into the loss (w^2/2 added): the step is right, but the returned loss is not L(w)
expect("known", "half of w**2 is added to the loss, as if the decay were a part of it")
edit("loss = (w**4 - w**2).sum()", "loss = (w**4 - w**2 + w**2 /2).sum()",
     "w *= 0.9\n        w -= 0.1 * w.grad", "w -= 0.1 * w.grad")

# %% 08.repair_step wrong: the sign of the second term of the loss
expect("known", "the gradient of the loss and the loss: a term is added, not subtracted")
edit("loss = (w**4 - w**2).sum()", "loss = (w**4 + w**2).sum()")

# %% 08.repair_step wrong: The decay is moved before the loss, so the loss and its gradient are those at the weights after the decay instead of as they were given
expect("known", "the step is taken with the gradient at the smaller weights: use the weights as they",
       "this is the loss of the weights after the decay: use the weights as they were given")
edit("def repair_step(w):",
     "def repair_step(w):\n"
     '    """Take one step with weight decay, changing w in place; the loss before it is returned."""\n'
     "    with torch.no_grad():\n        w *= 0.9",
     "w *= 0.9\n        w -= 0.1 * w.grad", "w -= 0.1 * w.grad")

# %% 08.repair_step wrong: slope without the two
expect("known", "the gradient of the loss: 2 is left out")
edit("w.copy_(0.9 * w - 0.1 * (4 * w**3 - 2 * w))", "w.copy_(0.9 * w - 0.1 * (4 * w**3 - w))", of="gradient by hand")

# %% 08.repair_step wrong: step as given
expect("raised", "that was changed in place after it was saved")
edit("loss = (w**4 - w**2).sum()\n    loss.backward()",
     "loss = (w**4 - w**2).sum()\n    with torch.no_grad():\n        w *= 0.9\n    loss.backward()")

# %% 08.repair_step wrong: clone without grad
expect("raised", "line 2, `v = w.detach()`, cuts the history off",
       never=("nothing was recorded between the leaf and it",))
edit("def repair_step(w):\n    loss = (w**4 - w**2).sum()",
     "def repair_step(w):\n    v = w.detach()\n    loss = (v**4 - v**2).sum()", of="backward")

# %% 08.repair_step wrong: argmax loss
expect("raised", "gives a result without a history, although `w` requires grad",
       never=("nothing was recorded between the leaf and it", "given"))
def repair_step(w):
    loss = (w > 0).sum()
    loss.backward()
    return loss

# %% 08.repair_step wrong: w wrong in one entry
expect("some_entries", "w after the call is wrong only in entry [0]", never=("['w']",))
edit("w -= 0.1 * w.grad", "w -= 0.1 * w.grad\n        if w.dim() == 1: w[0] = 7")

# %% 08.repair_step wrong: loss off by one
expect("shift", "the returned loss", never=("['loss']",))
edit("return loss", "return loss + 1")

# %% 08.repair_step wrong: the decay comes last
expect("known", "the decay makes the step smaller too: it must change only the weights as they were given",
       never=("given are made smaller",))
edit("w.copy_(0.9 * w - 0.1 * g)", "w.copy_((w - 0.1 * g) * 0.9)", of="torch.autograd.grad")

# %% 08.repair_step wrong: the step before the decay
expect("known", "repair_step", never=("arguments are left unchanged",))
edit("w *= 0.9\n        w -= 0.1 * w.grad", "w -= 0.1 * w.grad\n        w *= 0.9")
