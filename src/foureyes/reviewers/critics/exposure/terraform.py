"""Judge the resources of a Terraform file or plan."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from foureyes.reviewers.critics.critic import Hit, Rule
from foureyes.reviewers.critics.exposure import aws, aws_more, azure, gcp, iam, modules, network, network_more
from foureyes.reviewers.critics.exposure.cloud import Book, Resource
from foureyes.reviewers.critics.exposure.hcl import Block, read_hcl
from foureyes.reviewers.critics.exposure.jsons import read_json
from foureyes.reviewers.critics.exposure.kube_terraform import judge_kube_resource, kind_of
from foureyes.reviewers.critics.exposure.tree import Node, UnreadableError
from foureyes.reviewers.critics.exposure.unroll import unroll

_REFERENCE = re.compile(r"(?:\$\{)?\s{0,4}(?P<name>(?:var|local)\.[A-Za-z_][\w-]{0,100})\s{0,4}\}?")
_MODULES_DEPTH_MAX = 20
#: Longer defaults are not filled in: many references to one would make the time quadratic in the size of the work.
_DEFAULT_MAX = 64


@cache
def book() -> Book:
    """Return all rows and checks of all clouds."""
    rows = (*aws.ROWS, *aws_more.ROWS, *azure.ROWS, *gcp.ROWS)
    checks = (*network.CHECKS, *network_more.CHECKS, *iam.CHECKS, *aws.CHECKS, *azure.CHECKS, *gcp.CHECKS)
    return Book(rows, checks, (*network.RULES, *iam.RULES, *aws.RULES, *azure.RULES, *gcp.RULES))


RULES: tuple[Rule, ...] = (*book().rules, *modules.RULES)


def judge_terraform(path: str, text: str) -> Iterator[Hit]:
    """Yield the hits of a `.tf` or `.tf.json` file."""
    blocks = _of_json(read_json(text)) if path.lower().endswith(".json") else read_hcl(text)
    known = _known(blocks)
    for one in blocks:
        if one.kind not in ("resource", "data", "module"):
            continue
        if known:
            _fill(one.body, known)
        unroll(one.body)
        if one.kind == "module":
            yield from modules.judge_module(path, one.body)
        elif len(one.labels) == 2:  # noqa: PLR2004 - kind and name
            prefix = "data." if one.kind == "data" else ""
            resource = Resource(path=path, kind=prefix + one.labels[0], name=one.labels[1], body=one.body)
            yield from judge_kube_resource(resource) if kind_of(resource.kind) else book().judge(resource)


def judge_plan(path: str, documents: list[Node]) -> Iterator[Hit]:
    """Yield the hits of `terraform show -json`; line numbers are those of the plan itself."""
    for document in documents:
        root = document.at("planned_values.root_module")
        modules = [(root, 1)] if root is not None else []
        while modules:
            module, depth = modules.pop()
            for listed in module.every("resources"):
                for one in listed.items:
                    yield from _planned(path, one)
            inner = module.get("child_modules")
            if inner is not None and depth >= _MODULES_DEPTH_MAX:
                raise UnreadableError("has modules in modules beyond what is read")
            modules += [(one, depth + 1) for one in (inner.items if inner is not None else [])]


def _planned(path: str, one: Node) -> Iterator[Hit]:
    kind, name, body = one.get("type"), one.get("name"), one.get("values")
    if kind is not None and name is not None and body is not None:
        yield from book().judge(Resource(path=path, kind=kind.text, name=name.text, body=body))


def _of_json(document: Node) -> list[Block]:
    found: list[Block] = []
    for kind in ("resource", "data", "module", "variable", "locals"):
        for group in document.every(kind):
            if kind == "locals":
                found.append(Block(kind=kind, labels=(), body=group))
                continue
            for first, inner in ((k, v) for one in group.items for k, v in one.map.items()):
                if kind in ("variable", "module"):
                    found.append(Block(kind=kind, labels=(first,), body=inner))
                    continue
                for second, body in ((k, v) for one in inner.items for k, v in one.map.items()):
                    found += [Block(kind=kind, labels=(first, second), body=one) for one in body.items]
    return found


def _known(blocks: list[Block]) -> dict[str, Node]:
    """Return the defaults of variables and the literal locals of this file."""
    found: dict[str, Node] = {}
    for one in blocks:
        if one.kind == "variable" and one.labels and (default := one.body.get("default")) is not None:
            found[f"var.{one.labels[0]}"] = default
        elif one.kind == "locals":
            found.update({f"local.{key}": node for key, node in one.body.map.items() if not node.opaque})
    return {
        name: node for name, node in found.items() if len(node.items) <= _DEFAULT_MAX and len(node.map) <= _DEFAULT_MAX
    }


def _fill(body: Node, known: dict[str, Node]) -> None:
    """Replace references to known values; values that were filled in are not searched again."""
    stack = [body]
    while stack:
        node = stack.pop()
        pairs = list(node.value.items()) if isinstance(node.value, dict) else []
        for key, inner in pairs:
            node.map[key] = _filled(inner, known, stack)
        if isinstance(node.value, list):
            node.value[:] = [_filled(inner, known, stack) for inner in node.value]


def _filled(node: Node, known: dict[str, Node], stack: list[Node]) -> Node:
    if isinstance(node.value, (dict, list)):
        stack.append(node)
    elif node.opaque and (found := _REFERENCE.fullmatch(node.text)):
        return known.get(found["name"], node)
    return node
