"""Detection of the models that are available, and the reasons given for those that are not."""

from __future__ import annotations

import subprocess
import sys

import pytest

from foureyes.app.reviewers import Missing
from foureyes.policy.policy import Model
from foureyes.reviewers.models import at_hand, for_role
from foureyes.reviewers.models.at_hand import INSTALL
from foureyes.reviewers.models.endpoints import PROVIDERS, Endpoint

KEYS = {"ANTHROPIC_API_KEY": "a-key", "OPENAI_API_KEY": "o-key", "GEMINI_API_KEY": "g-key"}
OWN = {"FOUREYES_MODEL_URL": "http://localhost:8080/v1", "FOUREYES_MODEL": "qwen3-coder"}


def test_without_keys_nobody_is_at_hand_and_nobody_is_missed() -> None:
    assert at_hand({}) == ((), ())
    assert at_hand({"ANTHROPIC_API_KEY": "  "}) == ((), ())


def test_each_key_brings_its_model_and_says_who_receives_the_work() -> None:
    found, missing = at_hand(KEYS | OWN)
    assert missing == ()
    assert {one.who.provider: (one.who.model_family, one.sends) for one in found} == {
        "anthropic": ("claude", "Anthropic (api.anthropic.com), the model claude-sonnet-5-5"),
        "openai": ("gpt", "OpenAI (api.openai.com), the model gpt-6.1-terra"),
        "google": ("gemini", "Google (generativelanguage.googleapis.com), the model gemini-3.8-flash"),
        "endpoint": ("qwen", ""),
    }


def test_another_address_and_another_model_are_taken_and_said() -> None:
    environ = {
        "OPENAI_API_KEY": "k",
        "OPENAI_BASE_URL": "http://10.0.0.5:4000/v1",
        "FOUREYES_OPENAI_MODEL": "gpt-6-luna",
    }
    (found,), _ = at_hand(environ)
    assert found.who.name == "openai:gpt-6-luna"
    assert found.sends == "the endpoint (10.0.0.5, unencrypted), the model gpt-6-luna"


@pytest.mark.parametrize(
    ("environ", "why", "step"),
    [
        ({"FOUREYES_MODEL_URL": "http://localhost:1"}, "FOUREYES_MODEL is not set", "export FOUREYES_MODEL=NAME"),
        (OWN | {"FOUREYES_MODEL_URL": "ftp://x"}, "is no address that begins with http", "=https://…"),
        (OWN | {"FOUREYES_MODEL_URL": "http://me:pass@x/v1"}, "has a password in it", "=https://…"),
        (OWN | {"FOUREYES_MODEL_URL": "http://[x"}, "is no address", "=https://…"),
        (OWN | {"FOUREYES_MODEL_CONTEXT": "much"}, "is no number of tokens", "export FOUREYES_MODEL_CONTEXT=32768"),
        (OWN | {"FOUREYES_MODEL_CONTEXT": "9" * 5_000}, "is no number of tokens", "=32768"),
    ],
)
def test_what_is_set_up_by_half_is_missing_with_the_next_step(environ: dict[str, str], why: str, step: str) -> None:
    found, (missing,) = at_hand(environ)
    assert found == ()
    assert why in missing.why
    assert missing.next_step.endswith(step)
    assert "pass" not in missing.why.replace("password", "")


def test_without_the_extra_the_exact_command_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pydantic_ai", None)
    found, missing = at_hand({"OPENAI_API_KEY": "k"})
    assert found == ()
    assert missing == (
        Missing(name="openai:gpt-6.1-terra", why="what speaks to models is not installed", next_step=INSTALL),
    )
    assert INSTALL == "pip install 'foureyes[models]'"


def test_a_role_of_the_policy_gets_its_first_model_and_the_others_behind_it() -> None:
    models = (
        Model(provider="mistral", name="large"),
        Model(provider="anthropic", name="claude-haiku-5-5"),
        Model(provider="openai", name="gpt-6-luna"),
    )
    found, missing = for_role("haiku", models, {"ANTHROPIC_API_KEY": "k"})
    assert found is not None
    assert [one.id for one in found.endpoints] == ["anthropic:claude-haiku-5-5"]
    assert found.who.name == "haiku (anthropic:claude-haiku-5-5)"
    assert [(one.name, one.why) for one in missing] == [
        ("mistral:large", "nobody knows a provider called mistral"),
        ("openai:gpt-6-luna", "OPENAI_API_KEY is not set"),
    ]
    nobody, _ = for_role("haiku", models, {})
    assert nobody is None


def test_a_family_is_claimed_only_if_it_holds_whoever_answers() -> None:
    """D-05."""
    models = (Model(provider="anthropic", name="claude-haiku-5-5"), Model(provider="openai", name="gpt-6-luna"))
    found, _ = for_role("haiku", models, KEYS)
    assert found is not None
    assert (found.who.model_family, found.who.provider) == ("", "")
    assert found.sends.count(";") == 1
    own, _ = for_role("x", (Model(provider="endpoint", name="my-own-tune"),), OWN)
    assert own is not None
    assert own.who.model_family == ""


def test_a_key_is_shown_nowhere() -> None:
    found, _ = at_hand(KEYS | OWN | {"FOUREYES_MODEL_KEY": "e-key"})
    assert "-key" not in repr(found).replace("FOUREYES", "")
    assert "-key" not in repr(Endpoint(provider=PROVIDERS["openai"], name="x", key="o-key"))


def test_knowing_who_is_at_hand_loads_nothing_heavy() -> None:
    code = (
        "import sys; from foureyes.reviewers.models import at_hand; at_hand({'OPENAI_API_KEY': 'k'});"
        "heavy = {'pydantic_ai', 'pydantic', 'openai', 'anthropic', 'google.genai', 'httpx2'} & set(sys.modules);"
        "sys.exit(f'loaded {heavy}' if heavy else 0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
