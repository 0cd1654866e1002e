"""Expand `dynamic` blocks of Terraform whose list is written in the file."""

from __future__ import annotations

import re

from foureyes.reviewers.critics.exposure.hcl import EACH, ITERATOR
from foureyes.reviewers.critics.exposure.tree import Node

#: Limits for the blocks made of one dynamic block and for all nodes together; beyond them it is left as it is.
_BLOCKS_MAX = 64
_NODES_MAX = 20_000
_STEP = re.compile(r"\.([A-Za-z_]\w{0,80})|\[[\"']?([A-Za-z_][\w-]{0,80})[\"']?\]")
_STEPS_MAX = 8


def unroll(body: Node) -> None:
    """Replace each dynamic block by the blocks that it generates."""
    stack, left = [body], _NODES_MAX
    while stack:
        node = stack.pop()
        for key, inner in list(node.map.items()):
            if isinstance(inner.value, list) and any(EACH in one.map for one in inner.value):
                blocks: list[Node] = []
                for one in inner.value:
                    made = _made(one, key) if left > 0 else [one]
                    left -= sum(len(each.map) for each in made) if len(made) > 1 else 0
                    blocks += made
                inner.value[:] = blocks
        stack += [inner for one in node.map.values() for inner in (one, *one.items) if isinstance(inner.value, dict)]


def _made(block: Node, label: str) -> list[Node]:
    each = block.map.get(EACH)
    if each is None or each.opaque or not 0 < _length(each) <= _BLOCKS_MAX:
        return [block]
    named = block.map.get(ITERATOR)
    name = named.text if named is not None and named.text else label
    if isinstance(each.value, dict):
        pairs = [(Node(line=each.line, value=key), value) for key, value in each.value.items()]
    else:
        pairs = [(one, one) for one in each.items]
    kept = {one: inner for one, inner in block.map.items() if one not in (EACH, ITERATOR)}
    content = Node(line=block.line, value=dict(kept), keys=block.keys)
    return [_with(content, name, key, value) for key, value in pairs]


def _length(node: Node) -> int:
    return len(node.map) or len(node.items)


def _with(node: Node, name: str, key: Node, value: Node) -> Node:
    """Return a copy with the block's own key and value filled in; expressions of other iterators are kept."""
    if isinstance(node.value, dict):
        pairs = {one: _with(inner, name, key, value) for one, inner in node.value.items()}
        return Node(line=node.line, value=pairs, keys=node.keys)
    if isinstance(node.value, list):
        return Node(line=node.line, value=[_with(one, name, key, value) for one in node.value])
    return _resolved(node, name, key, value) if node.opaque else node


def _resolved(node: Node, name: str, key: Node, value: Node) -> Node:
    text = node.text.removeprefix("${").removesuffix("}").strip()
    if text == f"{name}.key":
        return key
    if not text.startswith(f"{name}.value"):
        return node
    found: Node | None = value
    at = len(name) + len(".value")
    for _ in range(_STEPS_MAX):
        if at == len(text) or found is None:
            break
        step = _STEP.match(text, at)
        if step is None:
            return node
        found, at = found.get(step[1] or step[2]), step.end()
    return found if found is not None and at == len(text) else node
