"""The edits that disable the rules behind the rows that reviewers prove."""

from tests.seeds.shapes import Break


def _one(file: str, old: str, new: str) -> tuple[Break, ...]:
    return (Break(file=file, old=old, new=new),)


BREAKS_REVIEW: dict[str, tuple[Break, ...]] = {
    "001-29": _one(
        "app/reviewing/handing_in.py", "return 40 if worst is Severity.CRITICAL else 60", "return 95 if worst else 60"
    ),
    "001-50": _one(
        "reviewers/prompts/prompt.py",
        '        yield "\\n".join((name, *means.get(name, ())))\n\n\ndef _optional',
        "        yield name\n\n\ndef _optional",
    ),
    "001-52": _one("reviewers/prompts/roles.py", "return template(known)", "return template(DEFAULT)"),
    "002-05": _one(
        "reviewers/critics/security.py",
        "return (secrets.CRITIC, commands.CRITIC, exposure.CRITIC, policy.CRITIC)",
        "return (exposure.CRITIC, policy.CRITIC)",
    ),
    "002-06": _one(
        "reviewers/critics/factual/__init__.py", "hits.extend(self._hits(file, change))", "self._hits(file, change)"
    ),
    "004-28": _one("app/reviewing/panel_report.py", 'return "\\n".join([*lines, ""])', 'return "" if lines else ""'),
    "D-06": _one("reviewers/answers/free_text.py", "own = _own(found, task)", "own = found"),
    "D-07": _one("reviewers/critics/policy_change.py", "    if weaker:", "    if len(weaker) > 1000:"),
    "D-09": _one(
        "app/reviewing/round.py",
        "if is_mind and job.reviewer.sends and self.purse <= 0:",
        "if is_mind and job.reviewer.sends and self.purse <= -(10**12):",
    ),
    "D-16": _one(
        "reviewers/boundary.py",
        "clean, removed = _clean(text, path, self.known)",
        "clean, removed = text, _clean(text, path, self.known)[1]",
    ),
    "D-21": _one(
        "app/calls/inbox.py",
        "in reading.inbox(caller.who.name, limit, after))",
        'in reading.inbox("codex", limit, after))',
    ),
}
