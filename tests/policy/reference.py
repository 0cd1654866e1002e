"""The reference page of policies, generated from the schema so that it cannot become outdated.

    python -m tests.policy.reference

writes the page; a test compares it.
"""

from collections.abc import Iterator

from foureyes.policy.load import SHIPPED
from foureyes.policy.nodes import DEPTH_MAX, FILE_BYTES_MAX
from foureyes.policy.peer_conditions import CONDITIONS
from foureyes.policy.people import COMMANDS
from foureyes.policy.schema import SECTIONS
from foureyes.policy.shapes import Key
from tests.shape import ROOT

PAGE = ROOT / "docs" / "reference" / "policy.md"

HEAD = f"""\
# Policy keys

Every key a `foureyes.yaml` can have. This page is written from the schema in `src/foureyes/policy/schema.py` by
`python -m tests.policy.reference`; a test compares them. How to write a policy is told in
[write a policy](../howto/write-a-policy.md).

- A file is UTF-8, at most {FILE_BYTES_MAX // 1024} KiB and {DEPTH_MAX} levels deep, one document of plain YAML: no
  anchors, aliases, tags or merge keys, no key twice, no unknown key. `yes`, `no`, `on`, `off`, `0o7`, `1_000`, `1:30`,
  `1e3` and dates are refused unless they are quoted, because readers of YAML do not agree about them.
- What an editor does not show is refused: line ends other than LF and CRLF (a bare CR, U+0085, U+2028, U+2029), marks
  that turn the direction of writing, characters without width.
- A file that ends in `.json` holds JSON and nothing else.
- Everything that is wrong is said at once, each as `file:line: what is wrong; what is allowed`.
- Names of kinds are the same in any spelling: `create-core`, `Create Core` and `create_core` are one.
- Names of targets are the same in any case. A target that is not listed, or none at all, demands the highest level that
  is listed.
- Patterns are those of CODEOWNERS: `*` and `?` stay within a folder, `**` crosses folders, a slash in front or within
  binds to the root, a slash at the end means what lies beneath.
- A file without `version` is taken for one of the older documents if it has their keys: a review policy
  (`review_required`, `reviewer_matrix`, `auto_escalate`, …), the rows of a matrix alone (`primary_reviewer`, …), critic
  chains (`chains`), or a project file (`review`).
- The long form of the matrix was handed around with the key `rationale` twice in every row, once after
  `primary_reviewer` and once after `backup_reviewer`. Readers that do not mind keep the last and lose the first; here
  the second one is `backup_rationale`, and both are kept. Any other key that stands twice is refused with its line.
- A `command` is one of {", ".join(f"`{one}`" for one in COMMANDS)}; a `model` is `provider:name`; a `program` is one
  of our critics by its name, and holds the role of that name by itself; `run` is a command of the project, like its
  tests, run as it stands and without a shell: it passes where it ends with 0.
- Shipped: {", ".join(f"`{one}`" for one in SHIPPED)}. Where there is
  no `foureyes.yaml`, a server judges by `server` and `foureyes review` by `solo`.
"""

TITLES = {
    "file": ("The file", "The keys at the top."),
    "ruling": ("ruling", "Under every style: how many humans it takes."),
    "times": ("times", "Under every style but `peer`, which has its own words for them."),
    "peer": ("peer", "The document of the peer style, inline, in a file of its own, or as the whole policy."),
    "peer times": ("peer times", "Under `peer.times`."),
    "chain": ("chain", "One chain under `chains`."),
    "layer": ("layer", "One critic of a chain."),
    "step": ("step", "One workflow step under `chains.steps`. It must say the same about vetoes as its chain."),
    "chains file": ("chains file", "A file of chains, such as `config/critic-chains.json`."),
    "skip_if": (
        "skip_if",
        "One entry under `review_required.skip_if`. It holds only where a program proves the change harmless.",
    ),
    "matrix row": ("matrix row", "One role under `reviewer_matrix`. Roles that are not named keep their shipped row."),
    "criteria set": ("criteria set", "One kind under `criteria`, or `default`. Other kinds keep their shipped set."),
    "criterion": ("criterion", "One criterion in its long form."),
    "trigger": ("trigger", "One entry under `auto_escalate_to_human`."),
    "condition": (
        "condition",
        "One entry under `auto_escalate`, with one of these formulas and no other; numbers and kinds are examples:\n\n"
        + "\n".join(f"- {one}" for one in CONDITIONS),
    ),
    "manual_escalate": ("manual_escalate", "What always holds; a document that says something else is refused."),
}


def page() -> str:
    """The whole page."""
    return HEAD + "".join(line for name in SECTIONS for line in _section(name))


def _section(name: str) -> Iterator[str]:
    title, says = TITLES.get(name, (name, ""))
    yield f"\n## {title}\n\n"
    if says:
        yield f"{says}\n\n"
    yield "| key | what it is | default | what it is for |\n|---|---|---|---|\n"
    yield from (_row(key) for key in SECTIONS[name])


def _row(key: Key) -> str:
    form, given = (text.replace("|", "\\|") for text in (key.shape.form, key.shape.given))
    return f"| `{key.name}` | {form} | {given} | {key.says} |\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)}")
