"""Answers to notebook 03 by people who saw the statements alone: right ones and wrong ones with what is wrong."""

ANSWERS = [
    (
        "03.count_nodes",
        "right",
        "a stack and a set",
        """
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
""",
    ),
    (
        "03.count_nodes",
        "right",
        "level by level, with set operations",
        """
def count_nodes(y):
    level = {y.grad_fn} - {None}
    known = set()
    while level:
        known |= level
        level = {n for node in level for n, _ in node.next_functions} - known - {None}
    return len(known)
""",
    ),
    (
        "03.count_nodes",
        "right",
        "a list that grows while a for loop walks over it, with ids",
        """
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
""",
    ),
    (
        "03.count_nodes",
        "right",
        "pushes pairs, checks when popped, counts with a deque and a dict",
        """
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
""",
    ),
    (
        "03.count_nodes",
        "wrong",
        "the function calls itself for each node, so Python stops it in a deep graph",
        """
def count_nodes(y):
    seen = set()
    def visit(node):
        if node is None or node in seen:
            return
        seen.add(node)
        for other, _ in node.next_functions:
            visit(other)
    visit(y.grad_fn)
    return len(seen)
""",
    ),
    (
        "03.count_nodes",
        "wrong",
        "nodes that are used several times are visited and counted several times (no set of seen nodes; takes forever with many doublings)",
        """
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
""",
    ),
    (
        "03.count_nodes",
        "wrong",
        "a node is marked as seen only when it is popped, and nobody looks then: a node that is on the stack twice is counted twice",
        """
def count_nodes(y):
    if y.grad_fn is None:
        return 0
    seen = set()
    count = 0
    todo = [y.grad_fn]
    while todo:
        node = todo.pop()
        seen.add(node)
        count += 1
        for other, _ in node.next_functions:
            if other is not None and other not in seen:
                todo.append(other)
    return count
""",
    ),
    (
        "03.count_nodes",
        "wrong",
        "the AccumulateGrad nodes of the leaves are not counted",
        """
def count_nodes(y):
    seen = set()
    todo = [y.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen or not node.next_functions:
            continue
        seen.add(node)
        todo.extend(other for other, _ in node.next_functions)
    return len(seen)
""",
    ),
    (
        "03.count_nodes",
        "wrong",
        "fails when y has no graph: grad_fn is None then",
        """
def count_nodes(y):
    seen = {y.grad_fn}
    todo = [y.grad_fn]
    while todo:
        node = todo.pop()
        for other, _ in node.next_functions:
            if other is not None and other not in seen:
                seen.add(other)
                todo.append(other)
    return len(seen)
""",
    ),
    (
        "03.count_nodes",
        "wrong",
        "returns None instead of 0 when y has no graph",
        """
def count_nodes(y):
    if y.grad_fn is None:
        return
    seen = {y.grad_fn}
    todo = [y.grad_fn]
    while todo:
        for other, _ in todo.pop().next_functions:
            if other is not None and other not in seen:
                seen.add(other)
                todo.append(other)
    return len(seen)
""",
    ),
    (
        "03.count_nodes",
        "wrong",
        "y.grad_fn itself is not counted",
        """
def count_nodes(y):
    if y.grad_fn is None:
        return 0
    seen = set()
    todo = [y.grad_fn]
    while todo:
        node = todo.pop()
        for other, _ in node.next_functions:
            if other is not None and other not in seen:
                seen.add(other)
                todo.append(other)
    return len(seen)
""",
    ),
    (
        "03.count_nodes",
        "wrong",
        "None (an input without a gradient) is counted as a node",
        """
def count_nodes(y):
    if y.grad_fn is None:
        return 0
    seen = {y.grad_fn}
    todo = [y.grad_fn]
    while todo:
        node = todo.pop()
        if node is None:
            continue
        for other, _ in node.next_functions:
            if other not in seen:
                seen.add(other)
                todo.append(other)
    return len(seen)
""",
    ),
    (
        "03.count_nodes",
        "wrong",
        "does not expect None in next_functions: fails at an input without a gradient",
        """
def count_nodes(y):
    if y.grad_fn is None:
        return 0
    seen = {y.grad_fn}
    todo = [y.grad_fn]
    while todo:
        for other, _ in todo.pop().next_functions:
            if other not in seen:
                seen.add(other)
                todo.append(other)
    return len(seen)
""",
    ),
    (
        "03.count_nodes",
        "wrong",
        "nodes are told apart by their names: two products count as one node",
        """
def count_nodes(y):
    if y.grad_fn is None:
        return 0
    seen = {y.grad_fn.name()}
    todo = [y.grad_fn]
    while todo:
        for other, _ in todo.pop().next_functions:
            if other is not None and other.name() not in seen:
                seen.add(other.name())
                todo.append(other)
    return len(seen)
""",
    ),
    (
        "03.count_nodes",
        "wrong",
        "counts the edges (pairs in next_functions), not the nodes",
        """
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
""",
    ),
    (
        "03.count_nodes",
        "wrong",
        "follows only the first input of each node",
        """
def count_nodes(y):
    node = y.grad_fn
    count = 0
    while node is not None:
        count += 1
        node = node.next_functions[0][0] if node.next_functions else None
    return count
""",
    ),
    (
        "03.count_nodes",
        "wrong",
        "remembers the pairs (node, number): a node with two results is counted twice",
        """
def count_nodes(y):
    if y.grad_fn is None:
        return 0
    seen = {(y.grad_fn, 0)}
    todo = [y.grad_fn]
    while todo:
        for pair in todo.pop().next_functions:
            if pair[0] is not None and pair not in seen:
                seen.add(pair)
                todo.append(pair[0])
    return len(seen)
""",
    ),
    (
        "03.count_nodes",
        "wrong",
        "the set of seen nodes is a default argument that survives the call: the second call finds nothing new, or counts the nodes of earlier graphs too",
        """
def count_nodes(y, seen=set()):
    todo = [y.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            todo.extend(other for other, _ in node.next_functions)
    return len(seen)
""",
    ),
    (
        "03.count_nodes",
        "wrong",
        "returns the set of the nodes, not their number",
        """
def count_nodes(y):
    seen = set()
    todo = [y.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            todo.extend(other for other, _ in node.next_functions)
    return seen
""",
    ),
    (
        "03.count_nodes",
        "wrong",
        "seen nodes are kept in a set for each level only: a node that is reached at two depths is counted twice",
        """
def count_nodes(y):
    level = {y.grad_fn} - {None}
    count = 0
    while level:
        count += len(level)
        level = {n for node in level for n, _ in node.next_functions if n is not None}
    return count
""",
    ),
    (
        "03.count_nodes",
        "wrong",
        "stops at the first input without a gradient (break instead of continue): inputs after it are forgotten",
        """
def count_nodes(y):
    if y.grad_fn is None:
        return 0
    seen = {y.grad_fn}
    todo = [y.grad_fn]
    while todo:
        for other, _ in todo.pop().next_functions:
            if other is None:
                break
            if other not in seen:
                seen.add(other)
                todo.append(other)
    return len(seen)
""",
    ),
    (
        "03.count_nodes",
        "right",
        "goes level by level with sets of nodes",
        """
def count_nodes(y):
    level = {y.grad_fn} - {None}
    known = set()
    while level:
        known |= level
        level = {child for node in level for child, _ in node.next_functions if child is not None} - known
    return len(known)
""",
    ),
    (
        "03.count_nodes",
        "wrong",
        "counts a node each time a way leads to it: no memory of visited nodes (and takes forever for many doublings)",
        """
def count_nodes(y):
    if y.grad_fn is None:
        return 0
    todo = [y.grad_fn]
    count = 0
    while todo:
        node = todo.pop()
        count += 1
        for child, _ in node.next_functions:
            if child is not None:
                todo.append(child)
    return count
""",
    ),
    (
        "03.count_nodes",
        "wrong",
        "calls itself, so Python stops it with RecursionError in a deep graph",
        """
def count_nodes(y):
    seen = set()

    def visit(node):
        if node is None or node in seen:
            return
        seen.add(node)
        for child, _ in node.next_functions:
            visit(child)

    visit(y.grad_fn)
    return len(seen)
""",
    ),
    (
        "03.count_nodes",
        "wrong",
        "the set holds pairs (node, number), so a node with two results is counted twice",
        """
def count_nodes(y):
    if y.grad_fn is None:
        return 0
    todo = [(y.grad_fn, 0)]
    seen = set(todo)
    while todo:
        node, number = todo.pop()
        for pair in node.next_functions:
            if pair[0] is not None and pair not in seen:
                seen.add(pair)
                todo.append(pair)
    return len(seen)
""",
    ),
    (
        "03.count_nodes",
        "wrong",
        "the AccumulateGrad nodes of the leaves are not counted",
        """
def count_nodes(y):
    if y.grad_fn is None:
        return 0
    todo, seen = [y.grad_fn], {y.grad_fn}
    while todo:
        for child, _ in todo.pop().next_functions:
            if child is None or child in seen or hasattr(child, "variable"):
                continue
            seen.add(child)
            todo.append(child)
    return len(seen)
""",
    ),
    (
        "03.count_nodes",
        "wrong",
        "stops looking at the inputs of a node at the first one without a gradient (break instead of continue)",
        """
def count_nodes(y):
    if y.grad_fn is None:
        return 0
    todo, seen = [y.grad_fn], {y.grad_fn}
    while todo:
        for child, _ in todo.pop().next_functions:
            if child is None:
                break
            if child not in seen:
                seen.add(child)
                todo.append(child)
    return len(seen)
""",
    ),
    (
        "03.leaves_of",
        "right",
        "a stack; a node with nothing behind it is the node of a leaf",
        """
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
""",
    ),
    (
        "03.leaves_of",
        "right",
        "collects all nodes first, then returns a set of the variables",
        """
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
""",
    ),
    (
        "03.leaves_of",
        "right",
        "a tuple of the values of a dict from id to leaf; told by the node's name",
        """
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
""",
    ),
    (
        "03.leaves_of",
        "wrong",
        "returns the AccumulateGrad nodes, not the leaves",
        """
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
            leaves.append(node)
        todo.extend(other for other, _ in node.next_functions)
    return leaves
""",
    ),
    (
        "03.leaves_of",
        "wrong",
        "a leaf that is used several times is in the list several times",
        """
def leaves_of(y):
    leaves = []
    seen = {y.grad_fn}
    todo = [y.grad_fn]
    while todo:
        for other, _ in todo.pop().next_functions:
            if other is None:
                continue
            if not other.next_functions:
                leaves.append(other.variable)
            elif other not in seen:
                seen.add(other)
                todo.append(other)
    return leaves
""",
    ),
    (
        "03.leaves_of",
        "wrong",
        "calls itself for each node: too deep for Python in a long chain",
        """
def leaves_of(y):
    leaves = []
    seen = set()
    def walk(node):
        if node is None or node in seen:
            return
        seen.add(node)
        if not node.next_functions:
            leaves.append(node.variable)
        for other, _ in node.next_functions:
            walk(other)
    walk(y.grad_fn)
    return leaves
""",
    ),
    (
        "03.leaves_of",
        "wrong",
        "no set of seen nodes, so every way through the graph is walked: takes forever with many doublings",
        """
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
""",
    ),
    (
        "03.leaves_of",
        "wrong",
        "`in` compares the values of the tensors: of two leaves with equal values only one is in the list",
        """
def leaves_of(y):
    leaves = []
    seen = set()
    todo = [y.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if not node.next_functions and not any((node.variable == leaf).all() for leaf in leaves if leaf.shape == node.variable.shape):
            leaves.append(node.variable)
        todo.extend(other for other, _ in node.next_functions)
    return leaves
""",
    ),
    (
        "03.leaves_of",
        "wrong",
        "`not in` on a list of tensors compares values (and fails for tensors with several entries), it does not ask whether it is the same tensor",
        """
def leaves_of(y):
    leaves = []
    seen = set()
    todo = [y.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if not node.next_functions and node.variable not in leaves:
            leaves.append(node.variable)
        todo.extend(other for other, _ in node.next_functions)
    return leaves
""",
    ),
    (
        "03.leaves_of",
        "wrong",
        "follows only the first input of each operation",
        """
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
        todo.extend(other for other, _ in node.next_functions[:1])
    return leaves
""",
    ),
    (
        "03.leaves_of",
        "wrong",
        "returns detached copies, not the leaves themselves",
        """
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
            leaves.append(node.variable.detach())
        todo.extend(other for other, _ in node.next_functions)
    return leaves
""",
    ),
    (
        "03.leaves_of",
        "wrong",
        "the list of leaves is a default argument and survives the call: later calls also return the leaves of earlier graphs",
        """
def leaves_of(y, leaves=[]):
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
""",
    ),
    (
        "03.leaves_of",
        "wrong",
        "the set of seen nodes survives the call: a second call with the same graph finds no leaf",
        """
SEEN = set()
def leaves_of(y):
    leaves = []
    todo = [y.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in SEEN:
            continue
        SEEN.add(node)
        if not node.next_functions:
            leaves.append(node.variable)
        todo.extend(other for other, _ in node.next_functions)
    return leaves
""",
    ),
    (
        "03.leaves_of",
        "wrong",
        "returns at the first leaf that it meets",
        """
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
            break
        todo.extend(other for other, _ in node.next_functions)
    return leaves
""",
    ),
    (
        "03.leaves_of",
        "wrong",
        "stops the whole walk at the first input without a gradient (break instead of continue)",
        """
def leaves_of(y):
    leaves = []
    seen = set()
    todo = [y.grad_fn]
    while todo:
        node = todo.pop()
        if node is None:
            break
        if node in seen:
            continue
        seen.add(node)
        if not node.next_functions:
            leaves.append(node.variable)
        todo.extend(other for other, _ in node.next_functions)
    return leaves
""",
    ),
    (
        "03.leaves_of",
        "wrong",
        "nodes are told apart by their names, so after the first product every other product is skipped",
        """
def leaves_of(y):
    leaves = []
    seen = set()
    todo = [y.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node.name() in seen:
            continue
        seen.add(node.name())
        if not node.next_functions:
            leaves.append(node.variable)
        todo.extend(other for other, _ in node.next_functions)
    return leaves
""",
    ),
    (
        "03.leaves_of",
        "wrong",
        "returns the values of the leaves, not the leaves",
        """
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
            leaves.append(node.variable.tolist())
        todo.extend(other for other, _ in node.next_functions)
    return leaves
""",
    ),
    (
        "03.leaves_of",
        "wrong",
        "looks only at the direct inputs of y",
        """
def leaves_of(y):
    nodes = {node for node, _ in y.grad_fn.next_functions if node is not None}
    return [node.variable for node in nodes if not node.next_functions]
""",
    ),
    (
        "03.leaves_of",
        "wrong",
        "only leaves that hold a gradient already are returned",
        """
def leaves_of(y):
    leaves = []
    seen = set()
    todo = [y.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if not node.next_functions and node.variable.grad is not None:
            leaves.append(node.variable)
        todo.extend(other for other, _ in node.next_functions)
    return leaves
""",
    ),
    (
        "03.leaves_of",
        "wrong",
        "forgets to return the list",
        """
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
""",
    ),
    (
        "03.leaves_of",
        "wrong",
        "None (an input without a gradient) is not expected",
        """
def leaves_of(y):
    leaves = []
    seen = set()
    todo = [y.grad_fn]
    while todo:
        node = todo.pop()
        if node in seen:
            continue
        seen.add(node)
        if not node.next_functions:
            leaves.append(node.variable)
        todo.extend(other for other, _ in node.next_functions)
    return leaves
""",
    ),
    (
        "03.leaves_of",
        "right",
        "a list that grows while the loop goes through it, and a dict by id, returned as a tuple",
        """
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
""",
    ),
    (
        "03.leaves_of",
        "wrong",
        "a leaf is put into the list each time some operation uses it, so a leaf that is used twice is in the list twice",
        """
def leaves_of(y):
    leaves = []
    todo, seen = [y.grad_fn], {y.grad_fn}
    while todo:
        node = todo.pop()
        for child, _ in node.next_functions:
            if child is None:
                continue
            if len(child.next_functions) == 0:
                leaves.append(child.variable)
            elif child not in seen:
                seen.add(child)
                todo.append(child)
    return leaves
""",
    ),
    (
        "03.leaves_of",
        "wrong",
        "leaves are compared by their values instead of identity, so of two leaves with equal numbers only one is in the list",
        """
def leaves_of(y):
    leaves = []
    todo, seen = [y.grad_fn], {y.grad_fn}
    while todo:
        node = todo.pop()
        if hasattr(node, "variable"):
            leaf = node.variable
            if not any(torch.equal(leaf, other) for other in leaves):
                leaves.append(leaf)
        for child, _ in node.next_functions:
            if child is not None and child not in seen:
                seen.add(child)
                todo.append(child)
    return leaves
""",
    ),
    (
        "03.leaves_of",
        "wrong",
        "returns detached copies of the leaves instead of the leaves themselves",
        """
def leaves_of(y):
    leaves = []
    todo, seen = [y.grad_fn], {y.grad_fn}
    while todo:
        node = todo.pop()
        if not node.next_functions:
            leaves.append(node.variable.detach())
        for child, _ in node.next_functions:
            if child is not None and child not in seen:
                seen.add(child)
                todo.append(child)
    return leaves
""",
    ),
    (
        "03.leaves_of",
        "wrong",
        "the list of leaves is a default argument that lives on, so a second call still has the leaves of the first",
        """
def leaves_of(y, leaves=[]):
    todo, seen = [y.grad_fn], {y.grad_fn}
    while todo:
        node = todo.pop()
        if hasattr(node, "variable"):
            leaves.append(node.variable)
        for child, _ in node.next_functions:
            if child is not None and child not in seen:
                seen.add(child)
                todo.append(child)
    return leaves
""",
    ),
    (
        "03.leaves_of",
        "wrong",
        "returns the AccumulateGrad nodes instead of their tensors (.variable is forgotten)",
        """
def leaves_of(y):
    leaves = []
    todo, seen = [y.grad_fn], {y.grad_fn}
    while todo:
        node = todo.pop()
        if len(node.next_functions) == 0:
            leaves.append(node)
        for child, _ in node.next_functions:
            if child is not None and child not in seen:
                seen.add(child)
                todo.append(child)
    return leaves
""",
    ),
    (
        "03.backward_order",
        "right",
        "counts the edges into each node, a node is ready when all are used up (Kahn)",
        """
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
""",
    ),
    (
        "03.backward_order",
        "right",
        "depth first with a stack of iterators, finished nodes reversed",
        """
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
""",
    ),
    (
        "03.backward_order",
        "right",
        "graphlib.TopologicalSorter of the standard library",
        """
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
""",
    ),
    (
        "03.backward_order",
        "right",
        "sorted by height: the longest way down to a leaf, computed with an enter/leave stack",
        """
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
""",
    ),
    (
        "03.backward_order",
        "wrong",
        "level by level (breadth first): a node that is also reached on a longer way comes too early",
        """
def backward_order(y):
    order = [y.grad_fn]
    seen = {y.grad_fn}
    for node in order:
        for other, _ in node.next_functions:
            if other is not None and other not in seen:
                seen.add(other)
                order.append(other)
    return order
""",
    ),
    (
        "03.backward_order",
        "wrong",
        "the order in which a stack meets the nodes: a node comes before another node that sends it a gradient",
        """
def backward_order(y):
    order = []
    seen = set()
    stack = [y.grad_fn]
    while stack:
        node = stack.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        order.append(node)
        stack.extend(other for other, _ in node.next_functions)
    return order
""",
    ),
    (
        "03.backward_order",
        "right",
        "depth first with marks for entering and leaving",
        """
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
""",
    ),
    (
        "03.backward_order",
        "wrong",
        "the list is not reversed: leaves first, as in the forward pass",
        """
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
    return finished
""",
    ),
    (
        "03.backward_order",
        "wrong",
        "list.reverse() returns None, and that is returned",
        """
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
    return finished.reverse()
""",
    ),
    (
        "03.backward_order",
        "wrong",
        "a node is marked as seen when it is pushed, not when it is entered: the order of leaving is no longer right",
        """
def backward_order(y):
    finished = []
    seen = {y.grad_fn}
    stack = [(y.grad_fn, False)]
    while stack:
        node, done = stack.pop()
        if done:
            finished.append(node)
            continue
        stack.append((node, True))
        for other, _ in node.next_functions:
            if other is not None and other not in seen:
                seen.add(other)
                stack.append((other, False))
    return finished[::-1]
""",
    ),
    (
        "03.backward_order",
        "wrong",
        "calls itself for each node: too deep for Python in a long chain",
        """
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
""",
    ),
    (
        "03.backward_order",
        "wrong",
        "counts one edge where a node uses the same input twice (set), but subtracts both: the input is ready too early",
        """
def backward_order(y):
    waiting = {y.grad_fn: 0}
    todo = [y.grad_fn]
    while todo:
        for other in {n for n, _ in todo.pop().next_functions}:
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
""",
    ),
    (
        "03.backward_order",
        "wrong",
        "counts both edges where a node uses the same input twice, but subtracts only one (set): the input never becomes ready and is missing",
        """
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
        for other in {n for n, _ in node.next_functions}:
            if other is not None:
                waiting[other] -= 1
                if waiting[other] == 0:
                    ready.append(other)
    return order
""",
    ),
    (
        "03.backward_order",
        "wrong",
        "a node is ready as soon as one node has sent it a gradient (<= instead of waiting for all), and once only",
        """
def backward_order(y):
    order = []
    ready = [y.grad_fn]
    sent = {y.grad_fn}
    while ready:
        node = ready.pop(0)
        order.append(node)
        for other, _ in reversed(node.next_functions):
            if other is not None and other not in sent:
                sent.add(other)
                ready.append(other)
    return order
""",
    ),
    (
        "03.backward_order",
        "wrong",
        "returns the names, not the nodes",
        """
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
        order.append(node.name())
        for other, _ in node.next_functions:
            if other is not None:
                waiting[other] -= 1
                if waiting[other] == 0:
                    ready.append(other)
    return order
""",
    ),
    (
        "03.backward_order",
        "wrong",
        "the AccumulateGrad nodes are left out",
        """
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
        if node.next_functions:
            order.append(node)
        for other, _ in node.next_functions:
            if other is not None:
                waiting[other] -= 1
                if waiting[other] == 0:
                    ready.append(other)
    return order
""",
    ),
    (
        "03.backward_order",
        "wrong",
        "y.grad_fn itself is missing",
        """
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
    return order[1:]
""",
    ),
    (
        "03.backward_order",
        "wrong",
        "a node that is met again is moved to the end, but the nodes behind it are not moved",
        """
def backward_order(y):
    order = {y.grad_fn: None}
    todo = [y.grad_fn]
    while todo:
        node = todo.pop(0)
        for other, _ in node.next_functions:
            if other is None:
                continue
            if other in order:
                del order[other]
            else:
                todo.append(other)
            order[other] = None
    return list(order)
""",
    ),
    (
        "03.backward_order",
        "wrong",
        "a node that is met again is put on the stack again with all that is behind it: right order, but takes forever with many doublings",
        """
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
""",
    ),
    (
        "03.backward_order",
        "wrong",
        "the leaves are put last, but all other nodes are in breadth-first order",
        """
def backward_order(y):
    order = [y.grad_fn]
    seen = {y.grad_fn}
    for node in order:
        for other, _ in node.next_functions:
            if other is not None and other not in seen:
                seen.add(other)
                order.append(other)
    inner = [node for node in order if node.next_functions]
    return inner + [node for node in order if not node.next_functions]
""",
    ),
    (
        "03.backward_order",
        "wrong",
        "None (an input without a gradient) is in the list",
        """
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
""",
    ),
    (
        "03.backward_order",
        "wrong",
        "the list survives the call (default argument): the second call returns the nodes twice",
        """
def backward_order(y, order=[]):
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
""",
    ),
    (
        "03.backward_order",
        "wrong",
        "y.grad_fn is in the list twice: it is put there first and again when it is taken from the stack",
        """
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
    order = [y.grad_fn]
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
""",
    ),
    (
        "03.backward_order",
        "wrong",
        "the in-counts are kept by name: nodes with the same name are mixed up",
        """
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
""",
    ),
    (
        "03.backward_order",
        "right",
        "lets graphlib of the standard library sort the nodes",
        """
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
""",
    ),
    (
        "03.backward_order",
        "wrong",
        "plain breadth-first order: a node comes as soon as one sender was there, not after all senders",
        """
def backward_order(y):
    order, seen = [y.grad_fn], {y.grad_fn}
    for node in order:
        for child, _ in node.next_functions:
            if child is not None and child not in seen:
                seen.add(child)
                order.append(child)
    return order
""",
    ),
    (
        "03.backward_order",
        "wrong",
        "the finished list is not reversed: it is the order of the forward pass, leaves first",
        """
def backward_order(y):
    order, seen = [], set()
    stack = [(y.grad_fn, False)]
    while stack:
        node, done = stack.pop()
        if done:
            order.append(node)
            continue
        if node in seen:
            continue
        seen.add(node)
        stack.append((node, True))
        for child, _ in node.next_functions:
            if child is not None and child not in seen:
                stack.append((child, False))
    return order
""",
    ),
    (
        "03.backward_order",
        "wrong",
        "counts each edge but takes off only one for each pair of nodes: with b * b the node of b never gets ready and is missing",
        """
def backward_order(y):
    waits = {y.grad_fn: 0}
    todo = [y.grad_fn]
    while todo:
        for child, _ in todo.pop().next_functions:
            if child is not None:
                if child not in waits:
                    waits[child] = 0
                    todo.append(child)
                waits[child] += 1
    order, ready = [], [y.grad_fn]
    while ready:
        node = ready.pop()
        order.append(node)
        for child in {pair[0] for pair in node.next_functions if pair[0] is not None}:
            waits[child] -= 1
            if waits[child] == 0:
                ready.append(child)
    return order
""",
    ),
    (
        "03.backward_order",
        "wrong",
        "the AccumulateGrad nodes are left out of the list",
        """
def backward_order(y):
    waits = {y.grad_fn: 0}
    todo = [y.grad_fn]
    while todo:
        for child, _ in todo.pop().next_functions:
            if child is not None:
                if child not in waits:
                    waits[child] = 0
                    todo.append(child)
                waits[child] += 1
    order, ready = [], [y.grad_fn]
    while ready:
        node = ready.pop()
        if node.next_functions:
            order.append(node)
        for child, _ in node.next_functions:
            if child is not None:
                waits[child] -= 1
                if waits[child] == 0:
                    ready.append(child)
    return order
""",
    ),
    (
        "03.backward_order",
        "wrong",
        "returns the names of the nodes instead of the nodes",
        """
def backward_order(y):
    waits = {y.grad_fn: 0}
    todo = [y.grad_fn]
    while todo:
        for child, _ in todo.pop().next_functions:
            if child is not None:
                if child not in waits:
                    waits[child] = 0
                    todo.append(child)
                waits[child] += 1
    order, ready = [], [y.grad_fn]
    while ready:
        node = ready.pop()
        order.append(node.name())
        for child, _ in node.next_functions:
            if child is not None:
                waits[child] -= 1
                if waits[child] == 0:
                    ready.append(child)
    return order
""",
    ),
]
