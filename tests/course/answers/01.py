"""Answers to notebook 01: see tests/course/table.py."""

# %% 01.predict_flags right: by running
def predict_flags():
    a = torch.randn(3, requires_grad=True)
    b = torch.zeros(3)
    c = a * 0.1
    d = b + 1
    e = c + d
    f = e.detach()
    g = a > 0
    named = {"a": a, "b": b, "c": c, "d": d, "e": e, "f": f, "g": g}
    return {n: {"requires_grad": t.requires_grad, "is_leaf": t.is_leaf} for n, t in named.items()}

# %% 01.predict_flags right: from sets
def predict_flags():
    needs, leaves = set("ace"), set("abdfg")
    print(needs, leaves)
    return {n: {"is_leaf": n in leaves, "requires_grad": n in needs} for n in "gfedcba"}

# %% 01.predict_flags right: from rows
def predict_flags():
    rows = "a 1 1,b 0 1,c 1 0,d 0 1,e 1 0,f 0 1,g 0 1"
    table = {}
    for row in rows.split(","):
        name, needs, leaf = row.split()
        table[name] = {"requires_grad": bool(int(needs)), "is_leaf": leaf == "1"}
    return table

# %% 01.predict_flags right: flags as tensors
def predict_flags():
    return {n: {"requires_grad": torch.tensor(n in "ace"), "is_leaf": n not in "ce"} for n in "abcdefg"}

# %% 01.predict_flags right: two sets of names, dict comprehension
def predict_flags():
    with_grad = set("ace")
    no_leaf = {"c", "e"}
    return {n: {"requires_grad": n in with_grad, "is_leaf": n not in no_leaf} for n in "abcdefg"}

# %% 01.predict_flags right: follows the rules: requires grad comes from the inputs, a leaf is what has no history
def predict_flags():
    req = {"a": True, "b": False}
    req["c"] = req["a"]
    req["d"] = req["b"]
    req["e"] = req["c"] or req["d"]
    req["f"] = False  # detached
    req["g"] = False  # bool
    made_by_user = ["a", "b"]
    return {k: dict(requires_grad=r, is_leaf=(k in made_by_user) or not r) for k, r in req.items()}

# %% 01.predict_flags right: written out, in another order of names and entries
def predict_flags():
    plain = {"is_leaf": True, "requires_grad": False}
    inner = {"is_leaf": False, "requires_grad": True}
    return {
        "g": dict(plain), "f": dict(plain), "e": inner, "d": dict(plain), "c": inner, "b": plain,
        "a": {"is_leaf": True, "requires_grad": True},
    }

# %% 01.predict_flags right: derives leaf from two sets of names
def predict_flags():
    grad = set("ace")
    computed_from_grad = set("ce")
    return {name: dict(requires_grad=name in grad, is_leaf=name not in computed_from_grad) for name in "abcdefg"}

# %% 01.predict_flags wrong: f is taken for no leaf, and the exercise does not know why
expect("predictions", "1 of 7 are not right yet; look again at f", generic=True)
edit('"f": {"requires_grad": False, "is_leaf": True},', '"f": {"requires_grad": False, "is_leaf": False},')

# %% 01.predict_flags wrong: f is not a leaf: but detach() gives a tensor without history, which is a leaf
expect("known", "1 of 7 is not right yet: `is_leaf` of f: `detach` gives a tensor without history")
edit('"f": {"requires_grad": False, "is_leaf": True},', '"f": {"requires_grad": False, "is_leaf": False},')

# %% 01.predict_flags wrong: f requires grad: but detach() cuts the history, the result does not require grad
expect("known", "1 of 7 is not right yet: `requires_grad` of f: `detach` gives a tensor that does not")
edit('"f": {"requires_grad": False, "is_leaf": True},', '"f": {"requires_grad": True, "is_leaf": True},')

# %% 01.predict_flags wrong: d is not a leaf because it is computed: but it does not require grad, so it is a leaf
expect("known", "1 of 7 is not right yet: `is_leaf` of d: it was computed only from tensors that do not")
edit('"d": {"requires_grad": False, "is_leaf": True},', '"d": {"requires_grad": False, "is_leaf": False},')

# %% 01.predict_flags wrong: every computed tensor (c, d, e, f, g) is said to be no leaf; those that do not require grad are leaves
expect("known", "`is_leaf` of a computed tensor that does not require grad: it has no history, and")
edit('no_leaf = {"c", "e"}', 'no_leaf = {"a", "b"}', "n not", "n", of="two sets")

# %% 01.predict_flags wrong: g is said to require grad because a does (and so to be no leaf); but it is a bool tensor without a gradient
expect("known", "1 of 7 is not right yet: `requires_grad` of g: a comparison gives True and False: these")
edit('"g": {"requires_grad": False, "is_leaf": True},', '"g": {"requires_grad": True, "is_leaf": False},')

# %% 01.predict_flags wrong: g is not a leaf: but it has no history (bools), so it is a leaf
expect("known", "1 of 7 is not right yet: `is_leaf` of g: autograd does not record a comparison, so it")
def predict_flags():
    return {n: {"requires_grad": n in "ace", "is_leaf": n in "abdf"} for n in "abcdefg"}

# %% 01.predict_flags wrong: e is said not to require grad (and so to be a leaf) because d does not; one input that requires grad is enough
expect("known", "1 of 7 is not right yet: `requires_grad` of e: one of its two operands requires grad")
edit('"e": {"requires_grad": True, "is_leaf": False},', '"e": {"requires_grad": False, "is_leaf": True},')

# %% 01.predict_flags wrong: b is said to require grad: but a new tensor requires grad only when requires_grad=True is written
expect("known", "1 of 7 is not right yet: `requires_grad` of b: its line does not set the flag, and no")
edit('"b": {"requires_grad": False, "is_leaf": True},', '"b": {"requires_grad": True, "is_leaf": True},')

# %% 01.predict_flags wrong: only a is a leaf: takes 'leaf' to mean 'a tensor made by the user that requires grad'
expect("known", "tensors that do not require grad have no history: PyTorch calls every tensor without")
def predict_flags():
    return {n: {"requires_grad": n in "ace", "is_leaf": n == "a"} for n in "abcdefg"}

# %% 01.predict_flags wrong: a is not a leaf: takes a leaf for a tensor that does not require grad
expect("known", "1 of 7 is not right yet: `is_leaf` of a: no operation computed it")
edit('return {n: {"requires_grad": torch.tensor(n in "ace"), "is_leaf": n not in "ce"} for n in "abcdefg"}',
     'flags = {}\n    for n in ["a", "b", "c", "d", "e", "f", "g"]:\n        r = n in ("a", "c", "e")\n'
     '        flags[n] = {"requires_grad": r, "is_leaf": not r}\n    return flags', of="flags as")

# %% 01.predict_flags wrong: c and e are leaves: but they require grad and have a history, so they are not
expect("known", "2 of 7 are not right yet")
def predict_flags():
    return {n: {"requires_grad": n in "ace", "is_leaf": True} for n in "abcdefg"}

# %% 01.predict_flags wrong: c does not require grad: 'nobody wrote requires_grad=True for it'; but it comes from a
expect("known", "1 of 7 is not right yet: `requires_grad` of c: one of its operands requires grad, so")
edit('"c": {"requires_grad": True, "is_leaf": False},', '"c": {"requires_grad": False, "is_leaf": False},')

# %% 01.predict_flags wrong: the two columns are mixed up: requires_grad holds is_leaf and the other way round
expect("known", "the two flags have changed places")
edit('\n    return {n: {"requires_grad": torch.tensor(n in "ace"), "is_leaf": n not in "ce"} for n in "abcdefg"}',
     '\n    def n(is_leaf, requires_grad):\n        return {"requires_grad": is_leaf, "is_leaf": requires_grad}\n'
     '    return {\n        "a": n(True, True), "b": n(True, False), "c": n(False, True), "d": n(True, False),\n'
     '        "e": n(False, True), "f": n(True, False), "g": n(True, False),\n    }', of="flags as")

# %% 01.predict_flags wrong: the name g is missing in the dict
expect("keys", "there is no entry for 'g'")
edit('True},\n        "g": {"requires_grad": False, "is_leaf": True},\n    }', "True},\n    }")

# %% 01.predict_flags wrong: c is said to be a leaf; it is the result of an operation on a, which requires grad
expect("known", "1 of 7 is not right yet: `is_leaf` of c: an operation computed it from a tensor that")
edit('"c": {"requires_grad": True, "is_leaf": False},', '"c": {"requires_grad": True, "is_leaf": True},')

# %% 01.predict_flags wrong: print
expect("no_result", "it prints something, but it returns None", never=("`.grad`", "backward()", "list.sort()"))
def predict_flags():
    print({})

# %% 01.predict_flags wrong: lists of two
expect("type", "-> result['a'] is a list of 2 entries, it must be a dict", never=("the result[", "or tuple"))
def predict_flags():
    return {name: [True, False] for name in "abcdefg"}

# %% 01.predict_flags wrong: two mistakes
expect("known", "2 of 7 are not right yet; one of them: `requires_grad` of b", never=("yet: `is_leaf`",))
def predict_flags():
    grad, leaf = "acef".replace("f", "b"), "abfg"
    return {name: {"requires_grad": name in grad, "is_leaf": name in leaf} for name in "abcdefg"}

# %% 01.make_trainable right: from a list
def make_trainable(values):
    dtype = values.dtype if values.dtype.is_floating_point else torch.float32
    return torch.tensor(values.tolist(), dtype=dtype, requires_grad=True)

# %% 01.make_trainable right: flag as attribute
def make_trainable(values):
    leaf = values.to(values.dtype if values.is_floating_point() else torch.float32, copy=True)
    leaf.requires_grad = True
    return leaf

# %% 01.make_trainable right: deep copy
import copy


def make_trainable(values):
    leaf = copy.deepcopy(values)
    leaf = leaf if leaf.is_floating_point() else leaf.float()
    assert leaf.grad_fn is None
    return leaf.requires_grad_(True)

# %% 01.make_trainable right: filled
def make_trainable(values):
    dtype = values.dtype if values.is_floating_point() else torch.float32
    leaf = torch.empty(values.shape, dtype=dtype)
    leaf.copy_(values)
    return leaf.requires_grad_()

# %% 01.make_trainable right: by numpy
def make_trainable(values):
    numbers = values.numpy().copy()
    return torch.from_numpy(numbers if numbers.dtype.kind == "f" else numbers.astype("float32")).requires_grad_()

# %% 01.make_trainable right: computed then detached
def make_trainable(values):
    return (values * 1.0 if values.is_floating_point() else values / 1.0).detach().requires_grad_()

# %% 01.make_trainable right: added to zeros
def make_trainable(values):
    dtype = values.dtype if values.is_floating_point() else torch.float32
    return torch.zeros(values.shape, dtype=dtype).add_(values).requires_grad_()

# %% 01.make_trainable right: empty leaf, filled without recording
def make_trainable(values):
    dtype = values.dtype if values.dtype.is_floating_point else torch.float32
    leaf = torch.empty(values.shape, dtype=dtype, requires_grad=True)
    with torch.no_grad():
        leaf.copy_(values)
    return leaf

# %% 01.make_trainable right: nn.Parameter of a converted copy
def make_trainable(values):
    copy = values.clone()
    if not torch.is_floating_point(copy):
        copy = copy.to(torch.float32)
    return torch.nn.Parameter(copy)

# %% 01.make_trainable right: through a NumPy array and torch.tensor, which copies
def make_trainable(values):
    dtype = values.dtype if values.is_floating_point() else torch.float32
    return torch.tensor(values.numpy(), dtype=dtype, requires_grad=True)

# %% 01.make_trainable right: adds zeros: a new tensor, and only then requires grad
def make_trainable(values):
    fresh = torch.zeros_like(values)
    fresh += values
    if not fresh.is_floating_point():
        fresh = fresh.float()
    fresh.requires_grad = True
    return fresh

# %% 01.make_trainable right: makes an empty leaf first and copies the numbers in under no_grad
def make_trainable(values):
    kind = values.dtype if values.is_floating_point() else torch.float32
    leaf = torch.empty(values.shape, dtype=kind, requires_grad=True)
    with torch.no_grad():
        leaf.copy_(values)
    return leaf

# %% 01.make_trainable wrong: does not clone: for a float tensor the result shares memory with values
expect("not_independent", "the result shares the memory of values: training one of them would change the other")
edit("leaf = values.detach().clone()", "leaf = values.detach()")

# %% 01.make_trainable wrong: requires grad first and clone after it: the result has a history and is no leaf
expect("not_trainable", "the result requires grad but is not a leaf: an operation made it after the flag was set")
edit("return leaf.requires_grad_()", "return leaf.detach().requires_grad_().clone()")

# %% 01.make_trainable wrong: the shape is lost: the result is always a vector
expect("wrong_shape", "the numbers are right, but the result has shape")
edit("leaf = values.detach().clone()", "leaf = values.detach().clone().flatten()")

# %% 01.make_trainable wrong: right shape and dtype, but the numbers are not copied: all zeros
expect("known", "the numbers are not the numbers of `values`: all are 0")
edit("torch.tensor(values.numpy()", "torch.zeros_like(values", of="through a")

# %% 01.make_trainable wrong: copies into a leaf that requires grad without no_grad: an error
expect("raised", "`leaf.copy_(values)` raised RuntimeError")
edit("\n    with torch.no_grad():\n        leaf", "\n    leaf", of="makes an")

# %% 01.make_trainable wrong: doubled
expect("known", "the numbers of the result: it is twice what it must be")
def make_trainable(values):
    return torch.tensor((values * 2).tolist(), dtype=torch.float64, requires_grad=True)

# %% 01.make_trainable wrong: nearly float
expect("wrong_dtype", "as if the numbers went through another dtype", never=("lost: the numbers went",))
edit("return leaf.requires_grad_()", "return (leaf * (1 + 1e-9)).detach().requires_grad_()")

# %% 01.make_trainable wrong: bool
expect("type", "the result is a tensor of True and False, it must be a tensor of shape ()",
       "the result does not require grad",
       "values has dtype float64 and the result has dtype bool: a float dtype must be kept")
def make_trainable(values):
    return values == values

# %% 01.make_trainable wrong: nearly the same
expect("some_entries", "it must be", "1.256525", "1.256485", never=("yours      [ 0.005",))
edit("return torch.nn.Parameter(copy)",
     "if copy.dtype == torch.float64 and copy.dim() == 1:\n        copy[1] += 0.00003\n        copy[2] -= 0.00004\n"
     "    return copy.requires_grad_()", of="nn.Parameter")

# %% 01.make_trainable wrong: int
expect("raises_for_some", "your code, line 2: `return values.clone().requires_grad_()` raised RuntimeError")
def make_trainable(values):
    return values.clone().requires_grad_()

# %% 01.make_trainable wrong: python list
expect("type", "(a tensor of shape ())", "it must be a tensor of shape ()")
def make_trainable(values):
    return values.tolist()

# %% 01.make_trainable wrong: prints
expect("no_result", "it prints something, but it returns None", never=("`.grad`", "backward()", "list.sort()"))
def make_trainable(values):
    print(values.clone().to(torch.float32).requires_grad_())
