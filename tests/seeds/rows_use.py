"""The rows found in use of the running program; each is proven through the doors of a started server."""

from tests.seeds.shapes import Row

USE = (
    Row(
        "U-01",
        "A base counts only if the gate knows it: live on the target, reachable from a protected ref, or attested.",
    ),
    Row(
        "U-02",
        "A label skips reviewers only with a program's proof against a known base; orders to agents are high risk.",
    ),
    Row(
        "U-03",
        "Objections follow the bytes: the gate's answer for a digest is the AND over all its reviews, and an open "
        "finding follows unchanged text into other reviews of the same party.",
    ),
    Row(
        "U-04",
        "A report counts only for the digest its reviewer was served, and an approval says in words what was checked.",
    ),
    Row(
        "U-05",
        "An unknown word is refused with the allowed words; the source systems' spellings are understood.",
    ),
    Row(
        "U-06",
        "A finding or evidence at a file or line that is not in the revision is refused with the paths that are.",
    ),
    Row(
        "U-07",
        "The seat of a bound program is required; an account with that role sits beside it, never instead.",
    ),
    Row(
        "U-08",
        "Agents that a service vouches for are one party; the author's session mates never hold a seat on its work.",
    ),
    Row("U-09", "One answer for a digest: whoever still owes a report on it gets a constant answer from the gate."),
    Row("U-10", "`foureyes check` holds its yes against the last checkpoint outside the store."),
    Row(
        "U-11",
        "Paths match in any case where a rule demands more; names that differ only by case or form are refused.",
    ),
    Row("U-12", "A ruling lapses when its cause is gone."),
    Row(
        "U-13",
        "A resubmission while a layer has not judged uses up no retry; layers judge in order on every revision.",
    ),
    Row(
        "U-14",
        "A tie-break decides; counsel is in the inbox of those who may take it; reassignment respects the limits.",
    ),
    Row(
        "U-15",
        "Work that nobody reviewed in time returns as not reviewed, and the same bytes may ask again.",
    ),
    Row(
        "U-16",
        "Every submitted review is an attempt; an attempt without success in the window ends eligibility.",
    ),
    Row(
        "U-17",
        "A critic can never stop the server: a slow one is cut off and ends as inconclusive.",
    ),
    Row(
        "U-18",
        "Restore is atomic or resumes; one server per database; verify, limits, spool and clock hold up.",
    ),
    Row("U-20", "Every source system works on a plain `foureyes up`."),
    Row("U-21", "A session's pause is seen at once by everybody in it."),
    Row("U-22", "The silence fallback always opens its review."),
    Row("U-23", "Every no carries its reason wherever it is shown."),
    Row("U-24", "What is shown agrees with what decides."),
    Row("U-25", "Messages name the critic as the chain names it."),
    Row("U-26", "A reviewer is given with the request what it needs."),
    Row("U-27", "`check_review_required` and `request_review` agree."),
    Row("U-28", "The panel's report says what happened and keeps its confidence."),
    Row("U-29", "Metrics count reviews, and roles work as filters."),
    Row(
        "U-30",
        "`foureyes call NAME --help` tells each field's meaning, type, allowed words and an example.",
    ),
    Row("U-31", "Old content imported twice is one content with a new revision."),
    Row("U-32", "What the source documents name is shown somewhere."),
    Row(
        "U-40",
        "Tools tolerate what clients add and say what they ignored; polling is never needed.",
    ),
    Row("U-41", "One vocabulary by role, and every tool that any text names is listed."),
    Row("U-42", "The ten commonest mistakes are each repaired in one step from the refusal alone."),
    Row("U-43", "`foureyes review` whose configured agents and models all failed exits 4."),
    Row("U-44", "A model at a loopback address needs consent, and budgets print sums that add up."),
    Row("U-50", "Local reviews are private."),
    Row("U-51", "Recognised secrets are cut from what any agent or model is served."),
    Row("U-52", "A dismissal holds for the same code in every later review."),
    Row("U-53", "A range or branch name means the merge base; a clean tree says so."),
    Row("U-54", "What no program judges is said in the headline."),
    Row("U-55", "A list of reviews tells them apart."),
    Row("U-56", "`why`, `status`, `wait` and the page tell the same story."),
    Row("U-57", "SARIF holds the rules that fired; the list of rules fits a screen."),
    Row("U-58", "The restore drill of a PostgreSQL backup works as its page says."),
    Row("U-59", "Small truths: each message says what is so."),
    Row("U-60", "The commonest false stops are gone."),
)
