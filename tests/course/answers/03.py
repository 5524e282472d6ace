"""Answers to notebook 03: see tests/course/table.py."""

# %% 03.count_nodes right: with a set
def count_nodes(y):
    found, waiting = set(), [y.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is not None and node not in found:
            found.add(node)
            waiting += [pair[0] for pair in node.next_functions]
    return len(found)

# %% 03.count_nodes right: layer by layer
def following(node):
    return [each for each, _ in node.next_functions if each is not None]


def count_nodes(y):
    layer, found = [y.grad_fn] if y.requires_grad else [], {}
    while layer:
        for node in layer:
            found[node] = True
        layer = list({each for node in layer for each in following(node)} - set(found))
    print(len(found), "nodes")
    return len(found)

# %% 03.count_nodes right: as in the lesson
from collections import deque


def count_nodes(y):
    if y.grad_fn is None:
        return 0
    found, waiting = [y.grad_fn], deque([y.grad_fn])
    while waiting:
        for node, number in waiting.popleft().next_functions:
            assert isinstance(number, int)
            if node is not None and node not in found:
                found.append(node)
                waiting.append(node)
    return len(found)

# %% 03.count_nodes right: as a tensor
RIGHT: list[tuple[str, object]] = []


def right(exercise):
    return lambda answer: RIGHT.append((exercise, answer)) or answer


def with_a_set(y):
    found, waiting = set(), [y.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is not None and node not in found:
            found.add(node)
            waiting += [pair[0] for pair in node.next_functions]
    return len(found)


def count_nodes(y):
    return torch.tensor(with_a_set(y))

# %% 03.count_nodes right: by ids
def count_nodes(y):
    kept, waiting = {}, [y.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is not None and id(node) not in kept:
            kept[id(node)] = node
            waiting.extend(pair[0] for pair in node.next_functions)
    return float(len(kept))

# %% 03.count_nodes right: a stack and a set
def count_nodes(y):
    if y.grad_fn is None:
        return 0
    seen = {y.grad_fn}
    todo = [y.grad_fn]
    while todo:
        node = todo.pop()
        for other, _ in node.next_functions:
            if other is not None and other not in seen:
                seen.add(other)
                todo.append(other)
    return len(seen)

# %% 03.count_nodes right: level by level, with set operations
def count_nodes(y):
    level = {y.grad_fn} - {None}
    known = set()
    while level:
        known |= level
        level = {n for node in level for n, _ in node.next_functions} - known - {None}
    return len(known)

# %% 03.count_nodes right: a list that grows while a for loop walks over it, with ids
def count_nodes(y):
    nodes = []
    ids = set()
    def meet(node):
        if node is not None and id(node) not in ids:
            ids.add(id(node))
            nodes.append(node)
    meet(y.grad_fn)
    for node in nodes:
        for pair in node.next_functions:
            meet(pair[0])
    return sum(1 for _ in nodes)

# %% 03.count_nodes right: pushes pairs, checks when popped, counts with a deque and a dict
from collections import deque

def count_nodes(y):
    number = {}
    queue = deque([(y.grad_fn, 0)])
    while queue:
        node, _ = queue.popleft()
        if node is None or node in number:
            continue
        number[node] = len(number) + 1
        queue.extend(node.next_functions)
    return max(number.values(), default=0)

# %% 03.count_nodes right: goes level by level with sets of nodes
def count_nodes(y):
    level = {y.grad_fn} - {None}
    known = set()
    while level:
        known |= level
        level = {child for node in level for child, _ in node.next_functions if child is not None} - known
    return len(known)

# %% 03.count_nodes wrong: nodes that are used several times are visited and counted several times
expect("timeout", "stopped after")
def count_nodes(y):
    count = 0
    todo = [y.grad_fn]
    while todo:
        node = todo.pop()
        if node is None:
            continue
        count += 1
        for other, _ in node.next_functions:
            todo.append(other)
    return count

# %% 03.count_nodes wrong: returns 1 for a tensor without a graph
expect("known", "a tensor without a graph counts as one node: there, `grad_fn` is None")
edit("return len(found)", "return len(found) or 1")

# %% 03.count_nodes wrong: a node is marked as seen only when it is popped, and nobody looks then
expect("known", "a node is taken again if it is met a second time before the walk comes to it")
edit("seen = {y.grad_fn}", "seen = set()\n    count = 0",
     "node = todo.pop()", "node = todo.pop()\n        seen.add(node)\n        count += 1",
     "\n                seen.add(other)\n                todo", "\n                todo",
     "return len(seen)", "return count", of="a stack and")

# %% 03.count_nodes wrong: the AccumulateGrad nodes of the leaves are not counted
expect("known", "the `AccumulateGrad` nodes of the leaves are left out: they are nodes too")
edit("if node is not None and node not in found:", "if node is None or node in found or not node.next_functions:",
     "\n            found", "\n            continue\n        found",
     "\n            waiting += [pair[0] for pair in node.next_functions]",
     "\n        waiting.extend(other for other, pair in node.next_functions)", of="with a set")

# %% 03.count_nodes wrong: y.grad_fn itself is not counted
expect("known", "one node is missing: the node of y itself belongs to the graph")
edit("seen = {y.grad_fn}", "seen = set()", of="a stack and")

# %% 03.count_nodes wrong: None (an input without a gradient) is counted as a node
expect("known", "None is counted like a node, but it stands for an input without a gradient")
edit("node = todo.pop()\n        for other, _ in node.next_functions:",
     "node = todo.pop()\n        if node is None:\n            continue\n        for other, _ in node.next_functions:",
     "if other is not None and other not in seen:", "if other not in seen:", of="a stack and")

# %% 03.count_nodes wrong: nodes are told apart by their names: two products count as one node
expect("known", "nodes of the same name are taken for one, but two nodes can have the same name: compare")
edit("seen = {y.grad_fn}", "seen = {y.grad_fn.name()}",
     "if other is not None and other not in seen:", "if other is not None and other.name() not in seen:",
     "seen.add(other)", "seen.add(other.name())", of="a stack and")

# %% 03.count_nodes wrong: counts the edges (pairs in next_functions), not the nodes
expect("known", "this is the number of arrows plus 1: if two arrows lead to one node, that node is")
def count_nodes(y):
    if y.grad_fn is None:
        return 0
    count = 1
    seen = {y.grad_fn}
    todo = [y.grad_fn]
    while todo:
        for other, _ in todo.pop().next_functions:
            if other is not None:
                count += 1
                if other not in seen:
                    seen.add(other)
                    todo.append(other)
    return count

# %% 03.count_nodes wrong: follows only the first input of each node
expect("known", "only the first entry of each next_functions is followed: a node can lead to several")
def count_nodes(y):
    node = y.grad_fn
    count = 0
    while node is not None:
        count += 1
        node = node.next_functions[0][0] if node.next_functions else None
    return count

# %% 03.count_nodes wrong: remembers the pairs (node, number): a node with two results is counted twice
expect("known", "a node with two results is counted twice: it is one node, whatever the number of its")
edit("node = todo.pop()\n        for other, _ in node.next_functions:", "for other in todo.pop().next_functions:",
     "if other is not None and other not in seen:", "if other[0] is not None and other not in seen:",
     "todo.append(other)", "todo.append(other[0])", of="a stack and")

# %% 03.count_nodes wrong: the set of seen nodes is a default argument that survives the call: the second call finds nothing new
expect("not_repeatable", "the same call gives another result the second time: something outside the function")
edit('y):\n    """The number of nodes in the graph behind y."""\n    found = set()', "y, found=set()):")

# %% 03.count_nodes wrong: returns the set of the nodes, not their number
expect("type", "the result is a set, it must be a number")
edit("return len(found)", "return found")

# %% 03.count_nodes wrong: seen nodes are kept in a set for each level only: a node that is reached at two depths is counted twice
expect("known", "a node is counted once for each number of steps that lead to it: count each node once")
edit("known = set()", "known = 0",
     "known |= level", "known += len(level)",
     "None} - known", "None}",
     "return len(known)", "return known", of="goes level")

# %% 03.count_nodes wrong: stops looking at the inputs of a node at the first one without a gradient (break instead of continue)
expect("known", "what stands behind a None in next_functions is left out: the inputs after it can have")
edit("if other is not None and other not in seen:",
     "if other is None:\n                break\n            if other not in seen:", of="a stack and")

# %% 03.count_nodes wrong: recursive
expect("raises_for_some", "calls are nested more deeply than Python allows")
def count_nodes(y):
    found = set()

    def visit(node):
        if node is not None and node not in found:
            found.add(node)
            for pair in node.next_functions:
                visit(pair[0])

    visit(y.grad_fn)
    return len(found)

# %% 03.count_nodes wrong: none is followed
expect("raises_for_some", "'NoneType' object has no attribute 'next_functions'")
edit("if node is not None and node not in found:", "if node not in found:", of="with a set")

# %% 03.count_nodes wrong: remembers and goes on
expect("timeout", "for the y of `c = [a]; for i in range(")
edit("def count_nodes(y):",
     "def pair(node):\n    return [each for each, _ in node.next_functions if each is not None]\ndef count_nodes(y):",
     "y.grad_fn]", "y.grad_fn] if y.grad_fn is not None else []",
     "\n        if node is not None and node not in found:\n            found", "\n        found",
     "\n            waiting += [pair[0] for pair in node.next_functions]", "\n        waiting += pair(node)",
     of="with a set")

# %% 03.count_nodes wrong: by name
expect("known", "this is the number of different names, but two nodes can have the same name")
def following(node):
    return [each for each, _ in node.next_functions if each is not None]


def walk(y):
    """All nodes, each once, in the order in which they are met."""
    found = {y.grad_fn: None} if y.grad_fn is not None else {}
    waiting = list(found)
    while waiting:
        for each in following(waiting.pop(0)):
            if each not in found:
                found[each] = None
                waiting.append(each)
    return list(found)


def count_nodes(y):
    return len({node.name() for node in walk(y)})

# %% 03.count_nodes wrong: neighbours
expect("wrong_value", "the result")
def following(node):
    return [each for each, _ in node.next_functions if each is not None]


def count_nodes(y):
    return len({y.grad_fn, *following(y.grad_fn)}) if y.grad_fn is not None else 0

# %% 03.count_nodes wrong: counted in an earlier call
expect("same_again", "a second call with the same graph gives 0, the first gave 3")
def following(node):
    return [each for each, _ in node.next_functions if each is not None]


def walk(y):
    """All nodes, each once, in the order in which they are met."""
    found = {y.grad_fn: None} if y.grad_fn is not None else {}
    waiting = list(found)
    while waiting:
        for each in following(waiting.pop(0)):
            if each not in found:
                found[each] = None
                waiting.append(each)
    return list(found)


MET = set()


def not_met_before(y):
    met = [node for node in walk(y) if node not in MET]
    MET.update(met)
    return met


def count_nodes(y):
    return len(not_met_before(y))

# %% 03.count_nodes wrong: print
expect("no_result", "it prints something, but it returns None", never=("`.grad`", "backward()", "list.sort()"))
def count_nodes(y):
    print(3)

# %% 03.count_nodes wrong: a return without a value
expect(
    "no_result",
    "it returns None, for the y of `y = d * 2`, d without grad",
    never=("One such input", "something: "),
)
edit("def count_nodes(y):", "def count_nodes(y):\n    if not y.requires_grad:\n        return", of="with a set")

# %% 03.count_nodes wrong: one more
expect("shift", "the result is 1 too large", generic=True)
edit("return len(found)", "return len(found) + 1", of="with a set")

# %% 03.count_nodes wrong: removes duplicates only among the inputs of one node, so a node reached over two different nodes counts twice
expect("known", "a node that several nodes lead to is counted once for each of them: count each node once")
def count_nodes(y):
    count = 0
    todo = [y.grad_fn] if y.grad_fn is not None else []
    while todo:
        node = todo.pop()
        count += 1
        # set(): each of them only once (a + a)
        todo.extend({n for n, _ in node.next_functions if n is not None})
    return count

# %% 03.leaves_of right: by name
def following(node):
    return [each for each, _ in node.next_functions if each is not None]


def leaves_of(y):
    found, waiting = {y.grad_fn}, [y.grad_fn]
    leaves = []
    while waiting:
        node = waiting.pop()
        if node.name().endswith("AccumulateGrad"):
            leaves.append(node.variable)
        for each in following(node):
            if each not in found:
                found.add(each)
                waiting.append(each)
    return leaves

# %% 03.leaves_of right: as a tuple
def following(node):
    return [each for each, _ in node.next_functions if each is not None]


def leaves_of(y):
    found = dict.fromkeys([y.grad_fn])
    waiting = list(found)
    for node in waiting:
        new = [each for each in dict.fromkeys(following(node)) if each not in found]
        found.update(dict.fromkeys(new))
        waiting.extend(new)
    return tuple(node.variable for node in found if not node.next_functions)

# %% 03.leaves_of right: a set of tensors
def following(node):
    return [each for each, _ in node.next_functions if each is not None]


def leaves_of(y):
    leaves, seen, waiting = set(), set(), [y.grad_fn]
    while waiting:
        node = waiting.pop(0)
        if node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):
            assert node.variable.is_leaf and node.variable.requires_grad
            leaves.add(node.variable)
        waiting.extend(following(node))
    return leaves

# %% 03.leaves_of right: one after the other
RIGHT: list[tuple[str, object]] = []


def right(exercise):
    return lambda answer: RIGHT.append((exercise, answer)) or answer


def following(node):
    return [each for each, _ in node.next_functions if each is not None]


def by_name(y):
    found, waiting = {y.grad_fn}, [y.grad_fn]
    leaves = []
    while waiting:
        node = waiting.pop()
        if node.name().endswith("AccumulateGrad"):
            leaves.append(node.variable)
        for each in following(node):
            if each not in found:
                found.add(each)
                waiting.append(each)
    return leaves


def leaves_of(y):
    yield from by_name(y)

# %% 03.leaves_of right: from a dict
RIGHT: list[tuple[str, object]] = []


def right(exercise):
    return lambda answer: RIGHT.append((exercise, answer)) or answer


def following(node):
    return [each for each, _ in node.next_functions if each is not None]


def by_name(y):
    found, waiting = {y.grad_fn}, [y.grad_fn]
    leaves = []
    while waiting:
        node = waiting.pop()
        if node.name().endswith("AccumulateGrad"):
            leaves.append(node.variable)
        for each in following(node):
            if each not in found:
                found.add(each)
                waiting.append(each)
    return leaves


def leaves_of(y):
    return {id(leaf): leaf for leaf in reversed(by_name(y))}.values()

# %% 03.leaves_of right: a stack; a node with nothing behind it is the node of a leaf
def leaves_of(y):
    leaves = []
    seen = set()
    todo = [y.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if not node.next_functions:
            leaves.append(node.variable)
        todo.extend(other for other, _ in node.next_functions)
    return leaves

# %% 03.leaves_of right: collects all nodes first, then returns a set of the variables
def leaves_of(y):
    nodes = {y.grad_fn: True}
    level = [y.grad_fn]
    while level:
        following = []
        for node in level:
            for other, number in node.next_functions:
                if other and other not in nodes:
                    nodes[other] = True
                    following.append(other)
        level = following
    return {node.variable for node in nodes if hasattr(node, "variable")}

# %% 03.leaves_of right: a tuple of the values of a dict from id to leaf; told by the node's name
def leaves_of(y):
    found = {}
    nodes = [y.grad_fn]
    known = {y.grad_fn}
    for node in nodes:
        if node.name().endswith("AccumulateGrad"):
            found[id(node.variable)] = node.variable
        for other, _ in node.next_functions:
            if other is not None and other not in known:
                known.add(other)
                nodes.append(other)
    return tuple(found.values())

# %% 03.leaves_of right: a list that grows while the loop goes through it, and a dict by id, returned as a tuple
def leaves_of(y):
    order = [y.grad_fn]
    known = {id(y.grad_fn)}
    found = {}
    for node in order:
        inputs = [pair[0] for pair in node.next_functions if pair[0] is not None]
        leaf = getattr(node, "variable", None)
        if not node.next_functions and leaf is not None:
            found[id(leaf)] = leaf
        for child in inputs:
            if id(child) not in known:
                known.add(id(child))
                order.append(child)
    return tuple(found.values())

# %% 03.leaves_of wrong: returns the AccumulateGrad nodes instead of their tensors (.variable is forgotten)
expect("known", "these are the `AccumulateGrad` nodes: the list must hold the leaves themselves")
edit("leaves.append(node.variable)", "leaves.append(node)")

# %% 03.leaves_of wrong: a leaf is put into the list each time some operation uses it, so a leaf that is used twice is in the list twice
expect("known", "a leaf is listed once for each arrow that leads to it: list each leaf once")
edit("if following is not None and following not in found:",
     "if following is None:\n                continue\n            if len(following.next_functions) == 0:\n"
     "                leaves.append(following.variable)\n            elif following not in found:")

# %% 03.leaves_of wrong: no set of seen nodes, so every way through the graph is walked: takes forever with many doublings
expect("timeout", "stopped after")
def leaves_of(y):
    leaves = {}
    todo = [y.grad_fn]
    while todo:
        node = todo.pop()
        if node is None:
            continue
        if not node.next_functions:
            leaves[id(node.variable)] = node.variable
        todo.extend(other for other, _ in node.next_functions)
    return list(leaves.values())

# %% 03.leaves_of wrong: `in` compares the values of the tensors: of two leaves with equal values only one is in the list
expect("known", "a leaf is missing if another leaf has the same numbers: two leaves are the same only if")
edit("not node.next_functions:",
     "not node.next_functions and not any((node.variable == leaf).all() for leaf in leaves if leaf.shape == node.variable.shape):")

# %% 03.leaves_of wrong: `not in` on a list of tensors compares values (and fails for tensors with several entries)
expect("raises_for_some", "a leaf is missing if another leaf has the same numbers: two leaves are the same only if")
edit("if not node.next_functions:", "if not node.next_functions and node.variable not in leaves:", of="a stack; a")

# %% 03.leaves_of wrong: follows only the first input of each operation
expect("known", "only the first entry of each next_functions is followed: a node can lead to several")
edit("todo.extend(other for other, _ in node.next_functions)",
     "todo.extend(other for other, _ in node.next_functions[:1])", of="a stack; a")

# %% 03.leaves_of wrong: returns detached copies of the leaves instead of the leaves themselves
expect("known", "these are other tensors, or copies of the leaves: the list must hold the leaves")
edit("leaves.append(node.variable)", "leaves.append(node.variable.detach())")

# %% 03.leaves_of wrong: the list of leaves is a default argument and survives the call: later calls also return the leaves of earlier graphs
expect("not_repeatable", "the same call gives another result the second time: something outside the function",
       "the result has 3 entries, it must have 1",
       "a second call with the same graph gives ['a', 'a'], the first gave ['a']")
edit("def leaves_of(y):\n    leaves = []", "def leaves_of(y, leaves=[]):", of="a stack; a")

# %% 03.leaves_of wrong: the set of seen nodes survives the call: a second call with the same graph finds no leaf
expect("same_again", "a second call with the same graph gives [], the first gave ['a']")
edit("def leaves_of(y):", "seen = set()\ndef leaves_of(y):",
     "leaves = []\n    seen = set()", "leaves = []", of="a stack; a")

# %% 03.leaves_of wrong: returns at the first leaf that it meets
expect("known", "the walk ends at a leaf: other nodes are still waiting then")
edit("leaves.append(node.variable)", "leaves.append(node.variable)\n            break", of="a stack; a")

# %% 03.leaves_of wrong: stops the whole walk at the first input without a gradient (break instead of continue)
expect("known", "the walk ends at None: other nodes are still waiting then")
edit("if node is None or node in seen:", "if node is None :\n            break\n        if node in seen:",
     of="a stack; a")

# %% 03.leaves_of wrong: nodes are told apart by their names, so after the first product every other product is skipped
expect("known", "nodes of the same name are taken for one, but two nodes can have the same name: compare")
edit("if node is None or node in seen:", "if node is None or node.name() in seen:",
     "seen.add(node)", "seen.add(node.name())", of="a stack; a")

# %% 03.leaves_of wrong: returns the values of the leaves, not the leaves
expect("wrong_value", "result[0] is 'some list', it must be 'a', for the y of `b = a.abs()")
edit("leaves.append(node.variable)", "leaves.append(node.variable.tolist())", of="a stack; a")

# %% 03.leaves_of wrong: looks only at the direct inputs of y
expect("known", "only the leaves one step away from y are found: the others are deeper in the graph")
def leaves_of(y):
    nodes = {node for node, _ in y.grad_fn.next_functions if node is not None}
    return [node.variable for node in nodes if not node.next_functions]

# %% 03.leaves_of wrong: only leaves that hold a gradient already are returned
expect("length", "the result has 0 entries, it must have 1, for the y of `b = a.abs()")
edit("if not node.next_functions:", "if not node.next_functions and node.variable.grad is not None:", of="a stack; a")

# %% 03.leaves_of wrong: None (an input without a gradient) is not expected
expect("raises_for_some", "`if not node.next_functions:` raised AttributeError")
edit("if node is None or node in seen:", "if node in seen:", of="a stack; a")

# %% 03.leaves_of wrong: The walk ends as soon as one AccumulateGrad node has been found on a level: `break` instead of `continue`
expect("known", "the walk ends at the first leaf: other nodes are still waiting then")
def leaves_of(y):
    todo = [y.grad_fn]
    done = set()
    leaves = []
    while todo:
        node = todo.pop(0)
        if node in done or node is None:
            continue
        done.add(node)
        if node.name().endswith("AccumulateGrad"):
            leaves.append(node.variable)
            break
        todo += [pair[0] for pair in node.next_functions]
    return leaves

# %% 03.leaves_of wrong: An input without a gradient ends the loop over next_functions (break instead of continue)
expect("known", "what stands behind a None in next_functions is left out: the inputs after it can have")
def leaves_of(y):
    """The leaves that require grad and take part in y."""
    leaves, seen, todo = [], set(), [y.grad_fn]
    while todo:
        node = todo.pop()
        if node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):
            leaves.append(node.variable)
        for child, _ in node.next_functions:
            if child is None:
                break
            todo.append(child)
    return leaves

# %% 03.leaves_of wrong: only one
expect("type", "is a Tensor, it must be a list or tuple of 1 entry")
def following(node):
    return [each for each, _ in node.next_functions if each is not None]


def walk(y):
    """All nodes, each once, in the order in which they are met."""
    found = {y.grad_fn: None} if y.grad_fn is not None else {}
    waiting = list(found)
    while waiting:
        for each in following(waiting.pop(0)):
            if each not in found:
                found[each] = None
                waiting.append(each)
    return list(found)


def leaves_of(y):
    return next(node.variable for node in walk(y) if not node.next_functions)

# %% 03.leaves_of wrong: each sender
expect("length", "the result has 3 entries, it must have 2, for the y of `p = a * a; q =")
def following(node):
    return [each for each, _ in node.next_functions if each is not None]


def walk(y):
    """All nodes, each once, in the order in which they are met."""
    found = {y.grad_fn: None} if y.grad_fn is not None else {}
    waiting = list(found)
    while waiting:
        for each in following(waiting.pop(0)):
            if each not in found:
                found[each] = None
                waiting.append(each)
    return list(found)


def leaves_of(y):
    return [e.variable for node in walk(y) for e in set(following(node)) if not e.next_functions]

# %% 03.leaves_of wrong: returns None
expect("no_result", "it returns None", "Only the value that stands after it is returned",
       never=("`.grad`", "backward()", "list.sort()", "it prints"))
def leaves_of(y):
    found = []

# %% 03.leaves_of wrong: calls itself
expect("raises_for_some", "your code, line 11: `walk(after)` raised RecursionError", never=("at line 9",))
def leaves_of(y):
    leaves, met = [], set()

    def walk(node):
        if node not in met:
            met.add(node)
            if not node.next_functions:
                leaves.append(node.variable)
            for after, _ in node.next_functions:
                if after is not None:
                    walk(after)

    walk(y.grad_fn)
    return leaves

# %% 03.backward_order right: by counting
from collections import Counter


def following(node):
    return [each for each, _ in node.next_functions if each is not None]


def found_from(start):
    found, waiting = {start: None}, [start]
    while waiting:
        for each in following(waiting.pop()):
            if each not in found:
                found[each] = None
                waiting.append(each)
    return list(found)


def backward_order(y):
    missing = Counter(each for node in found_from(y.grad_fn) for each in following(node))
    order = [y.grad_fn]
    for node in order:
        for each in following(node):
            missing[each] -= 1
            if not missing[each]:
                order.append(each)
    return order

# %% 03.backward_order right: newest first
from collections import Counter


def following(node):
    return [each for each, _ in node.next_functions if each is not None]


def found_from(start):
    found, waiting = {start: None}, [start]
    while waiting:
        for each in following(waiting.pop()):
            if each not in found:
                found[each] = None
                waiting.append(each)
    return list(found)


def backward_order(y):
    missing = Counter(each for node in found_from(y.grad_fn) for each in following(node))
    ready, order = [y.grad_fn], []
    while ready:
        order.append(ready.pop())
        for each in following(order[-1]):
            missing[each] -= 1
            if missing[each] == 0:
                ready.append(each)
    assert len(order) == len(set(order))
    return tuple(order)

# %% 03.backward_order right: depth first turned round
def following(node):
    return [each for each, _ in node.next_functions if each is not None]


def backward_order(y):
    done, finished, waiting = set(), [], [(y.grad_fn, False)]
    while waiting:
        node, is_finished = waiting.pop()
        if is_finished:
            finished.append(node)
        elif node not in done:
            done.add(node)
            waiting.append((node, True))
            waiting += [(each, False) for each in following(node) if each not in done]
    print("last:", finished[0].name())
    return finished[::-1]

# %% 03.backward_order right: by the longest way
from collections import Counter


RIGHT: list[tuple[str, object]] = []


def right(exercise):
    return lambda answer: RIGHT.append((exercise, answer)) or answer


def following(node):
    return [each for each, _ in node.next_functions if each is not None]


def found_from(start):
    found, waiting = {start: None}, [start]
    while waiting:
        for each in following(waiting.pop()):
            if each not in found:
                found[each] = None
                waiting.append(each)
    return list(found)


def by_counting(y):
    missing = Counter(each for node in found_from(y.grad_fn) for each in following(node))
    order = [y.grad_fn]
    for node in order:
        for each in following(node):
            missing[each] -= 1
            if not missing[each]:
                order.append(each)
    return order


def backward_order(y):
    depth = dict.fromkeys(found_from(y.grad_fn), 0)
    for node in by_counting(y):
        for each in following(node):
            depth[each] = max(depth[each], depth[node] + 1)
    return sorted(depth, key=depth.get)

# %% 03.backward_order right: as a deque
from collections import Counter
from collections import deque


RIGHT: list[tuple[str, object]] = []


def right(exercise):
    return lambda answer: RIGHT.append((exercise, answer)) or answer


def following(node):
    return [each for each, _ in node.next_functions if each is not None]


def found_from(start):
    found, waiting = {start: None}, [start]
    while waiting:
        for each in following(waiting.pop()):
            if each not in found:
                found[each] = None
                waiting.append(each)
    return list(found)


def newest_first(y):
    missing = Counter(each for node in found_from(y.grad_fn) for each in following(node))
    ready, order = [y.grad_fn], []
    while ready:
        order.append(ready.pop())
        for each in following(order[-1]):
            missing[each] -= 1
            if missing[each] == 0:
                ready.append(each)
    assert len(order) == len(set(order))
    return tuple(order)


def backward_order(y):
    return deque(newest_first(y))

# %% 03.backward_order right: counts the edges into each node, a node is ready when all are used up (Kahn)
def backward_order(y):
    waiting = {y.grad_fn: 0}
    todo = [y.grad_fn]
    while todo:
        for other, _ in todo.pop().next_functions:
            if other is None:
                continue
            if other not in waiting:
                waiting[other] = 0
                todo.append(other)
            waiting[other] += 1
    order = []
    ready = [y.grad_fn]
    while ready:
        node = ready.pop()
        order.append(node)
        for other, _ in node.next_functions:
            if other is not None:
                waiting[other] -= 1
                if waiting[other] == 0:
                    ready.append(other)
    return order

# %% 03.backward_order right: depth first with a stack of iterators, finished nodes reversed
def backward_order(y):
    finished = []
    seen = {y.grad_fn}
    stack = [(y.grad_fn, iter(y.grad_fn.next_functions))]
    while stack:
        node, inputs = stack[-1]
        for other, _ in inputs:
            if other is not None and other not in seen:
                seen.add(other)
                stack.append((other, iter(other.next_functions)))
                break
        else:
            finished.append(node)
            stack.pop()
    return finished[::-1]

# %% 03.backward_order right: graphlib.TopologicalSorter of the standard library
from graphlib import TopologicalSorter

def backward_order(y):
    sorter = TopologicalSorter()
    seen = set()
    todo = [y.grad_fn]
    while todo:
        node = todo.pop()
        if node in seen:
            continue
        seen.add(node)
        sorter.add(node)
        for other, _ in node.next_functions:
            if other is not None:
                sorter.add(other, node)
                todo.append(other)
    return list(sorter.static_order())

# %% 03.backward_order right: sorted by height: the longest way down to a leaf, computed with an enter/leave stack
def backward_order(y):
    height = {}
    stack = [y.grad_fn]
    while stack:
        node = stack[-1]
        if node in height:
            stack.pop()
            continue
        below = {n for n, _ in node.next_functions if n is not None}
        missing = [n for n in below if n not in height]
        if missing:
            stack.extend(missing)
        else:
            height[node] = 1 + max((height[n] for n in below), default=0)
            stack.pop()
    return sorted(height, key=height.get, reverse=True)

# %% 03.backward_order right: depth first with marks for entering and leaving
def backward_order(y):
    finished = []
    seen = set()
    stack = [(y.grad_fn, False)]
    while stack:
        node, done = stack.pop()
        if done:
            finished.append(node)
            continue
        if node is None or node in seen:
            continue
        seen.add(node)
        stack.append((node, True))
        for other, _ in node.next_functions:
            stack.append((other, False))
    return finished[::-1]

# %% 03.backward_order right: lets graphlib of the standard library sort the nodes
from graphlib import TopologicalSorter

def backward_order(y):
    sorter = TopologicalSorter()
    todo, seen = [y.grad_fn], {y.grad_fn}
    sorter.add(y.grad_fn)
    while todo:
        sender = todo.pop()
        for receiver, _ in sender.next_functions:
            if receiver is None:
                continue
            sorter.add(receiver, sender)
            if receiver not in seen:
                seen.add(receiver)
                todo.append(receiver)
    return list(sorter.static_order())

# %% 03.backward_order wrong: the list is not reversed: leaves first, as in the forward pass
expect("order", "the list is the wrong way round: it begins with AccumulateGrad of a, but backward")
edit("return finished[::-1]", "return finished", of="depth first with marks")

# %% 03.backward_order wrong: list.reverse() returns None, and that is returned
expect("no_result", "it returns None: is there a `return`? Only the value that stands after it is returned")
edit("return finished[::-1]", "return finished.reverse()", of="depth first with marks")

# %% 03.backward_order wrong: calls itself for each node: too deep for Python in a long chain
expect("raises_for_some", "`visit(other)`")
def backward_order(y):
    finished = []
    seen = set()
    def visit(node):
        seen.add(node)
        for other, _ in node.next_functions:
            if other is not None and other not in seen:
                visit(other)
        finished.append(node)
    visit(y.grad_fn)
    return finished[::-1]

# %% 03.backward_order wrong: counts both edges where a node uses the same input twice, but subtracts only one (set)
expect("known", "two arrows from one node to another are taken off as one, so some nodes are never ready")
edit("for other, _ in node.next_functions:", "for other in {n for n, _ in node.next_functions}:", of="counts the")

# %% 03.backward_order wrong: returns the names of the nodes instead of the nodes
expect("known", "these are names: two nodes can have the same name, so the list must hold the nodes")
edit("order.append(node)", "order.append(node.name())")

# %% 03.backward_order wrong: the AccumulateGrad nodes are left out of the list
expect("known", "the `AccumulateGrad` nodes of the leaves are left out: backward runs them too")
edit("node = ready.pop()\n        order.append(node)",
     "node = ready.pop()\n        if node.next_functions:\n            order.append(node)")

# %% 03.backward_order wrong: y.grad_fn itself is missing
expect("known", "the node of y is left out: it is the first node that backward runs")
edit("return order", "return order[1:]", of="counts the")

# %% 03.backward_order wrong: a node that is met again is put on the stack again with all that is behind it: right order
expect("timeout", "stopped after")
def backward_order(y):
    order = {}
    todo = [y.grad_fn]
    while todo:
        node = todo.pop(0)
        order.pop(node, None)
        order[node] = None
        for other, _ in node.next_functions:
            if other is not None:
                todo.append(other)
    return list(order)

# %% 03.backward_order wrong: None (an input without a gradient) is in the list
expect("known", "None is in the list as well: it is not a node")
def backward_order(y):
    waiting = {y.grad_fn: 0}
    todo = [y.grad_fn]
    while todo:
        node = todo.pop()
        for other, _ in (node.next_functions if node else ()):
            if other not in waiting:
                waiting[other] = 0
                todo.append(other)
            waiting[other] += 1
    order = []
    ready = [y.grad_fn]
    while ready:
        node = ready.pop()
        order.append(node)
        for other, _ in (node.next_functions if node else ()):
            waiting[other] -= 1
            if waiting[other] == 0:
                ready.append(other)
    return order

# %% 03.backward_order wrong: the list survives the call (default argument): the second call returns the nodes twice
expect("not_repeatable", "the same call gives another result the second time: something outside the function",
       "the result has 9 entries, it must have 3",
       "a second call with the same graph gives ['SumBackward0 of y', 'AbsBackward0 of b'")
edit("def backward_order(y):", "def backward_order(y, order=[]):",
     "waiting[other] += 1\n    order = []\n    ready = [y.grad_fn]", "waiting[other] += 1\n    ready = [y.grad_fn]",
     of="counts the")

# %% 03.backward_order wrong: y.grad_fn is in the list twice: it is put there first and again when it is taken from the stack
expect("known", "the node of y is listed twice: backward runs each node once")
edit("order = []", "order = [y.grad_fn]", of="counts the")

# %% 03.backward_order wrong: the in-counts are kept by name: nodes with the same name are mixed up
expect("known", "the arrows are counted for each name, but two nodes can have the same name: count them")
def backward_order(y):
    waiting = {y.grad_fn.name(): 0}
    seen = set()
    todo = [y.grad_fn]
    while todo:
        for other, _ in todo.pop().next_functions:
            if other is None:
                continue
            if other not in seen:
                seen.add(other)
                todo.append(other)
            waiting[other.name()] = waiting.get(other.name(), 0) + 1
    order = []
    ready = [y.grad_fn]
    while ready:
        node = ready.pop()
        order.append(node)
        for other, _ in node.next_functions:
            if other is not None:
                waiting[other.name()] -= 1
                if waiting[other.name()] == 0:
                    ready.append(other)
    return order

# %% 03.backward_order wrong: names
expect("some_values", "result[0], result[1] and result[2] are wrong")
from collections import Counter


def following(node):
    return [each for each, _ in node.next_functions if each is not None]


def walk(y):
    """All nodes, each once, in the order in which they are met."""
    found = {y.grad_fn: None} if y.grad_fn is not None else {}
    waiting = list(found)
    while waiting:
        for each in following(waiting.pop(0)):
            if each not in found:
                found[each] = None
                waiting.append(each)
    return list(found)


def in_order(y):
    missing = Counter(each for node in walk(y) for each in following(node))
    order = [y.grad_fn]
    for node in order:
        for each in following(node):
            missing[each] -= 1
            if not missing[each]:
                order.append(each)
    return order


def backward_order(y):
    return [node.name().rpartition("::")[2] for node in in_order(y)]

# %% 03.backward_order wrong: each arrow in order
expect("length", "the result has 5 entries, it must have 3, for the y of `b = a + a; y =")
def following(node):
    return [each for each, _ in node.next_functions if each is not None]


def backward_order(y):
    order, looked_at, waiting = [], set(), [y.grad_fn]
    while waiting:
        node = waiting.pop(0)
        order.append(node)
        if node not in looked_at:
            looked_at.add(node)
            waiting += following(node)
    return order

# %% 03.backward_order wrong: ordered in an earlier call
expect("same_again", "a second call with the same graph gives []")
from collections import Counter


def following(node):
    return [each for each, _ in node.next_functions if each is not None]


def walk(y):
    """All nodes, each once, in the order in which they are met."""
    found = {y.grad_fn: None} if y.grad_fn is not None else {}
    waiting = list(found)
    while waiting:
        for each in following(waiting.pop(0)):
            if each not in found:
                found[each] = None
                waiting.append(each)
    return list(found)


def in_order(y):
    missing = Counter(each for node in walk(y) for each in following(node))
    order = [y.grad_fn]
    for node in order:
        for each in following(node):
            missing[each] -= 1
            if not missing[each]:
                order.append(each)
    return order


MET = set()


def not_met_before(y):
    met = [node for node in walk(y) if node not in MET]
    MET.update(met)
    return met


def backward_order(y):
    met = not_met_before(y)
    return [node for node in in_order(y) if node in met]

# %% 03.backward_order wrong: ready twice
expect("length", "the result has 5 entries, it must have 3, for the y of `b = a + a; y =")
edit("\n        for each in following(node):\n            missing[each] -= 1\n            if not missing[each]",
     "\n        missing.subtract(following(node))\n"
     "        order += [each for each in following(node) if not missing[each]]\n        if len(order) > 5_000",
     of="by counting")

# %% 03.backward_order wrong: the last node of a right order is lost
expect(
    "length",
    "the result has 2 entries, it must have 3, for the y of `b = a.abs()",
    never=("specified  ['AccumulateGrad of a', ",),
)
def backward_order(y):
    finished, seen = [], set()
    stack = [(y.grad_fn, False)]
    while stack:
        node, leaving = stack.pop()
        if leaving:
            finished.insert(0, node)
        elif node is not None and node not in seen:
            seen.add(node)
            stack.append((node, True))
            stack += [(each, False) for each, _ in node.next_functions]
    return finished[:-1]
