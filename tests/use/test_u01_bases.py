"""A base is a claim: the author's statement about earlier files decides nothing, at any door and under any policy."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cli.running import FOUREYES
from tests.doors_used import COMMAND, RECORD
from tests.shape import ROOT
from tests.use.lies import EVIL, LIES, PATH, evil
from tests.use.served import DOORS, MCP, Caller, Reply, Served, served

pytestmark = pytest.mark.door("http", "mcp", policy=("chains", "peer", "solo", "team"))

#: Every kind that a label or the autonomy of its author could let pass, and some that nothing should.
LABELS = ("fix_typo", "update_formatting", "add_comment", "update_readme")
KINDS = (*LABELS, "create_core", "task", "story", "script")
AGGRESSIVE = [["autonomy_level", "aggressive"]]


@pytest.fixture(scope="module", params=["peer", "team", "solo", "chains", "howto"])
def house(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Served]]:
    """A server with each policy that ships, and with the one that the guide writes."""
    folder, policy = tmp_path_factory.mktemp(request.param), str(request.param)
    named = {"FOUREYES_POLICY": str(_guide(folder))} if policy == "howto" else {}
    with served(folder, "peer" if policy == "howto" else policy, **named) as found:
        found.account("dev", "core_developer", "agent")
        found.account("eve", "auditor", "reviewer", "seldon", "daneel", "gaal", "dors", "agent")
        yield policy, found


def _guide(folder: Path) -> Path:
    """The first whole policy of the guide."""
    text = (ROOT / "docs/howto/write-a-policy.md").read_text(encoding="utf-8")
    blocks = [one.partition("```")[0] for one in text.split("```yaml\n")[1:]]
    found = folder / "foureyes.yaml"
    found.write_text(next(one for one in blocks if "risks:" in one and "version:" in one), encoding="utf-8")
    return found


def _opened(author: Caller, kind: str, **sent: object) -> Reply:
    return author.call("open_review", kind=kind, title="A small change", files=evil(), **sent)


def _stages(author: Caller, kind: str, **sent: object) -> tuple[str, ...]:
    """The stages of an open review, after a check that nothing is skipped and nothing may go live."""
    opened = _opened(author, kind, **sent)
    assert opened["state"] == "open", opened.text
    seen = author.call("read_review", review=opened["review"])["review"]
    gate = author.call("gate", digest=seen["digest"], target="production")
    assert gate["allowed"] is False
    skipped = [one for one in seen["requirements"] if one["status"] == "skipped"]
    assert skipped == []
    assert author.call("withdraw", review=opened["review"], reason="It was a try.").is_ok
    return tuple(seen["protocols"])


@pytest.mark.parametrize("door", DOORS)
def test_no_lie_about_the_base_changes_what_a_work_must_meet(house: tuple[str, Served], door: str) -> None:
    """U-01: honest, lying and absent base give the same stages, whatever the kind; the veto chain stays."""
    policy, server = house
    author = server.callers["dev"].at(door)
    kinds = KINDS if policy == "team" else LABELS[:1] + KINDS[4:5]
    for kind in kinds:
        plain = _stages(author, kind)
        for name, lie in LIES.items():
            assert _stages(author, kind, **lie) == plain, (kind, name)
        assert policy not in ("team", "howto") or "security" in plain, kind


@pytest.mark.parametrize("door", DOORS)
def test_no_lie_makes_autonomy_or_a_preview_let_it_pass(house: tuple[str, Served], door: str) -> None:
    """U-01, U-02: nor in `preview` and `check_review_required`, which say what would happen."""
    _, server = house
    author = server.callers["dev"].at(door)
    for lie in LIES.values():
        _stages(author, "create_core", context=AGGRESSIVE, **lie)
        form = {"kind": "fix_typo", "title": "t", "files": evil(), **lie}
        found = author.call("preview", call="open_review", form=form)
        assert found["review"]["state"] == "open"
        assert "StagesSkipped" not in found["events"]
    for base in ({}, {"base": "main"}, {"target": "production"}):
        asked = author.call("check_review_required", action="fix_typo", artifacts={PATH: EVIL}, **base)
        assert asked["needs_review"] is True
        assert author.call("check_review_required", action="fix_typo", **base)["needs_review"] is True


@pytest.mark.parametrize("door", DOORS)
def test_a_revision_with_a_lying_base_meets_what_the_first_version_met(house: tuple[str, Served], door: str) -> None:
    """U-01: a new version is judged like a first one."""
    _, server = house
    author = server.callers["dev"].at(door)
    for lie in LIES.values():
        opened = author.call(
            "open_review", kind="fix_typo", title="t", files=[{"path": "README.md", "text": f"{evil()}\n"}]
        )
        assert opened["state"] == "open"
        revised = author.call("revise", review=opened["review"], files=evil(), note="a typo", **lie)
        assert revised["state"] == "open", revised.text
        seen = author.call("read_review", review=opened["review"])["review"]
        assert seen["revision"] == 2
        plain = author.call("open_review", kind="fix_typo", title="t", files=evil())
        demanded = author.call("read_review", review=plain["review"])["review"]["protocols"]
        assert set(demanded) <= set(seen["protocols"])
        for review in (opened["review"], plain["review"]):
            author.call("withdraw", review=review, reason="It was a try.")


@pytest.mark.parametrize("door", DOORS)
def test_the_record_says_that_nobody_knows_the_base(house: tuple[str, Served], door: str) -> None:
    """U-01: whatever is stated, the base of record is none."""
    _, server = house
    author = server.callers["dev"].at(door)
    for lie in LIES.values():
        seen = _seen(author, _opened(author, "script", **lie))
        assert seen["known_base"] == {"source": "unknown", "name": "", "digest": ""}
        author.call("withdraw", review=seen["review"], reason="It was a try.")


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.door("http", "mcp", "page", policy=("chains", "peer", "solo", "team"))
def test_the_stated_base_is_good_for_a_diff_that_is_marked(house: tuple[str, Served], door: str) -> None:
    """U-01: what the author says is shown as the author's word, to agents and on the page."""
    _, server = house
    author = server.callers["dev"].at(door)
    opened = _opened(author, "script", base_files=[{"path": PATH, "text": EVIL}], base="c0ffee")
    work = author.call("read_work", review=opened["review"])
    assert "the author's statement, which nobody checked" in work["compared_with"]
    assert "+# typo" in work["diff"]
    assert "-import os" not in work["diff"]
    seen = author.call("read_review", review=opened["review"])["review"]
    assert (seen["base"], seen["compared_with"]) == ("c0ffee", work["compared_with"])
    page = server.page(f"/reviews/{opened['review']}/work")
    assert "statement, which nobody checked" in page
    bare = author.call("read_work", review=_opened(author, "script")["review"])
    assert (bare["compared_with"], bare["diff"]) == ("nothing: the whole work counts as new", "")


# ---- the honest way: a repository that the server reads itself ----

SHOP = {"README.md": "# Shop\n\nWe sel things.\n", "lib/run.py": "import subprocess\n\nprint(1)\n"}


def _git(folder: Path, *words: str) -> str:
    """Ask git in a folder, as its author."""
    named = ("-c", "user.name=ann", "-c", "user.email=ann@shop.example", "-c", "init.defaultBranch=main")
    done = subprocess.run(("git", *named, *words), cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def _committed(folder: Path, files: dict[str, str], message: str) -> str:
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    _git(folder, "add", "-A")
    _git(folder, "commit", "-qm", message)
    return _git(folder, "rev-parse", "HEAD")


class Shop:
    """A repository with a protected branch, a feature branch, and a bare mirror on the server's disk."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.mirror = folder / "shop", folder / "shop.git"
        self.folder.mkdir()
        _git(self.folder, "init", "-q")
        self.old = _committed(self.folder, {**SHOP, "lib/guard.py": "check = False\n"}, "begin")
        self.main = _committed(self.folder, {"lib/guard.py": "check = True\n"}, "mend the guard")
        _git(self.folder, "checkout", "-q", "-b", "feature")
        self.feature = _committed(self.folder, {PATH: EVIL, "README.md": "# Shop\n\nWe sell evil.\n"}, "evil")
        _git(self.folder, "checkout", "-q", "main")
        hook = self.folder / ".git" / "hooks" / "post-checkout"
        hook.write_text("#!/bin/sh\ntouch hooked\n", encoding="utf-8")
        hook.chmod(0o755)
        _git(folder, "clone", "-q", "--mirror", str(self.folder), str(self.mirror))
        _git(self.mirror, "config", "core.fsmonitor", "touch hooked; false")


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return Shop(tmp_path_factory.mktemp("shop"))


@pytest.fixture(scope="module", params=["peer", "team"])
def keeper(
    request: pytest.FixtureRequest, shop: Shop, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, Served]]:
    """A server that reads the shop's repository itself, with people of every sort."""
    repositories = f"shop={shop.mirror} main"
    folder = tmp_path_factory.mktemp(f"keeper-{request.param}")
    with served(folder, str(request.param), FOUREYES_REPOSITORIES=repositories) as found:
        found.account("dev", "core_developer", "agent")
        found.account("ci", kind="program")
        found.account("svc", kind="service")
        yield str(request.param), found


def _seen(author: Caller, reply: Reply) -> dict[str, object]:
    found: dict[str, object] = author.call("read_review", review=reply["review"])["review"]
    return found


def _sent(path: str, text: str) -> list[dict[str, str]]:
    return [{"path": path, "text": text}]


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.door("http", "mcp", policy=("peer", "team"))
def test_an_honest_change_against_a_protected_ref_is_judged_by_what_it_changes(
    keeper: tuple[str, Served], shop: Shop, door: str
) -> None:
    """U-01: by the commit, by the name of the ref, and by the tree; the old dangerous line was there before."""
    policy, server = keeper
    author = server.callers["dev"].at(door)
    tree = _git(shop.mirror, "rev-parse", f"{shop.main}^{{tree}}")
    for number, base in enumerate((shop.main, shop.old, "main", "shop:main", f"shop:{shop.main}", tree)):
        files = _sent("lib/run.py", f"import subprocess\n\nprint({door!r}, {number})\n")
        seen = _seen(author, author.call("open_review", kind="create_core", title="t", files=files, base=base))
        assert seen["known_base"]["source"] == "repository", base  # type: ignore[index]
        assert str(seen["compared_with"]).startswith("what the server read in shop refs/heads/main")
        assert "security" not in seen["protocols"], base  # type: ignore[operator]
        work = author.call("read_work", review=seen["review"])
        assert work["diff"].splitlines()[-2:] == ["-print(1)", f"+print({door!r}, {number})"]
        author.call("withdraw", review=seen["review"], reason="It was a try.")
        alone = _seen(author, author.call("open_review", kind="create_core", title="t", files=files))
        assert ("security" in alone["protocols"]) is (policy == "team")  # type: ignore[operator]
        author.call("withdraw", review=alone["review"], reason="It was a try.")


@pytest.mark.parametrize("keeper", ["peer"], indirect=True)
@pytest.mark.parametrize("door", DOORS)
@pytest.mark.door("http", "mcp", policy="peer")
def test_an_honest_typo_against_a_protected_ref_needs_no_reviewer(
    keeper: tuple[str, Served], shop: Shop, door: str
) -> None:
    """U-01, U-02: known base and proof; without the base, or against another branch, a reviewer is asked."""
    _, server = keeper
    author = server.callers["dev"].at(door)
    text = f"# Shop\n\nWe sell things{'!' if door == MCP else '.'}\n"
    for base in ("", shop.feature, "feature", "refs/heads/feature", "shop:feature", f"{shop.main[:12]}"):
        waits = author.call("open_review", kind="fix_typo", title="t", files=_sent("README.md", text), base=base)
        assert waits["state"] == "open", base
        author.call("withdraw", review=waits["review"], reason="It was a try.")
    asked = author.call("check_review_required", action="fix_typo", artifacts={"README.md": text}, base=shop.main)
    assert asked["needs_review"] is False
    done = author.call("open_review", kind="fix_typo", title="t", files=_sent("README.md", text), base=shop.main)
    assert done["state"] == "cleared"
    gate = author.call("gate", digest=_seen(author, done)["digest"], target="production")
    assert gate["allowed"] is True


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.door("http", "mcp", policy=("peer", "team"))
def test_a_branch_that_no_protected_ref_reaches_is_no_base(keeper: tuple[str, Served], shop: Shop, door: str) -> None:
    """U-01: its commits are in the same repository, and count for nothing; nor does an option of git."""
    policy, server = keeper
    author = server.callers["dev"].at(door)
    names = (shop.feature, "feature", f"shop:{shop.feature}", "other:main", "main~1", "--all", "-h", ":", "main\n", "")
    for base in names:
        opened = author.call("open_review", kind="fix_typo", title="t", files=evil(), base=base)
        seen = _seen(author, opened)
        assert (seen["state"], seen["known_base"]["source"]) == ("open", "unknown"), base  # type: ignore[index]
        assert policy != "team" or "security" in seen["protocols"]  # type: ignore[operator]
        author.call("withdraw", review=seen["review"], reason="It was a try.")
    assert not list(shop.mirror.glob("hooked"))


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.door("http", "mcp", policy=("peer", "team"))
def test_a_commit_that_the_ref_has_left_behind_does_not_roll_a_fix_back(
    keeper: tuple[str, Served], shop: Shop, door: str
) -> None:
    """U-01: a file that changed since that commit is compared with nothing, however old the commit is."""
    _, server = keeper
    author = server.callers["dev"].at(door)
    files = _sent("lib/guard.py", f"# typo over {door}\ncheck = False\n")
    opened = author.call("open_review", kind="add_comment", title="t", files=files, base=shop.old)
    assert opened["state"] == "open"
    work = author.call("read_work", review=opened["review"])
    assert "-check" not in work["diff"]
    author.call("withdraw", review=opened["review"], reason="It was a try.")


@pytest.mark.door("http", "mcp", policy=("peer", "team"))
def test_what_a_publisher_attests_is_known_for_that_target_and_for_no_other(keeper: tuple[str, Served]) -> None:
    """U-01: a credential for publish says what is on a target; the author's own word, or an agent's, does not count."""
    policy, server = keeper
    author, ci = server.callers["dev"], server.callers["ci"]
    before = {"target": "staging", "files": _sent("lib/run.py", "import subprocess\n\nprint(1)\n")}
    assert author.call("attest_base", **before).code == "not_eligible"
    assert ci.call("attest_base", **before).is_ok
    for number, door in enumerate(DOORS):
        caller = author.at(door)
        files = _sent("lib/run.py", f"import subprocess\n\nprint('attested', {number})\n")
        seen = _seen(caller, caller.call("open_review", kind="create_core", title="t", files=files, target="staging"))
        assert seen["known_base"]["source"] == "attested"  # type: ignore[index]
        assert seen["compared_with"] == "what a publisher says is on staging"
        assert "security" not in seen["protocols"]  # type: ignore[operator]
        other = _seen(caller, caller.call("open_review", kind="create_core", title="t", files=files, target="moon"))
        assert ("security" in other["protocols"]) is (policy == "team")  # type: ignore[operator]


@pytest.mark.door("http", policy=("peer", "team"))
def test_a_service_is_no_witness_for_its_own_work(keeper: tuple[str, Served]) -> None:
    """U-01: nor for that of the agents it vouches for."""
    _, server = keeper
    service = server.callers["svc"]
    assert service.call("attest_base", target="svc-target", files=_sent(PATH, EVIL)).is_ok
    enrolled = service.call("enrol", name=f"bot-{id(server)}", kind="agent", roles=["agent"])
    assert enrolled.is_ok, enrolled.text
    for caller in (service, service.speaking_for(f"bot-{id(server)}")):
        opened = caller.call("open_review", kind="fix_typo", title="t", files=evil(), target="svc-target")
        assert opened["state"] == "open"
        assert _seen(caller, opened)["known_base"]["source"] == "unknown"  # type: ignore[index]


@pytest.mark.door("http", policy=("peer", "team"))
def test_an_operator_is_no_witness_for_their_own_agents(keeper: tuple[str, Served]) -> None:
    """U-01: a program or service of the author's operator says nothing that the author could not say; a human does."""
    _, server = keeper
    body = {"name": f"mine-{id(server)}", "operator": "dev-co", "kind": "service", "roles": ["agent"]}
    assert server.human.call("enrol", **body).is_ok
    secret = server.human.call("issue_token", name=body["name"])["secret"]
    mine = replace(server.callers["dev"], headers={"authorization": f"Bearer {secret}"})
    dev = server.callers["dev"]
    for witness, source in ((mine, "unknown"), (server.human, "attested")):
        target = f"own-{source}"
        assert witness.call("attest_base", target=target, files=_sent(PATH, EVIL)).is_ok
        opened = dev.call("open_review", kind="create_core", title="t", files=evil(), target=target)
        assert _seen(dev, opened)["known_base"]["source"] == source  # type: ignore[index]


@pytest.mark.parametrize("keeper", ["peer"], indirect=True)
@pytest.mark.door("http", "mcp", policy="peer")
def test_what_was_proven_for_one_target_goes_live_there_only(keeper: tuple[str, Served]) -> None:
    """U-01: cleared against what is on one target, it is refused on every other; live there, it is the next base."""
    _, server = keeper
    author, ci = server.callers["dev"], server.callers["ci"]
    assert ci.call("attest_base", target="docs", files=_sent("README.md", "# Docs\n\nOne wrod.\n")).is_ok
    fixed = _sent("README.md", "# Docs\n\nOne word.\n")
    opened = author.at(MCP).call("open_review", kind="fix_typo", title="t", files=fixed, target="docs")
    assert opened["state"] == "cleared", opened.text
    digest = str(_seen(author, opened)["digest"])
    for target in ("", "production"):
        refused = author.call("gate", digest=digest, **({"target": target} if target else {}))
        assert refused["allowed"] is False
        assert "docs" in refused["reason"]
    live = {"review": opened["review"], "digest": digest}
    assert ci.call("record_live", target="production", **live)["allowed"] is False
    assert ci.call("record_live", target="docs", **live)["allowed"] is True
    again = author.call(
        "open_review", kind="fix_typo", title="t", files=_sent("README.md", "# Docs\n\nOne word!\n"), target="docs"
    )
    assert again["state"] == "cleared"
    assert _seen(author, again)["known_base"] == {"source": "live", "name": "docs", "digest": digest}
    # The older version is not a base any more: that would roll the fix back.
    back = author.call(
        "open_review", kind="fix_typo", title="t", files=_sent("lib/run.py", "import subprocess\n"), target="docs"
    )
    assert back["state"] == "open"


@pytest.mark.door("http", "command", policy="solo")
def test_a_base_read_on_somebodys_laptop_is_the_laptops_alone(tmp_path: Path, shop: Shop) -> None:
    """U-01: `foureyes review` beside the server compares with what it read; at the server that base is nobody's."""
    with served(tmp_path, "solo") as server:
        work = tmp_path / "work"
        _git(tmp_path, "clone", "-q", str(shop.folder), str(work))
        (work / "README.md").write_text("# Shop\n\nWe sell things.\n", encoding="utf-8")
        RECORD.note(COMMAND, server.server.policy)
        done = subprocess.run(
            (FOUREYES, "review", "--json"),
            cwd=work,
            env=server.server.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        said = json.loads(done.stdout)
        assert done.returncode in (0, 3), done.stdout + done.stderr
        assert server.human.call("read_review", review=said["review"]).code == "review_missing"
        assert server.human.call("gate", digest=said["digest"])["allowed"] is False


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.door("http", "mcp", policy=("peer", "team"))
def test_the_note_on_an_unknown_target_says_with_what_the_work_was_compared(
    keeper: tuple[str, Served], shop: Shop, door: str
) -> None:
    """U-01: a base that is known stands in for a target that is not, and a wrong base does not."""
    _, server = keeper
    author = server.callers["dev"].at(door)
    text = f"# Shop\n\nWe sell many things over {door}.\n"
    for base, expected in ((shop.main, "the work was compared with shop "), ("", "the work was compared with nothing")):
        files = _sent("README.md", text + base)
        opened = author.call("open_review", kind="script", title="t", files=files, base=base, target="nowhere")
        (note,) = opened["notes"]
        assert expected in note
        author.call("withdraw", review=opened["review"], reason="It was a try.")
