"""Volunteers over HTTP: they renew their lease, and can start again after it has ended."""

from foureyes.http.routes import BASE
from tests.app.house import played
from tests.http.test_http import WORK, told
from tests.http.web import Web


@played
async def test_a_volunteer_renews_the_seat_while_the_lease_runs_and_takes_it_again_after() -> None:
    """I26: nothing is asked of them, so nothing but the lease ends; the same seat is theirs again."""
    web = Web()
    dev, codex, gemini, volunteer = [await web.agent(name) for name in ("dev", "codex", "gemini", "claude")]
    opened = await web.post(f"{BASE}/reviews", dev, **{**WORK, "kind": "story"})
    place = f"{BASE}/reviews/{opened.data['review']}"
    for who in (codex, gemini, volunteer):
        assert (await web.post(f"{place}/seats", who)).status == 200
    [seat] = (await web.get(place, volunteer)).data["review"]["seats"]
    assert seat["required"] is False
    leases, renewal = [seat["lease"]], f"{place}/seats/{seat['seat']}/renewal"
    for _ in range(2):
        web.house.wait(minutes=45)
        told(await web.post(f"{place}/seats", volunteer), 409, "duplicate")
        assert (await web.post(renewal, volunteer)).status == 200
        leases += [one["lease"] for one in (await web.get(place, volunteer)).data["review"]["seats"]]
    assert leases == sorted(set(leases))
    web.house.wait(minutes=61)
    told(await web.post(renewal, volunteer), 409, "lease_ended")
    assert (await web.post(f"{place}/seats", volunteer)).status == 200
    assert [one["seat"] for one in (await web.get(place, volunteer)).data["review"]["seats"]] == [seat["seat"]]
