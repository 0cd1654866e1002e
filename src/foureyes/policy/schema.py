"""The keys of a policy file: their form and purpose; the reference page is checked against this."""

from __future__ import annotations

from decimal import Decimal

from foureyes.policy.binding import PROGRAMS
from foureyes.policy.schema_peer import PEER_SECTIONS
from foureyes.policy.shapes import Amount, Choice, Flag, Key, Limit, Name, Names, Number, Part, Special, Text

FACTS = ("session", "model_family", "provider", "operator")
CHANGES = ("rebase",)
ENDS = ("escalate_to_human", "return_error", "return_to_author")


def _key(
    name: str, shape: Amount | Choice | Flag | Limit | Name | Names | Number | Part | Special | Text, says: str
) -> Key:
    return Key(name=name, shape=shape, says=says)


#: The keys that every style has in addition to its own.
COMMON: tuple[Key, ...] = (
    _key("independence", Names(among=FACTS), "In what reviewers must differ from the author and from each other."),
    _key(
        "keeps",
        Names(among=CHANGES),
        "`rebase`: a report still counts after the same change was made on another known base; never a veto's.",
    ),
    _key("ruling", Part(section="ruling"), "How many humans, and whose, it takes to let something pass."),
    _key("times", Part(section="times"), "How long each party may take before somebody else is asked."),
    _key(
        "later_severity",
        Choice(words=("minor", "important"), default=""),
        "From the second version on, findings below this are only listed; `important` if left out.",
    ),
    _key(
        "late_findings",
        Choice(words=("listed", "blocking"), default=""),
        "What becomes of findings on lines unchanged since their reviewer last looked; chains block, others list.",
    ),
    _key("coverage", Number(low=0, high=100, default=0), "How much of the work, in percent, every report must cover."),
)

BLIND = Special(form="true, false, first or each_round", given="true")

SECTIONS: dict[str, tuple[Key, ...]] = {
    "file": (
        _key("version", Number(low=1, high=1, default=1), "The version of this form. Every file begins with it."),
        _key("name", Name(), "What the policy is called; the file's own name if left out."),
        _key(
            "enabled",
            Flag(default=True),
            "`false` leaves reviewers out, except of vetoes, of high risk and of dangerous kinds.",
        ),
        _key(
            "mode",
            Special(form="watch or enforce, or one for each kind", given="enforce"),
            "Whether it stops work or only says what it would have stopped.",
        ),
        _key(
            "reviewers",
            Special(form="role: one or several of {program: …}, {command: …}, {model: …}, {run: …}"),
            "Who holds which role.",
        ),
        _key(
            "kinds",
            Special(form="kind: one or several styles", given="default: solo"),
            "Which kind of work is judged how; `default` is every other kind.",
        ),
        _key(
            "paths", Special(form="pattern: one or several kinds"), "Work that touches these paths is of that kind too."
        ),
        _key(
            "risks",
            Special(form="low, medium or high: one or several styles"),
            "Work of at least this risk is judged in these styles too.",
        ),
        _key("ignore", Special(form="a list of patterns"), "Paths that are not read, and are said not to be."),
        _key("budget", Part(section="budget"), "What reviews may cost."),
        _key("humans", Special(form="group: a list of names"), "Groups of people who may decide."),
        _key(
            "targets",
            Special(form="target: 1, 2 or 3"),
            "Which level of independence going live there takes. A target that is not listed demands the highest "
            "level that is. What a human passed counts as level 1.",
        ),
        _key(
            "services",
            Special(form="service: {agents_review_each_other: true}"),
            "Services whose agents may review each other's work. One service is one party: without this line none of "
            "its agents judges what another of them, or the service itself, has made.",
        ),
        _key("clearance", Part(section="clearance"), "How long an approval lasts."),
        _key(
            "resolve", Part(section="resolve"), "The style without verdicts: every finding is answered and confirmed."
        ),
        _key("peer", Special(form="the keys of `peer`, or {file: …}"), "The style of one colleague with a checklist."),
        _key(
            "chains",
            Special(form="chain: its keys, and steps; or {file: …}"),
            "Critics in order, each within its scope.",
        ),
        _key("session", Part(section="session"), "The style for agents at work together."),
        _key(
            "panel",
            Special(form="the keys of `panel`, or {file: …}"),
            "The style of two models, on the spec and on the quality.",
        ),
        _key("review", Special(form="the keys of `panel`"), "Another name of `panel`."),
        _key("solo", Part(section="solo"), "The style of a lone developer: programs, and each agent once."),
        _key("notify", Part(section="notify"), "Where people are told; never part of what a review is judged by."),
    ),
    "budget": (
        _key(
            "review_usd",
            Amount(low=Decimal("0.01"), high=Decimal(10_000), default=Decimal(1), nullable=True),
            "Dollars for one review.",
        ),
        _key(
            "day_usd",
            Amount(low=Decimal("0.01"), high=Decimal(100_000), default=Decimal(10), nullable=True),
            "Dollars for one day.",
        ),
        _key(
            "reviewer_usd",
            Amount(low=Decimal("0.01"), high=Decimal(10_000), default=None, nullable=True),
            "Dollars for one run of one reviewer.",
        ),
        _key("reviewer_minutes", Number(low=1, high=120, default=5), "Minutes for one run of one reviewer."),
        _key(
            "reviewer_tokens",
            Number(low=1_000, high=100_000_000, default=400_000),
            "Tokens for one run of one reviewer.",
        ),
    ),
    "service": (
        _key(
            "agents_review_each_other",
            Flag(default=False),
            "Whether the agents that this service vouches for may review each other's work; the level of independence "
            "is then 1 at most, and the clearance says `one operator`.",
        ),
    ),
    "clearance": (
        _key(
            "expires_hours",
            Limit(low=1, high=8_760, default=None),
            "After how many hours an approval ends; `null` is never.",
        ),
        _key("single_use", Names(), "Kinds whose approval is good for going live once."),
    ),
    "ruling": (
        _key("needs", Number(low=1, high=10, default=1), "How many different humans must agree to let something pass."),
        _key("group", Name(), "The group of `humans` they must belong to; anybody's if left out."),
    ),
    "times": (
        _key("unassigned_minutes", Number(low=1, high=10_080, default=15), "Nobody free: a human is asked after this."),
        _key(
            "volunteer_hours",
            Number(low=1, high=720, default=24),
            "Nobody took an open seat: a human is asked after this.",
        ),
        _key("unstarted_minutes", Number(low=1, high=10_080, default=30), "Not begun: reminded after this."),
        _key(
            "reassign_minutes",
            Number(low=1, high=10_080, default=15),
            "Still not begun: given to somebody else after this.",
        ),
        _key(
            "silent_minutes",
            Number(low=1, high=10_080, default=60),
            "Begun, then no sign of life: given to somebody else.",
        ),
        _key("total_minutes", Number(low=1, high=43_200, default=120), "All of one revision: then a human is asked."),
        _key("author_hours", Number(low=1, high=8_760, default=24), "The author is silent: a human is asked."),
        _key(
            "human_hours",
            Limit(low=1, high=8_760, default=48),
            "A human is silent: the work goes back to the author, nothing is cleared; `null` only reminds.",
        ),
    ),
    "resolve": (
        _key("min_reviewers", Number(low=1, high=10, default=2), "How many different reviewers must vouch."),
        _key("seats_max", Number(low=1, high=50, default=10), "How many may take part."),
        _key("blind", BLIND, "Whether reviewers see nothing of each other until they have reported."),
        _key("max_revisions", Number(low=1, high=20, default=10), "New versions before the work is shelved."),
        _key(
            "answers_max",
            Number(low=1, high=10, default=3),
            "How often a finding may be reopened before the argument ends.",
        ),
        _key(
            "blocking_severity",
            Choice(words=("minor", "important"), default="minor"),
            "From which severity on a finding stops the work.",
        ),
        _key(
            "own_operator",
            Flag(default=False),
            "Whether an account of the author's own operator may be one of the reviewers; the clearance then says "
            "`one operator`. A human always may.",
        ),
        *COMMON,
    ),
    "session": (
        _key(
            "silence_minutes",
            Number(low=1, high=1_440, default=15),
            "No sign of any agent for so long starts a review.",
        ),
        _key("reviewers", Number(low=1, high=10, default=2), "How many reviewers are asked."),
        _key(
            "role",
            Names(default=("reviewer",), count_min=1, count_max=5),
            "Their role, or several in the order in which they are asked.",
        ),
        _key(
            "at_least",
            Number(low=0, high=10, default=0),
            "So many of them are needed; the others are asked where there are any. 0 means all.",
        ),
        _key("blind", BLIND, "Whether reviewers see nothing of each other until they have reported."),
        _key("max_revisions", Number(low=1, high=20, default=10), "New versions before a human is asked."),
        *COMMON,
    ),
    "panel": (
        _key("strategy", Choice(words=("parallel", "single"), default="parallel"), "Two models, or one."),
        _key(
            "parallel_models",
            Names(default=("haiku", "sonnet"), count_min=2, count_max=4),
            "The roles of the models, the strongest last.",
        ),
        _key("single_model", Name(default="opus"), "The role of the one model."),
        _key(
            "speculative_quality",
            Flag(default=True),
            "Whether quality is looked at beside the spec on the first version.",
        ),
        _key("max_fix_iterations", Number(low=1, high=5, default=2), "Fix attempts before a human is asked."),
        _key(
            "fix_timeout_turns",
            Number(low=5, high=30, default=10),
            "The author's turns in one fix attempt before a human is asked.",
        ),
        _key("auto_approve", Flag(default=False), "Whether agreeing models suffice; else a human confirms."),
        _key("auto_reject", Flag(default=False), "Whether an agreed critical finding goes back without a human."),
        _key("auto_approve_single", Flag(default=False), "Whether one model alone may suffice too."),
        _key(
            "b_only_critical",
            Choice(words=("human", "fix"), default="human"),
            "Who deals with a critical finding of the stronger model alone.",
        ),
        _key("blind", BLIND, "Whether the models see nothing of each other until they have reported."),
        *COMMON,
    ),
    "solo": (
        _key(
            "programs",
            Names(default=PROGRAMS),
            "Roles of the programs that are asked.",
        ),
        _key("agents", Names(default=("agent",), count_min=1), "Roles of the agents that are asked, each once."),
        _key("quorum", Number(low=1, high=10, default=1), "How many who are no programs must vouch."),
        _key("verifier", Name(), "A role that confirms or refutes each finding before it stops the work."),
        _key("blind", BLIND, "Whether reviewers see nothing of each other until they have reported."),
        _key("max_revisions", Number(low=1, high=20, default=2), "New versions before a human is asked."),
        *(one for one in COMMON if one.name != "coverage"),
        _key(
            "coverage",
            Number(low=1, high=100, default=100),
            "How much of the work, in percent, every report must cover.",
        ),
    ),
    "chain": (
        _key("description", Text(), "What the chain is for."),
        _key("layers", Special(form="a list of layers, in order"), "The critics."),
        _key("require_unanimous", Flag(default=True), "Whether every layer must approve; else a strict majority."),
        _key("max_retries", Number(low=0, high=10, default=3), "New versions before `on_final_reject`."),
        _key("on_final_reject", Choice(words=ENDS, default="escalate_to_human"), "What happens then."),
        *COMMON,
    ),
    "layer": (
        _key("agent", Name(), "The role that holds the layer."),
        _key("scope", Name(), "What it judges; anything else it says is advice."),
        _key("veto", Flag(default=False), "Whether its rejection stands until a human overrides it."),
    ),
    "step": (
        _key("step", Number(low=0, high=10_000, default=0), "The step's number."),
        _key("name", Name(), "The step's name; work of this kind is judged by its chain."),
        _key("action", Text(), "What the workflow does in it; not used here."),
        _key("agent", Name(), "Who carries the step out."),
        _key("critic_chain", Name(), "The chain that judges it."),
        _key("can_veto", Flag(default=False), "Must say the same of the agent as the chain does."),
    ),
    "chains file": (
        _key("description", Text(), "What the file is for."),
        _key("chains", Special(form="chain: its keys"), "The chains, by name."),
        _key("steps", Special(form="a list of steps"), "Which workflow step is judged by which chain."),
    ),
    "notify": (
        _key("human", Special(form="a list of addresses such as discord://…"), "Where humans are told."),
        _key("author", Special(form="a list of addresses"), "Where authors are told."),
        _key("reviewer", Special(form="a list of addresses"), "Where reviewers are told."),
        _key("thread", Special(form="a list of addresses"), "Where whoever follows a task is told what critics say."),
        _key("webhooks", Special(form="a list of {url, secret}"), "Programs that are told everything, signed."),
        _key("people", Special(form="person: its keys"), "People who are told by name, and can decide by a link."),
    ),
    "webhook": (
        _key("url", Special(form="https://…"), "Where it is sent to."),
        _key("secret", Special(form="${NAME}"), "What signs it: a name of the environment that holds whsec_…"),
    ),
    "person": (
        _key("to", Special(form="a list of addresses"), "Where."),
        _key("quiet", Text(), "When nothing is sent: 22:00-07:00."),
        _key("digest", Text(), "When what needs no decision comes, all in one, once a day: 09:00."),
        _key("zone", Text(), "The time zone of these times: Europe/Berlin; else UTC."),
    ),
    **PEER_SECTIONS,
}
