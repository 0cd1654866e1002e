"""Rows that users of existing systems ask for beyond the seeds."""

from tests.seeds.shapes import Row

BEYOND = (
    Row(
        "D-01",
        "Convergence: a late finding is advisory, a settled one a repeat, and endless nits end within the cap.",
    ),
    Row(
        "D-02",
        "Approval is bound to the bytes: one changed byte is not live, a pure rebase keeps it where policy says.",
    ),
    Row(
        "D-03",
        "An infrastructure failure is inconclusive with a reason: gate shut, no retry counted, next step said.",
    ),
    Row(
        "D-04",
        "The author's credential, or one of its session, cannot report, confirm or override; a name is no identity.",
    ),
    Row(
        "D-05",
        "Required independence that the pool lacks: nobody is assigned, a human is asked; unknown is not independent.",
    ),
    Row("D-06", "Injected work never makes a reviewer's answer an approval; the attempt is a finding."),
    Row(
        "D-07",
        "Policy never comes from the work under review; loosening it is judged by the base and escalated.",
    ),
    Row("D-08", "explain lists every requirement with evidence, who must act and how, from the code that decides."),
    Row(
        "D-09",
        "Budgets per review, work and day; hit means inconclusive with the cost shown, never approval.",
    ),
    Row("D-10", "A dismissed finding stays away while its context holds, returns when it changes, and is listed."),
    Row("D-11", "A blocking finding needs evidence; a refuted one is advisory with the refutation kept."),
    Row(
        "D-12",
        "Hooks keep an agent from stopping or pushing while the gate is shut, without an endless loop.",
        area="enforcement",
    ),
    Row("D-13", "Plans are reviewed with findings on lines, and notes reach the agent on approval."),
    Row(
        "D-14",
        "A human's inbox anywhere: a signed link decides once, is attributed and survives a restart.",
    ),
    Row("D-15", "What a reviewer did not read lowers coverage; below 100 % the gate is shut unless policy accepts it."),
    Row("D-16", "Secrets never leave for a model; the denial is recorded without the value."),
    Row(
        "D-17",
        "A failing check is a blocking finding of a program, settled only by a green run on the same bytes; none "
        "yet is pending.",
    ),
    Row("D-18", "Reviewers are measured on planted bugs; a rubber stamp is found and barred.", area="learning"),
    Row(
        "D-19",
        "Risk chooses depth: a high-risk path gets three lenses; a cheap screen never stands for security.",
    ),
    Row("D-20", "The same finding again is no duplicate; a shifted line keeps its identity."),
    Row("D-21", "The inbox lists only what waits for me; advisory findings are folded."),
    Row("D-22", "An edited, deleted or truncated record fails verification at its place; receipts check offline."),
    Row("D-23", "A degraded panel is said: one answer of three is no consensus and no quorum."),
    Row("D-24", "M of N humans: names count once after normalisation; an empty group blocks."),
    Row("D-25", "An escape reported by commit finds its review, lowers trust and disables the skip.", area="learning"),
)
