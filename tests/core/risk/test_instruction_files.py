"""Files that instruct agents are high risk in any folder and any case, and every entry of the list has a source."""

import re

import pytest

from foureyes.core.risk import FileChange, is_guarded, risk_of
from foureyes.core.risk.instruction_files import INSTRUCTION_FILES, instructs_agents, is_loaded_by_agents
from foureyes.core.values import RiskLevel

#: Written by hand, not derived from the list, so that a name removed from the list fails here.
NAMES = [
    "AGENTS.md",
    "AGENTS.override.md",
    "AGENTS.local.md",
    "AGENT.md",
    "CLAUDE.md",
    "CLAUDE.local.md",
    "GEMINI.md",
    "QWEN.md",
    "WARP.md",
    "CONVENTIONS.md",
    "SKILL.md",
    "CRUSH.md",
    "JULES.md",
    "replit.md",
    "codex.md",
    "llms.txt",
    "llms-full.txt",
    ".cursorrules",
    ".cursor/rules/style.mdc",
    ".cursorignore",
    ".clinerules",
    ".clinerules/01.md",
    ".cline/instructions.md",
    ".openhands/microagents/repo.md",
    ".kiro/steering/product.md",
    ".junie/guidelines.md",
    ".roo/rules/a.md",
    ".roorules",
    ".roomodes",
    ".kilocode/rules/a.md",
    ".windsurf/rules/a.md",
    ".windsurfrules",
    ".continue/rules/a.md",
    ".continuerules",
    ".github/copilot-instructions.md",
    ".github/instructions/a.instructions.md",
    ".github/prompts/a.prompt.md",
    ".github/agents/a.md",
    ".github/chatmodes/a.chatmode.md",
    ".aider.conf.yml",
    ".aider.conf.md",
    ".aiderignore",
    ".claude/settings.json",
    ".claude/commands/a.md",
    ".codex/config.toml",
    ".gemini/settings.json",
    ".goosehints",
    ".amazonq/rules/a.md",
    ".augment/rules/a.md",
    ".augment-guidelines",
    ".trae/rules/project_rules.md",
    ".mcp.json",
    ".vscode/mcp.json",
    ".idx/airules.md",
    ".opencode/agent/a.md",
    "opencode.json",
    ".factory/droids/a.md",
    ".agents/skills/a/SKILL.md",
    ".agent/rules/a.md",
    ".rules",
    ".tabnine/guidelines/a.md",
    "firebender.json",
    ".ruler/a.md",
    ".rulesync/rules/a.md",
    "prompts/system.md",
    "a.prompt",
    "system_prompt.txt",
    "SOUL.md",
    "IDENTITY.md",
    "USER.md",
    "TOOLS.md",
    "MEMORY.md",
    "HEARTBEAT.md",
    "BOOTSTRAP.md",
    "HERMES.md",
    ".hermes.md",
    "IFLOW.md",
    "CODEBUDDY.md",
    ".codebuddy/rules/a.md",
    ".qoder/rules/a.md",
    ".lingma/rules/a.md",
    "GROK.md",
    ".grok/GROK.md",
    "KIMI.md",
    ".kimi/config.toml",
    "APPEND_SYSTEM.md",
    "gemini-extension.json",
    ".serena/memories/a.md",
    ".coderabbit.yaml",
    ".pr_agent.toml",
    "best_practices.md",
    "airules.md",
    ".rovodev/config.yml",
    ".devin/rules/a.md",
]


def level(path: str) -> RiskLevel:
    change = FileChange(path=path, added=("A word more.",), removed=("A wrod more.",))
    return risk_of([change]).level


@pytest.mark.parametrize("name", NAMES)
def test_a_file_that_instructs_agents_is_high_risk_anywhere_and_in_any_case(name: str) -> None:
    """U-02: in the root or below, as it is written or as a disk without case takes it."""
    swapped = name.swapcase()
    for path in (name, f"docs/{name}", f"a/b c/{name}", swapped, f"docs/{swapped}", name.upper(), name.lower()):
        assert level(path) is RiskLevel.HIGH, path
        assert is_guarded(path), path


@pytest.mark.parametrize(
    "path",
    [
        "AGENTS.md.",
        "AGENTS.md ",
        "AGENTS.md::$DATA",
        "docs\\AGENTS.md",
        "AGENT\u017f.md",  # a long s, which folds to s
        "\uff21GENTS.md",  # a wide A
        "AG\u200cENTS.md",  # a character without a width, which HFS+ ignores
        ".cl\u200daude/settings.json",
        "docs/./AGENTS.md",
        "docs/../AGENTS.md",
    ],
)
def test_other_spellings_that_a_disk_takes_for_the_name_are_high_risk(path: str) -> None:
    """U-02, U-11: the name that is written is not always the name that is opened."""
    assert level(path) is RiskLevel.HIGH


@pytest.mark.parametrize(
    "path",
    [
        "README.md",
        "docs/agents.rst",
        "claude.py",
        "my.mcp.json",
        "src/codex/a.py",
        "src/prompts.py",
        "rules/a.md",
        "pi/a",
    ],
)
def test_similar_names_instruct_nobody(path: str) -> None:
    """D-09: a gate that cries wolf is switched off."""
    assert not instructs_agents(path)


def test_every_entry_names_its_source_and_the_agent_that_reads_it() -> None:
    """U-02: the list is open; every added name cites the documentation that agents read it."""
    for entry in INSTRUCTION_FILES:
        assert re.fullmatch(r"https://[a-z0-9.-]+\.[a-z]+(/\S*)?", entry.source), entry
        assert entry.agent, entry
        assert entry.pattern == entry.pattern.casefold(), entry
        assert re.fullmatch(r"[a-z0-9_.*/-]+", entry.pattern), entry
    patterns = [entry.pattern for entry in INSTRUCTION_FILES]
    assert len(patterns) == len(set(patterns))
    assert len(NAMES) >= 30


def test_every_entry_is_matched_by_a_name_of_the_test() -> None:
    """An entry that no name reaches would be a spelling mistake that nobody notices."""
    names = [f"/{name.casefold()}/" for name in (*NAMES, *MORE)]
    for entry in INSTRUCTION_FILES:
        wanted = re.compile("/" + re.escape(entry.pattern).replace(r"\*", "[^/]*") + "/")
        assert any(wanted.search(name) for name in names), entry.pattern


MORE = [
    ".iflow/settings.json",
    ".zed/settings.json",
    "a.agent.md",
    ".aiexclude",
    ".qwen/settings.json",
    ".warp/a",
    ".crush.json",
    "crush.json",
    ".aiassistant/rules/a.md",
    ".aiignore",
    ".codeiumignore",
    "copilot-instructions.md",
    ".copilotignore",
    ".github/skills/a/a.md",
    "mcp.json",
    ".vibe/config.toml",
    ".pi/skills/a",
    ".firebender/a",
    ".ignore",
    ".rgignore",
    ".prompts/a",
    "system-prompt.md",
]


@pytest.mark.parametrize("name", MORE)
def test_the_other_names_of_the_list_are_high_risk_too(name: str) -> None:
    """U-02."""
    assert level(f"docs/{name.upper()}") is RiskLevel.HIGH


def test_what_is_read_only_when_somebody_points_there_stays_in_the_copy_of_a_reviewer() -> None:
    """The prompts of a program under review are work to be read; no agent that starts beside them obeys them."""
    assert instructs_agents("src/prompts/a.md")
    assert not is_loaded_by_agents("src/prompts/a.md")
    assert is_loaded_by_agents("src/AGENTS.md")
