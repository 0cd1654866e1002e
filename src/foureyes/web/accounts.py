"""The accounts page: list accounts, enrol and remove them, and issue and revoke their tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from urllib.parse import urlencode

from starlette.responses import Response

from foureyes.app.calls.about_accounts import AccountShown, Issued, TokenShown
from foureyes.app.calls.cursors import PAGE_MAX
from foureyes.app.gate import new_key
from foureyes.core.principals import ENROLLED_KINDS, SCOPES
from foureyes.core.values import WhoKind
from foureyes.web import several_accounts, tokens
from foureyes.web.door import Show, Turned, Visit, away
from foureyes.web.frame import badge, folded, form, hidden, line, link, page, ticked
from foureyes.web.html import Html, element, prose, together

#: Builds from a token the ways to connect an agent: a heading and a line to copy for each.
Connect = Callable[[str], tuple[tuple[str, str], ...]]
_DONE = {
    "enrol": "The account is there.",
    "revoke": "The token opens nothing any more.",
    "remove": "The account is removed, and its tokens open nothing any more.",
}
#: How a newly enrolled human signs in; no page makes a sign-in link for another human.
_HUMANS = "A human signs in with a link: `foureyes humans link NAME --to FILE`, where the server's data folder is."


async def show(visit: Visit) -> Response:
    """The page of all accounts, with an enrolment form that the command line may have filled in."""
    cursor = visit.request.query_params.get("cursor", "")
    found = await visit.call("list_accounts", cursor=cursor, limit=PAGE_MAX)
    done = _DONE.get(visit.request.query_params.get("done", ""))
    there = [one for one in found.accounts if not one.removed]
    gone = [one for one in found.accounts if one.removed]
    return page(
        "Accounts",
        element("p", done, class_="note good", role="status") if done else None,
        _enrolment(visit, is_open=len(there) == 1),
        several_accounts.fields(visit),
        element("h2", "Humans"),
        *(_account(visit, one) for one in there if one.who.is_human),
        element("h2", "Agents, programs and services"),
        *_machines(visit, there),
        folded(f"Removed: {len(gone)}", *(_account(visit, one) for one in gone)) if gone else None,
        element("p", link(f"/accounts?{urlencode({'cursor': found.next})}", "More accounts")) if found.next else None,
        signed=visit.signed,
    )


def acting(connect: Connect) -> Show:
    """The handler of the page's forms."""

    async def act(visit: Visit) -> Response:
        name, what = visit.sent.get("name", ""), visit.request.path_params["act"]
        if what == "enrol":
            return await _enrol(visit, name, connect)
        if what == "enrol-many":
            return await several_accounts.enrol(visit)
        if what == "token":
            kind = visit.sent.get("kind", "")
            return await _issue(visit, name, tokens.wished(visit, kind), _for(kind, connect))
        if what == "revoke":
            await visit.call("revoke_token", name=name, **visit.given("token", "reason", "key"))
        elif what == "remove":
            await visit.call("remove_account", name=name, **visit.given("reason", "key"))
        else:
            raise Turned(404, "There is nothing here.", "Go back to the accounts.")
        return away(f"/accounts?done={what}")

    return act


async def _enrol(visit: Visit, name: str, connect: Connect) -> Response:
    given = visit.given("kind", "operator", "model_family", "provider", "key")
    has_token = visit.sent.get("token") == "yes" and given.get("kind") in SCOPES
    # Checked before anything is done: an invalid token part must not leave an account behind.
    wish = tokens.wished(visit, given["kind"]) if has_token else None
    # Only agents: a human or a program with this role would be asked for the reports of agents.
    usual = ["agent"] if given.get("kind") == WhoKind.AGENT else []
    await visit.call("enrol", name=name, roles=visit.sent.get("roles", "").split() or usual, **given)
    return await _issue(visit, name, wish, _for(given["kind"], connect)) if wish else away("/accounts?done=enrol")


def _for(kind: str, connect: Connect) -> Connect:
    """The ways to connect an account of this kind; a program has no agent's settings to add a server to."""
    return connect if kind != WhoKind.PROGRAM else lambda _: ()


async def _issue(visit: Visit, name: str, wish: tokens.Wish, connect: Connect) -> Response:
    return _issued(visit, await visit.call("issue_token", name=name, **wish.sent()), wish, connect)


def _issued(visit: Visit, issued: Issued, wish: tokens.Wish, connect: Connect) -> Response:
    """The page that shows a new token, which is shown only once."""
    ways = [
        element("section", element("h2", heading), element("pre", command, class_="copy"), class_="card")
        for heading, command in connect(issued.secret)
    ]
    how = "One of these, in a terminal where the agent runs; it comes with the next start of the agent."
    once = "It is shown this once and kept nowhere: copy it now. Whoever has it speaks as this account."
    return page(
        f"A token for {issued.name}",
        element("p", once, class_="note care"),
        element("pre", issued.secret, id="token"),
        element("p", f"It is {wish}."),
        *((element("h2", f"Connect {issued.name}"), element("p", how), *ways) if ways else ()),
        element("p", link("/accounts", "I have copied it")),
        signed=visit.signed,
        status=201,
    )


def _enrolment(visit: Visit, *, is_open: bool) -> Html:
    asked = visit.request.query_params
    kinds = (
        element("option", one.value, value=one.value, selected=one.value == asked.get("kind", "agent"))
        for one in ENROLLED_KINDS
    )
    sending = form(
        "/accounts/enrol",
        visit.session,
        hidden("key", new_key()),
        line("name", "Name", "Small letters, digits, - and _.", value=asked.get("name", ""), required=True),
        element("label", "Kind", element("select", *kinds, name="kind")),
        line("operator", "Operator", "Who is behind it; you, if empty.", value=asked.get("operator", "")),
        line("model_family", "Model family", "Such as claude, gpt or gemini.", value=asked.get("model_family", "")),
        line("provider", "Provider", "Who runs the model, where that matters.", value=asked.get("provider", "")),
        line(
            "roles",
            "Roles",
            "Words of the policy, with blanks between them. If empty, an agent has the role agent, and whoever is none "
            "is given nothing to review.",
            value=asked.get("roles", ""),
        ),
        ticked("token", "Give it a token (humans get a link instead)", checked=True),
        tokens.fields(
            SCOPES, kind=asked.get("kind", "agent"), chosen=asked.get("scopes", "").split(), days=asked.get("days", "")
        ),
        button="Enrol",
    )
    is_asked = is_open or bool(asked.get("name"))
    return element("section", folded("Enrol somebody", sending, opened=is_asked), class_="card")


def _machines(visit: Visit, there: list[AccountShown]) -> Iterator[Html]:
    found = [one for one in there if not one.who.is_human]
    yield from (_account(visit, one) for one in found)
    if not found:
        none = "None yet. Enrol one above, or with `foureyes agents add NAME`."
        yield element("p", prose(none), class_="card soft")


def _account(visit: Visit, one: AccountShown) -> Html:
    name = one.who.name
    said = (
        f"operator {one.who.operator}" if one.who.operator else "",
        one.who.model_family,
        one.who.provider,
        f"roles {', '.join(one.roles)}" if one.roles else "",
        f"vouched by {one.vouched_by}" if one.vouched_by else "",
    )
    head = (
        element("strong", name, id=name),
        badge(str(one.who.kind)),
        badge("removed", "bad") if one.removed else None,
        element("span", " · ".join(each for each in said if each), class_="soft small"),
    )
    way = element("p", prose(_HUMANS), class_="soft small") if one.who.is_human and name != visit.signed.name else None
    rest = (*(_token(visit, name, each) for each in one.tokens), *_acts(visit, one))
    return element("article", element("h3", *head, class_="badges"), way, *rest, class_="card")


def _token(visit: Visit, name: str, token: TokenShown) -> Html:
    says = tokens.said(token, visit.office.clock())
    if token.revoked:
        return element("p", says, class_="mono soft")
    sending = form(
        "/accounts/revoke",
        visit.session,
        hidden("name", name),
        hidden("token", token.token),
        hidden("key", new_key()),
        line("reason", f"Why {token.token} shall be taken back", required=True),
        button="Revoke this token",
        tone="grave",
    )
    return together(element("p", says, class_="mono"), folded(f"Revoke {token.token}", sending))


def _acts(visit: Visit, one: AccountShown) -> Iterator[Html]:
    if one.removed:
        return
    name = one.who.name
    if one.who.kind in SCOPES and not one.vouched_by:
        inside = (hidden("name", name), hidden("kind", one.who.kind), tokens.fields((one.who.kind,)))
        giving = form("/accounts/token", visit.session, *inside, button="Make the token", tone="quiet")
        yield folded(f"Give {name} a new token", giving)
    fields = (hidden("name", name), hidden("key", new_key()), line("reason", f"Why {name} shall go", required=True))
    removing = form("/accounts/remove", visit.session, *fields, button="Remove this account", tone="grave")
    yield folded(f"Remove {name}", removing)
