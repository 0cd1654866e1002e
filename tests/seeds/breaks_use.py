"""The edits that disable the rules behind the rows found in use."""

from tests.seeds.shapes import Break

BREAKS_USE: dict[str, tuple[Break, ...]] = {
    "U-20": (
        Break(
            file="bootstrap/looking.py",
            old="load(Path(settings.policy), default=SERVER_DEFAULT)",
            new="load(Path(settings.policy))",
        ),
        Break(
            file="core/unanswered.py",
            old="_unhosted(bound) or f'. {_filling(scene, stage, seats)}'",
            new="_unhosted(bound)",
        ),
    ),
    "U-58": (
        Break(
            file="cli/restoring.py",
            old="    return here != parts.settings.database",
            new="    return here == parts.settings.database and False",
        ),
    ),
    "U-23": (
        Break(
            file="core/reasons.py",
            old="for one in (*stops, *raised, *stands)}",
            new="for one in raised}",
        ),
    ),
    "U-24": (
        Break(
            file="core/reasons.py",
            old="        elif not one.is_settled and not blocks(one, least):\n",
            new="        elif not one.is_settled and not (blocks(one, least) or one.advisory):\n",
        ),
        Break(
            file="core/reasons.py",
            old="return 1 + finding.reopened",
            new="return 1",
        ),
    ),
    "U-56": (
        Break(
            file="cli/wait.py",
            old="return Answer(code=exit_code(outcome), lines=(*account",
            new="return Answer(code=0, lines=(*account",
        ),
        Break(
            file="core/reasons.py",
            old='word = "veto by " if is_veto(seat, report) else ""',
            new='word = ""',
        ),
    ),
    "U-26": (
        Break(
            file="core/briefs.py",
            old="for name, meaning in (*one.required, *one.optional):",
            new="for name, meaning in one.optional:",
        ),
        Break(
            file="core/briefs.py",
            old='draft=seat.draft if seat and seat.left else ""',
            new='draft=""',
        ),
    ),
    "U-32": (
        Break(
            file="core/briefs.py",
            old="escalate_when=row.escalate_when if row else ()",
            new="escalate_when=()",
        ),
        Break(
            file="app/calls/records.py",
            old="_DECIDING = frozenset((_REPORTED, _FAILED, _OVERRIDDEN))",
            new="_DECIDING = frozenset((_REPORTED, _FAILED))",
        ),
        Break(
            file="app/calls/seed_002.py",
            old="    if form.action:\n        yield ACTION, form.action\n",
            new="",
        ),
    ),
    "U-28": (
        Break(
            file="core/gates/agreement.py",
            old="accepted = [name for name in self.stages if (name, review.revision) in review.overridden]",
            new="accepted = list[str]()",
        ),
        Break(
            file="app/reviewing/panel_report.py",
            old="    ruling = review.ruling()\n    if ruling is not None:\n",
            new="    ruling = review.ruling()\n    if ruling is None and switches is None:\n",
        ),
    ),
    "U-25": (
        Break(
            file="core/reasons.py",
            old="return seat.candidates[0] if is_program else report.reviewer.name",
            new="return report.reviewer.name if is_program else report.reviewer.name",
        ),
    ),
    "U-21": (
        Break(
            file="app/calls/session_pauses.py",
            old="    if not found:\n        return Pause()\n",
            new="    if found:\n        return Pause()\n",
        ),
    ),
    "U-22": (
        Break(
            file="app/calls/seed_003.py",
            old="    if spoken:\n        yield FileSent(path=SESSION_FILE",
            new="    if not spoken:\n        yield FileSent(path=SESSION_FILE",
        ),
    ),
    "U-04": (
        Break(
            file="core/answers/seats.py",
            old="    if not served:\n",
            new="    if not (served or current):\n",
        ),
        Break(file="core/evidence.py", old="len(found) >= WORDS_MIN and", new="bool(text) or"),
    ),
    "U-05": (
        Break(
            file="core/checks.py",
            old="found = VERDICTS.get(word.strip().lower().replace",
            new="found = VERDICTS.get(word.strip(), Verdict.CONCERNS) or VERDICTS.get(word.replace",
        ),
        Break(
            file="core/answers/author.py", old="if rules.protocol(name) is None and actor != CLOCK:", new="if not name:"
        ),
        Break(file="core/claims.py", old="if passed and not is_run_here(scene, actor):", new="if not stage.name:"),
        Break(file="core/drafts.py", old="if meant.isdisjoint(scopes):", new="if not meant:"),
    ),
    "U-06": (Break(file="core/citations.py", old="    if place.path not in paths:\n", new="    if not place.path:\n"),),
    "U-02": (
        Break(
            file="core/skips.py",
            old="harmless = bool(proof) and risk.trivial",
            new="harmless = risk.level < RiskLevel.HIGH",
        ),
        Break(
            file="core/risk/instruction_files.py",
            old="return _search(_ANY, path)",
            new="return _search(_ANY, path) and False",
        ),
        Break(
            file="proofs/layout.py",
            old="if not all(is_plain(text) for pair in changed for group in pair for text in group):",
            new="if beside_too is None:",
        ),
        Break(file="proofs/edits.py", old="if named(edit.before, in", new="if not edit and named(edit.before, in"),
        Break(file="proofs/edits.py", old="if addressed(edit.before)", new="if not edit and addressed(edit.before)"),
    ),
    "U-14": (
        Break(
            file="core/answers/settling.py",
            old="if seat.part is not Part.TIE_BREAK or verdict is not Verdict.APPROVE or stage.has_veto:",
            new="if stage.name:",
        ),
    ),
    "U-07": (
        Break(
            file="core/assign.py",
            old="return is_program and principal.who.name.removesuffix(HERE) == rule.program",
            new="return is_program or bool(rule.program)",
        ),
    ),
    "U-08": (
        Break(
            file="core/parties.py",
            old="if who.is_human:\n            return None",
            new="if who.name:\n            return None",
        ),
    ),
    "U-01": (
        Break(
            file="app/bases.py",
            old="if standing is None or standing.is_word_of(reading, ask.actor):",
            new="if standing is None:",
        ),
    ),
    "U-03": (
        Break(
            file="core/answers/author.py",
            old="    if command.digest in facts.objections:\n",
            new="    if command.digest in facts.objections and False:\n",
        ),
        Break(
            file="app/live.py",
            old="        found = self._objections.among(every)\n",
            new="        found = self._objections.among(every)[:0]\n",
        ),
        Break(
            file="core/answers/inheriting.py",
            old="        if one.origin not in known and words not in said and one.origin[0] != review.id:\n",
            new="        if one.origin in known:\n",
        ),
        Break(
            file="app/heads.py",
            old="return owed if review.outcome is not None else",
            new="return owed if review else",
        ),
        Break(
            file="core/drafts.py",
            old="return (known.id, draft.place.context_hash) in scene.facts.settled_texts",
            new="return True",
        ),
    ),
    "U-09": (
        Break(
            file="app/live.py",
            old="        if self._owes(rows):\n",
            new="        if False:\n",
        ),
    ),
    "U-10": (
        Break(
            file="cli/check.py",
            old="why_not_signed(reading, found, mark) if found.allowed else",
            new='"" if found.allowed else',
        ),
    ),
    "U-11": (
        Break(
            file="core/risk/__init__.py",
            old="any(guards(rule.pattern, path) for path in touched)",
            new="any(matches(rule.pattern, path) for path in touched)",
        ),
    ),
    "U-12": (Break(file="core/settle.py", old="if _cause_is_gone(ruling, assessment):", new="if not ruling:"),),
    "U-13": (Break(file="core/scene.py", old="self.review.retries)", new="self.review.resubmissions)"),),
    "U-15": (Break(file="core/options.py", old="    if unreviewed:\n        return Effect.RETURN\n", new=""),),
    "U-16": (Break(file="app/trusting.py", old="    for _ in range(doubts):\n", new="    for _ in range(0):\n"),),
    "U-17": (
        Break(
            file="reviewers/program.py",
            old="return await self.children.call(look_at, run, seconds=seconds, party=author)",
            new="return look_at(run)",
        ),
    ),
    "U-18": (
        Break(
            file="app/verify_start.py",
            old="one.version == version + 1 and link_of(link, one) != one.chain",
            new="one.version == 0 and link_of(link, one) != one.chain",
        ),
    ),
    "U-40": (
        Break(
            file="mcp/arguments.py",
            old="    return taken, [name[:NAME_CHARS_MAX] for name in ignored[:IGNORED_MAX]]",
            new="    return dict(arguments), []",
        ),
    ),
    "U-41": (
        Break(
            file="mcp/listing.py",
            old="return not USUAL.get(name, frozenset()).isdisjoint(parts if which is Which.USUAL else {which})",
            new="return bool(name) and bool(parts)",
        ),
    ),
    "U-42": (
        Break(
            file="app/calls/repairs.py",
            old="fields, step = {**fields, **more}, step or found",
            new="step = step or found",
        ),
    ),
    "U-43": (
        Break(
            file="app/reviewing/outcome.py",
            old="silent=bool(self.unclear or self.minds_failed)",
            new="silent=bool(self.unclear)",
        ),
    ),
    "U-44": (
        Break(
            file="reviewers/at_hand.py",
            old="name, sends = reviewer.who.name, receivers or reviewer.sends",
            new="name, sends = reviewer.who.name, reviewer.sends",
        ),
    ),
    "U-50": (
        Break(
            file="bootstrap/local.py",
            old="database=server.settings.local_database,",
            new="database=server.settings.database,",
        ),
    ),
    "U-51": (
        Break(
            file="app/calls/registry.py",
            old="return found if call.cuts else await office.served(caller, form, found)",
            new="return found",
        ),
    ),
    "U-52": (
        Break(
            file="app/reviewing/dismissals.py",
            old="found = (one for one in dismissals(reading) if one.where == where)",
            new="found = (one for one in dismissals(reading) if one.where != where)",
        ),
        Break(
            file="app/reviewing/dismissals.py",
            old="known = dismissals(reading) if waiting else ()",
            new="known = ()",
        ),
    ),
    "U-53": (
        Break(file="git/reading.py", old="    return base or commits[0], head", new="    return commits[0], head"),
    ),
    "U-54": (Break(file="app/reviewing/standing.py", old=" or nobody_read(told.unread, looked)", new=""),),
    "U-55": (
        Break(
            file="core/situation.py",
            old="for one in review.findings.values() if not one.is_settled)\n    return {sev",
            new="for one in review.findings.values() if one.is_settled)\n    return {sev",
        ),
        Break(
            file="core/situation.py",
            old='return f"{names[0]} and {len(names) - 1:,} more" if len(names) > 1 else "".join(names)',
            new='return "".join(names[:1])',
        ),
        Break(
            file="app/calls/looking.py",
            old="files=files_of(review), findings=found, turn=turn)",
            new='files=files_of(review), findings=found, turn="")',
        ),
    ),
    "U-57": (Break(file="cli/sarif.py", old="for one in rules if one.id in fired}", new="for one in rules}"),),
    "U-60": (
        Break(
            file="reviewers/critics/commands/critic.py",
            old="None if is_typed(file.path, change.kind) else partial(_is_called, file, change.files)",
            new="None",
        ),
    ),
    "U-27": (
        Break(
            file="app/calls/seed_001_checking.py",
            old="    if files:\n        return Needless",
            new="    if reason:\n        return Needless",
        ),
        Break(
            file="app/calls/seed_001_checking.py",
            old="return name if len(holders) == 1 else role",
            new="return name if holders else role",
        ),
    ),
    "U-29": (
        Break(
            file="app/calls/seed_001_metrics.py",
            old="status=_status(known, heard)",
            new='status=""',
        ),
        Break(
            file="app/calls/seed_001_filter.py",
            old="return frozenset(named | holders) or",
            new="return frozenset(named) or",
        ),
    ),
    "U-31": (
        Break(
            file="app/calls/seed_000_moving.py",
            old="if all(version.digest != work.digest for version in review.revisions):",
            new="if review.current.digest != work.digest:",
        ),
        Break(file="app/calls/own_ids.py", old="return found.get(caller, only)", new="return name"),
    ),
    "U-30": (
        Break(
            file="cli/calling.py",
            old='is_no = data.get(JUDGES.get(name, "")) is False',
            new='is_no = data.get("can_graduate") is False',
        ),
        Break(file="app/calls/misfits.py", old='fields["known_fields"] = known', new='fields["known_fields"] = []'),
    ),
    "U-59": (
        Break(
            file="home/served_policy.py", old="    if server is None or not server.is_server:\n", new="    if home:\n"
        ),
        Break(file="web/reviews.py", old='        word = "approves"\n', new="        word = word\n"),
        Break(file="git/loose.py", old='return "plan" if is_plan else "code"', new='return "code"'),
        Break(file="bootstrap/telling.py", old="_out(assembly).check(one.channel.url)", new="_out(assembly)"),
        Break(file="notify/letters.py", old='data["sentence"] = title_of(told, notice)', new="pass"),
        Break(
            file="app/projections/decisions.py",
            old='if one.stored.actor == CLOCK.name else ""',
            new='if not one.stored.actor else ""',
        ),
    ),
}
