"""The form that enrols several accounts from a file in one act, and the page that shows their tokens once."""

from __future__ import annotations

from starlette.responses import Response

from foureyes.app.calls.about_accounts import EnrolManyForm, Issued
from foureyes.app.calls.bodies import given
from foureyes.app.enrolment_file import AgentsErrors, at_line, read_agents
from foureyes.core.refusals import Refusal
from foureyes.web.door import Turned, Visit
from foureyes.web.frame import folded, form, hidden, link, page, words
from foureyes.web.html import Html, element, prose

_FILE = "agents.yaml"
_NAME_CHARS_MAX = 80
#: The command that puts each token into a file of its own that only its owner can read.
KEEPING = (
    'mkdir -m 700 tokens && cd tokens && (umask 077; while read -r name token; do printf %s "$token" > "$name"; done)'
)


def fields(visit: Visit) -> Html:
    """The form, filled in if `foureyes agents add --file` opened the page."""
    asked = visit.request.query_params
    text, name = asked.get("agents", ""), asked.get("file", _FILE)[:_NAME_CHARS_MAX]
    hint = "One line for each, such as `- {name: bot-1, roles: [agent], family: claude, operator: ann}`."
    sending = form(
        "/accounts/enrol-many",
        visit.session,
        hidden("file", name),
        words("agents", "Accounts, as YAML", hint.replace("`", ""), value=text),
        button="Enrol all of them",
    )
    return element("section", folded("Enrol several at once", sending, opened=bool(text)), class_="card")


async def enrol(visit: Visit) -> Response:
    """Enrol all of the accounts or none; an error names its line in the file."""
    file = visit.sent.get("file", "")[:_NAME_CHARS_MAX] or _FILE
    again = "Nobody was enrolled. Go back, and correct it."
    try:
        lines = read_agents(file, visit.sent.get("agents", ""))
    except AgentsErrors as error:
        raise Turned(422, "\n".join(map(str, error.problems)), again) from None
    now = visit.office.clock()
    asked = EnrolManyForm(accounts=tuple(one.account(now) for one in lines))
    try:
        done = await visit.call("enrol_many", accounts=given(asked)["accounts"])
    except Refusal as refusal:
        raise Turned(422, at_line(file, lines, refusal), refusal.next_step) from None
    return _issued(visit, done.accounts)


def _issued(visit: Visit, issued: tuple[Issued, ...]) -> Response:
    """The page that shows the new tokens, which are shown only once."""
    once = "They are shown this once and kept nowhere: copy them now. Whoever has one speaks as its account."
    text = "\n".join(f"{one.name} {one.secret}" for one in issued)
    how = f"Each into a file that you alone can read: type `{KEEPING}` in a terminal of your own, paste, press Ctrl-D."
    away = "Do not do that where an agent works: whatever runs under your Unix account can read your files."
    return page(
        f"Tokens for {len(issued)} accounts",
        element("p", once, class_="note care"),
        element("pre", text, id="tokens"),
        element("p", prose(how)),
        element("p", away, class_="soft"),
        element("p", link("/accounts", "I have copied them")),
        signed=visit.signed,
        status=201,
    )
