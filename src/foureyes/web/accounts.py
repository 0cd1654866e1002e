"""Who may act here, and how does a human enrol somebody, give a token and take it back?"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from starlette.responses import Response

from foureyes.app.calls.about_accounts import AccountShown, Issued
from foureyes.app.gate import new_key
from foureyes.core.principals import ENROLLED_KINDS, SCOPES
from foureyes.web.door import Show, Turned, Visit, away
from foureyes.web.frame import form, hidden, line, page
from foureyes.web.html import Html, element, together

#: How an agent is connected, a heading and a line to copy for each; made from the token.
Connect = Callable[[str], tuple[tuple[str, str], ...]]
ROLES = "Roles, with blanks between them (the policy's words; `agent` if it has none of its own)"


async def show(visit: Visit) -> Response:
    """Everybody; and a form that a command line may have filled in already."""
    found = await visit.call("list_accounts")
    return page("Accounts", _enrolment(visit), *(_account(visit, one) for one in found.accounts), session=visit.session)


def acting(connect: Connect) -> Show:
    """What the forms of the page do."""

    async def act(visit: Visit) -> Response:
        name, what = visit.sent.get("name", ""), visit.request.path_params["act"]
        if what == "enrol":
            return await _enrol(visit, name, connect)
        if what == "token":
            return _issued(visit, await visit.call("issue_token", name=name), connect)
        if what == "revoke":
            await visit.call("revoke_token", name=name, **visit.given("token", "reason", "key"))
        elif what == "remove":
            await visit.call("remove_account", name=name, **visit.given("reason", "key"))
        else:
            raise Turned(404, "There is nothing here.", "Go back to the accounts.")
        return away("/accounts")

    return act


async def _enrol(visit: Visit, name: str, connect: Connect) -> Response:
    roles = visit.sent.get("roles", "").split()
    given = visit.given("kind", "operator", "model_family", "provider", "key")
    await visit.call("enrol", name=name, roles=roles, **given)
    if visit.sent.get("token") != "yes" or given.get("kind") == "human":
        return away("/accounts")
    return _issued(visit, await visit.call("issue_token", name=name), connect)


def _issued(visit: Visit, issued: Issued, connect: Connect) -> Response:
    """The one time a token is shown."""
    ways = (together(element("h2", heading), element("pre", command)) for heading, command in connect(issued.secret))
    return page(
        f"A token for {issued.name}",
        element("p", "It is shown this once and kept nowhere. Whoever has it speaks as this account."),
        element("pre", issued.secret, id="token"),
        *ways,
        session=visit.session,
        status=201,
    )


def _enrolment(visit: Visit) -> Html:
    asked = visit.request.query_params
    kinds = (
        element("option", one.value, value=one.value, selected=one.value == asked.get("kind", "agent"))
        for one in ENROLLED_KINDS
    )
    token = element("input", type="checkbox", name="token", value="yes", checked=True)
    sending = form(
        "/accounts/enrol",
        visit.session,
        hidden("key", new_key()),
        line("name", "Name", value=asked.get("name", ""), required=True),
        element("label", "Kind", element("select", *kinds, name="kind")),
        line("roles", ROLES, value=asked.get("roles", "agent")),
        line("operator", "Operator: who is behind it; you, if empty", value=asked.get("operator", "")),
        line("model_family", "Model family, such as claude, gpt or gemini", value=asked.get("model_family", "")),
        line("provider", "Provider", value=asked.get("provider", "")),
        element("label", token, " and give it a token", class_="choice"),
        button="Enrol",
    )
    return element("section", element("h2", "Enrol somebody"), sending, class_="card")


def _account(visit: Visit, one: AccountShown) -> Html:
    name = one.who.name
    said = (
        str(one.who.kind),
        f"operator {one.who.operator}" if one.who.operator else "",
        one.who.model_family,
        f"roles {', '.join(one.roles)}" if one.roles else "",
        f"vouched by {one.vouched_by}" if one.vouched_by else "",
        "removed" if one.removed else "",
    )
    head = (element("h2", name, id=name), element("p", " · ".join(each for each in said if each), class_="soft"))
    return element("section", *head, *_tokens(visit, one), *_acts(visit, one), class_="card")


def _tokens(visit: Visit, one: AccountShown) -> Iterator[Html]:
    for token in one.tokens:
        ends = f", until {token.expires:%Y-%m-%d %H:%M}" if token.expires else ""
        state = "revoked" if token.revoked else f"for {', '.join(token.scopes)}{ends}"
        yield element("p", f"Token {token.token}: {state}", class_="mono")
        if not token.revoked:
            fields = (hidden("name", one.who.name), hidden("token", token.token), hidden("key", new_key()))
            why = line("reason", "Why", required=True)
            yield form("/accounts/revoke", visit.session, *fields, why, button="Revoke this token")


def _acts(visit: Visit, one: AccountShown) -> Iterator[Html]:
    if one.removed:
        return
    if one.who.kind in SCOPES and not one.vouched_by:
        yield form("/accounts/token", visit.session, hidden("name", one.who.name), button="Give it a new token")
    fields = (hidden("name", one.who.name), hidden("key", new_key()), line("reason", "Why", required=True))
    yield form("/accounts/remove", visit.session, *fields, button="Remove this account")
