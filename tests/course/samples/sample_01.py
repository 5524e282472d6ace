"""Answers to notebook 01 by people who saw the statements alone: right ones and wrong ones with what is wrong."""

ANSWERS = [
    (
        "01.predict_flags",
        "right",
        "two sets of names, dict comprehension",
        """
def predict_flags():
    with_grad = set("ace")
    no_leaf = {"c", "e"}
    return {n: {"requires_grad": n in with_grad, "is_leaf": n not in no_leaf} for n in "abcdefg"}
""",
    ),
    (
        "01.predict_flags",
        "right",
        "follows the rules: requires grad comes from the inputs, a leaf is what has no history",
        """
def predict_flags():
    req = {"a": True, "b": False}
    req["c"] = req["a"]
    req["d"] = req["b"]
    req["e"] = req["c"] or req["d"]
    req["f"] = False  # detached
    req["g"] = False  # bool
    made_by_user = ["a", "b"]
    return {k: dict(requires_grad=r, is_leaf=(k in made_by_user) or not r) for k, r in req.items()}
""",
    ),
    (
        "01.predict_flags",
        "right",
        "written out, in another order of names and entries",
        """
def predict_flags():
    plain = {"is_leaf": True, "requires_grad": False}
    inner = {"is_leaf": False, "requires_grad": True}
    return {
        "g": dict(plain), "f": dict(plain), "e": inner, "d": dict(plain), "c": inner, "b": plain,
        "a": {"is_leaf": True, "requires_grad": True},
    }
""",
    ),
    (
        "01.predict_flags",
        "wrong",
        "f is not a leaf: but detach() gives a tensor without history, which is a leaf",
        """
def predict_flags():
    return {
        "a": {"requires_grad": True, "is_leaf": True},
        "b": {"requires_grad": False, "is_leaf": True},
        "c": {"requires_grad": True, "is_leaf": False},
        "d": {"requires_grad": False, "is_leaf": True},
        "e": {"requires_grad": True, "is_leaf": False},
        "f": {"requires_grad": False, "is_leaf": False},
        "g": {"requires_grad": False, "is_leaf": True},
    }
""",
    ),
    (
        "01.predict_flags",
        "wrong",
        "f requires grad: but detach() cuts the history, the result does not require grad",
        """
def predict_flags():
    return {
        "a": {"requires_grad": True, "is_leaf": True},
        "b": {"requires_grad": False, "is_leaf": True},
        "c": {"requires_grad": True, "is_leaf": False},
        "d": {"requires_grad": False, "is_leaf": True},
        "e": {"requires_grad": True, "is_leaf": False},
        "f": {"requires_grad": True, "is_leaf": True},
        "g": {"requires_grad": False, "is_leaf": True},
    }
""",
    ),
    (
        "01.predict_flags",
        "wrong",
        "d is not a leaf because it is computed: but it does not require grad, so it is a leaf",
        """
def predict_flags():
    return {
        "a": {"requires_grad": True, "is_leaf": True},
        "b": {"requires_grad": False, "is_leaf": True},
        "c": {"requires_grad": True, "is_leaf": False},
        "d": {"requires_grad": False, "is_leaf": False},
        "e": {"requires_grad": True, "is_leaf": False},
        "f": {"requires_grad": False, "is_leaf": True},
        "g": {"requires_grad": False, "is_leaf": True},
    }
""",
    ),
    (
        "01.predict_flags",
        "wrong",
        "every computed tensor (c, d, e, f, g) is said to be no leaf; those that do not require grad are leaves",
        """
def predict_flags():
    requires = {"a", "c", "e"}
    created = {"a", "b"}
    return {n: {"requires_grad": n in requires, "is_leaf": n in created} for n in "abcdefg"}
""",
    ),
    (
        "01.predict_flags",
        "wrong",
        "g is said to require grad and to have a history: a comparison gives bools, which have no gradient",
        """
def predict_flags():
    requires = "aceg"
    inner = "ceg"
    return {n: {"requires_grad": n in requires, "is_leaf": n not in inner} for n in "abcdefg"}
""",
    ),
    (
        "01.predict_flags",
        "wrong",
        "g is not a leaf: but it has no history (bools), so it is a leaf",
        """
def predict_flags():
    return {n: {"requires_grad": n in "ace", "is_leaf": n in "abdf"} for n in "abcdefg"}
""",
    ),
    (
        "01.predict_flags",
        "wrong",
        "e does not require grad because d does not: but one input that requires grad is enough",
        """
def predict_flags():
    req = dict(a=True, b=False)
    req["c"] = req["a"]
    req["d"] = req["b"]
    req["e"] = req["c"] and req["d"]
    req["f"] = False
    req["g"] = False
    return {n: {"requires_grad": r, "is_leaf": n == "a" or not r} for n, r in req.items()}
""",
    ),
    (
        "01.predict_flags",
        "wrong",
        "b is said to require grad: but a new tensor requires grad only when requires_grad=True is written",
        """
def predict_flags():
    return {
        "a": {"requires_grad": True, "is_leaf": True},
        "b": {"requires_grad": True, "is_leaf": True},
        "c": {"requires_grad": True, "is_leaf": False},
        "d": {"requires_grad": False, "is_leaf": True},
        "e": {"requires_grad": True, "is_leaf": False},
        "f": {"requires_grad": False, "is_leaf": True},
        "g": {"requires_grad": False, "is_leaf": True},
    }
""",
    ),
    (
        "01.predict_flags",
        "wrong",
        "only a is a leaf: takes 'leaf' to mean 'a tensor made by the user that requires grad'",
        """
def predict_flags():
    return {n: {"requires_grad": n in "ace", "is_leaf": n == "a"} for n in "abcdefg"}
""",
    ),
    (
        "01.predict_flags",
        "wrong",
        "a is not a leaf: takes a leaf for a tensor that does not require grad",
        """
def predict_flags():
    flags = {}
    for n in ["a", "b", "c", "d", "e", "f", "g"]:
        r = n in ("a", "c", "e")
        flags[n] = {"requires_grad": r, "is_leaf": not r}
    return flags
""",
    ),
    (
        "01.predict_flags",
        "wrong",
        "c and e are leaves: but they require grad and have a history, so they are not",
        """
def predict_flags():
    return {n: {"requires_grad": n in "ace", "is_leaf": True} for n in "abcdefg"}
""",
    ),
    (
        "01.predict_flags",
        "wrong",
        "c does not require grad: 'nobody wrote requires_grad=True for it'; but it comes from a",
        """
def predict_flags():
    return {
        "a": {"requires_grad": True, "is_leaf": True},
        "b": {"requires_grad": False, "is_leaf": True},
        "c": {"requires_grad": False, "is_leaf": False},
        "d": {"requires_grad": False, "is_leaf": True},
        "e": {"requires_grad": True, "is_leaf": False},
        "f": {"requires_grad": False, "is_leaf": True},
        "g": {"requires_grad": False, "is_leaf": True},
    }
""",
    ),
    (
        "01.predict_flags",
        "wrong",
        "the two columns are mixed up: requires_grad holds is_leaf and the other way round",
        """
def predict_flags():
    def row(is_leaf, requires_grad):
        return {"requires_grad": is_leaf, "is_leaf": requires_grad}
    return {
        "a": row(True, True), "b": row(True, False), "c": row(False, True), "d": row(True, False),
        "e": row(False, True), "f": row(True, False), "g": row(True, False),
    }
""",
    ),
    (
        "01.predict_flags",
        "wrong",
        "the name g is missing in the dict",
        """
def predict_flags():
    return {
        "a": {"requires_grad": True, "is_leaf": True},
        "b": {"requires_grad": False, "is_leaf": True},
        "c": {"requires_grad": True, "is_leaf": False},
        "d": {"requires_grad": False, "is_leaf": True},
        "e": {"requires_grad": True, "is_leaf": False},
        "f": {"requires_grad": False, "is_leaf": True},
    }
""",
    ),
    (
        "01.predict_flags",
        "wrong",
        'the entries are pairs, not dicts with "requires_grad" and "is_leaf"',
        """
def predict_flags():
    return {
        "a": (True, True), "b": (False, True), "c": (True, False), "d": (False, True),
        "e": (True, False), "f": (False, True), "g": (False, True),
    }
""",
    ),
    (
        "01.predict_flags",
        "wrong",
        'the flags are texts "True" and "False", not True and False',
        """
def predict_flags():
    return {n: {"requires_grad": str(n in "ace"), "is_leaf": str(n not in "ce")} for n in "abcdefg"}
""",
    ),
    (
        "01.predict_flags",
        "wrong",
        'the second key is "leaf", it must be "is_leaf"',
        """
def predict_flags():
    return {n: {"requires_grad": n in "ace", "leaf": n not in "ce"} for n in "abcdefg"}
""",
    ),
    (
        "01.predict_flags",
        "right",
        "derives leaf from two sets of names",
        """
def predict_flags():
    grad = set("ace")
    computed_from_grad = set("ce")
    return {name: dict(requires_grad=name in grad, is_leaf=name not in computed_from_grad) for name in "abcdefg"}
""",
    ),
    (
        "01.predict_flags",
        "wrong",
        "d is said to be no leaf because it was computed; but it does not require grad, so it has no history and is a leaf",
        """
def predict_flags():
    return {
        "a": {"requires_grad": True, "is_leaf": True},
        "b": {"requires_grad": False, "is_leaf": True},
        "c": {"requires_grad": True, "is_leaf": False},
        "d": {"requires_grad": False, "is_leaf": False},
        "e": {"requires_grad": True, "is_leaf": False},
        "f": {"requires_grad": False, "is_leaf": True},
        "g": {"requires_grad": False, "is_leaf": True},
    }
""",
    ),
    (
        "01.predict_flags",
        "wrong",
        "f is said to require grad; detach gives a tensor that does not",
        """
def predict_flags():
    return {
        "a": {"requires_grad": True, "is_leaf": True},
        "b": {"requires_grad": False, "is_leaf": True},
        "c": {"requires_grad": True, "is_leaf": False},
        "d": {"requires_grad": False, "is_leaf": True},
        "e": {"requires_grad": True, "is_leaf": False},
        "f": {"requires_grad": True, "is_leaf": True},
        "g": {"requires_grad": False, "is_leaf": True},
    }
""",
    ),
    (
        "01.predict_flags",
        "wrong",
        "g is said to require grad because a does (and so to be no leaf); but it is a bool tensor without a gradient",
        """
def predict_flags():
    return {
        "a": {"requires_grad": True, "is_leaf": True},
        "b": {"requires_grad": False, "is_leaf": True},
        "c": {"requires_grad": True, "is_leaf": False},
        "d": {"requires_grad": False, "is_leaf": True},
        "e": {"requires_grad": True, "is_leaf": False},
        "f": {"requires_grad": False, "is_leaf": True},
        "g": {"requires_grad": True, "is_leaf": False},
    }
""",
    ),
    (
        "01.predict_flags",
        "wrong",
        "e is said not to require grad (and so to be a leaf) because d does not; one input that requires grad is enough",
        """
def predict_flags():
    return {
        "a": {"requires_grad": True, "is_leaf": True},
        "b": {"requires_grad": False, "is_leaf": True},
        "c": {"requires_grad": True, "is_leaf": False},
        "d": {"requires_grad": False, "is_leaf": True},
        "e": {"requires_grad": False, "is_leaf": True},
        "f": {"requires_grad": False, "is_leaf": True},
        "g": {"requires_grad": False, "is_leaf": True},
    }
""",
    ),
    (
        "01.predict_flags",
        "wrong",
        "c is said to be a leaf; it is the result of an operation on a, which requires grad",
        """
def predict_flags():
    return {
        "a": {"requires_grad": True, "is_leaf": True},
        "b": {"requires_grad": False, "is_leaf": True},
        "c": {"requires_grad": True, "is_leaf": True},
        "d": {"requires_grad": False, "is_leaf": True},
        "e": {"requires_grad": True, "is_leaf": False},
        "f": {"requires_grad": False, "is_leaf": True},
        "g": {"requires_grad": False, "is_leaf": True},
    }
""",
    ),
    (
        "01.make_trainable",
        "right",
        "empty leaf, filled without recording",
        """
def make_trainable(values):
    dtype = values.dtype if values.dtype.is_floating_point else torch.float32
    leaf = torch.empty(values.shape, dtype=dtype, requires_grad=True)
    with torch.no_grad():
        leaf.copy_(values)
    return leaf
""",
    ),
    (
        "01.make_trainable",
        "right",
        "nn.Parameter of a converted copy",
        """
def make_trainable(values):
    copy = values.clone()
    if not torch.is_floating_point(copy):
        copy = copy.to(torch.float32)
    return torch.nn.Parameter(copy)
""",
    ),
    (
        "01.make_trainable",
        "right",
        "through a NumPy array and torch.tensor, which copies",
        """
def make_trainable(values):
    dtype = values.dtype if values.is_floating_point() else torch.float32
    return torch.tensor(values.numpy(), dtype=dtype, requires_grad=True)
""",
    ),
    (
        "01.make_trainable",
        "right",
        "adds zeros: a new tensor, and only then requires grad",
        """
def make_trainable(values):
    fresh = torch.zeros_like(values)
    fresh += values
    if not fresh.is_floating_point():
        fresh = fresh.float()
    fresh.requires_grad = True
    return fresh
""",
    ),
    (
        "01.make_trainable",
        "wrong",
        "for floats it sets requires_grad on values itself: the argument is changed and returned",
        """
def make_trainable(values):
    if not values.is_floating_point():
        return values.to(torch.float32).requires_grad_()
    return values.requires_grad_()
""",
    ),
    (
        "01.make_trainable",
        "wrong",
        "detach() does not copy: a float result shares its memory with values",
        """
def make_trainable(values):
    if not values.is_floating_point():
        values = values.float()
    return values.detach().requires_grad_()
""",
    ),
    (
        "01.make_trainable",
        "wrong",
        "converts everything to float32: a float64 tensor must stay float64",
        """
def make_trainable(values):
    return values.detach().clone().to(torch.float32).requires_grad_()
""",
    ),
    (
        "01.make_trainable",
        "wrong",
        "does not convert integers, so requires_grad_ fails for them",
        """
def make_trainable(values):
    return values.detach().clone().requires_grad_()
""",
    ),
    (
        "01.make_trainable",
        "wrong",
        "converts integers to float64, the statement wants float32",
        """
def make_trainable(values):
    copy = values.detach().clone()
    if not copy.is_floating_point():
        copy = copy.double()
    return copy.requires_grad_()
""",
    ),
    (
        "01.make_trainable",
        "wrong",
        "requires grad first and clone after it: the result has a history and is no leaf",
        """
def make_trainable(values):
    if not values.is_floating_point():
        values = values.float()
    return values.detach().requires_grad_().clone()
""",
    ),
    (
        "01.make_trainable",
        "wrong",
        "the leaf is multiplied by 1 after requires_grad_: the product has a history and is no leaf",
        """
def make_trainable(values):
    copy = values.clone() if values.is_floating_point() else values.to(torch.float32)
    copy.requires_grad_(True)
    return copy * 1
""",
    ),
    (
        "01.make_trainable",
        "wrong",
        "the copy never gets requires_grad",
        """
def make_trainable(values):
    if values.is_floating_point():
        return values.detach().clone()
    return values.to(torch.float32)
""",
    ),
    (
        "01.make_trainable",
        "wrong",
        "the shape is lost: the result is always a vector",
        """
def make_trainable(values):
    flat = values.detach().clone().flatten()
    if not flat.is_floating_point():
        flat = flat.float()
    return flat.requires_grad_()
""",
    ),
    (
        "01.make_trainable",
        "wrong",
        "only int64 is converted; int32 and other integer dtypes fail",
        """
def make_trainable(values):
    copy = values.detach().clone()
    if copy.dtype == torch.int64:
        copy = copy.to(torch.float32)
    return copy.requires_grad_()
""",
    ),
    (
        "01.make_trainable",
        "wrong",
        "float16 is a float dtype too, but it is converted to float32",
        """
def make_trainable(values):
    dtype = torch.float64 if values.dtype == torch.float64 else torch.float32
    return values.detach().clone().to(dtype).requires_grad_()
""",
    ),
    (
        "01.make_trainable",
        "wrong",
        "goes through a list: the dtype float64 is lost, all become float32",
        """
def make_trainable(values):
    return torch.tensor(values.tolist(), dtype=torch.float32, requires_grad=True)
""",
    ),
    (
        "01.make_trainable",
        "wrong",
        "the numbers go through float32 on the way, so float64 loses digits",
        """
def make_trainable(values):
    dtype = values.dtype if values.is_floating_point() else torch.float32
    return values.float().to(dtype, copy=True).requires_grad_()
""",
    ),
    (
        "01.make_trainable",
        "wrong",
        "from_numpy shares memory: the result and values are the same numbers in memory",
        """
def make_trainable(values):
    if not values.is_floating_point():
        values = values.to(torch.float32)
    return torch.from_numpy(values.numpy()).requires_grad_()
""",
    ),
    (
        "01.make_trainable",
        "wrong",
        "forgets to return the leaf",
        """
def make_trainable(values):
    leaf = values.detach().clone()
    if not leaf.is_floating_point():
        leaf = leaf.float()
    leaf.requires_grad = True
""",
    ),
    (
        "01.make_trainable",
        "wrong",
        "right shape and dtype, but the numbers are not copied: all zeros",
        """
def make_trainable(values):
    dtype = values.dtype if values.is_floating_point() else torch.float32
    return torch.zeros_like(values, dtype=dtype, requires_grad=True)
""",
    ),
    (
        "01.make_trainable",
        "wrong",
        "copies into a leaf that requires grad without no_grad: an error",
        """
def make_trainable(values):
    dtype = values.dtype if values.is_floating_point() else torch.float32
    leaf = torch.empty(values.shape, dtype=dtype, requires_grad=True)
    leaf.copy_(values)
    return leaf
""",
    ),
    (
        "01.make_trainable",
        "wrong",
        "values.float() returns a new tensor, which is thrown away: integers stay integers and fail",
        """
def make_trainable(values):
    leaf = values.detach().clone()
    if not leaf.is_floating_point():
        leaf.to(torch.float32)
    return leaf.requires_grad_()
""",
    ),
    (
        "01.make_trainable",
        "wrong",
        "sets requires_grad on values too, not only on the new leaf",
        """
def make_trainable(values):
    if not values.is_floating_point():
        return values.to(torch.float32).requires_grad_()
    values.requires_grad_()
    return values.detach().clone().requires_grad_()
""",
    ),
    (
        "01.make_trainable",
        "wrong",
        "nn.Parameter does not copy: a float parameter shares its memory with values",
        """
def make_trainable(values):
    if values.is_floating_point():
        return torch.nn.Parameter(values)
    return torch.nn.Parameter(values.float())
""",
    ),
    (
        "01.make_trainable",
        "right",
        "makes an empty leaf first and copies the numbers in under no_grad",
        """
def make_trainable(values):
    kind = values.dtype if values.is_floating_point() else torch.float32
    leaf = torch.empty(values.shape, dtype=kind, requires_grad=True)
    with torch.no_grad():
        leaf.copy_(values)
    return leaf
""",
    ),
    (
        "01.make_trainable",
        "wrong",
        "converts everything to float32, so a float64 or float16 dtype is not kept",
        """
def make_trainable(values):
    return values.detach().clone().to(torch.float32).requires_grad_()
""",
    ),
    (
        "01.make_trainable",
        "wrong",
        "does not clone: for a float tensor the result shares memory with values",
        """
def make_trainable(values):
    leaf = values.detach()
    if not leaf.is_floating_point():
        leaf = leaf.to(torch.float32)
    return leaf.requires_grad_()
""",
    ),
    (
        "01.make_trainable",
        "wrong",
        "for integers it asks only for int64, so int32, int16, int8 and uint8 are not converted (error in requires_grad_)",
        """
def make_trainable(values):
    leaf = values.clone()
    if leaf.dtype == torch.int64:
        leaf = leaf.to(torch.float32)
    leaf.requires_grad = True
    return leaf
""",
    ),
    (
        "01.make_trainable",
        "wrong",
        "the result is no leaf: requires_grad is set first and the result is then a clone of it",
        """
def make_trainable(values):
    if not values.is_floating_point():
        values = values.to(torch.float32)
    leaf = values.detach().requires_grad_()
    return leaf.clone()
""",
    ),
    (
        "01.make_trainable",
        "wrong",
        "integers are converted to float64 instead of float32",
        """
def make_trainable(values):
    kind = values.dtype
    if not kind.is_floating_point:
        kind = torch.float64
    return torch.tensor(values.tolist(), dtype=kind, requires_grad=True)
""",
    ),
]
