"""Files that instruct agents: a list with the source of each entry, and the test of a path against it."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

__all__ = ["INSTRUCTION_FILES", "InstructionFile", "instructs_agents", "is_loaded_by_agents"]

PATHS_CACHED_MAX = 4_096


@dataclass(frozen=True, slots=True, kw_only=True)
class InstructionFile:
    """A file or folder name from which an agent takes orders, and the page that says so."""

    #: Matched in any folder and in any case; `*` stays within one name. A folder stands for everything below it.
    pattern: str
    agent: str
    source: str
    #: True if an agent that starts in the folder reads the file without being told to.
    loaded: bool = True


_RULER = "https://github.com/intellectronica/ruler#supported-ai-agents"
_COPILOT = "https://docs.github.com/en/copilot/how-tos/configure-custom-instructions/add-repository-instructions"
_VS_CODE = "https://code.visualstudio.com/docs/copilot/customization/overview"
_CLAUDE = "https://code.claude.com/docs/en/memory"
_CODEX = "https://developers.openai.com/codex/guides/agents-md"
_ZED = "https://zed.dev/docs/ai/instructions"
_MCP = "https://modelcontextprotocol.io/docs/develop/connect-local-servers"

_OPENCLAW = "https://docs.openclaw.ai/concepts/agent"
_HERMES = "https://hermes-agent.nousresearch.com/docs/user-guide/features/context-files"

#: Files agents load by themselves. A name that several agents read is listed once, with the page of one of them.
_LOADED: tuple[tuple[str, str, str], ...] = (
    ("agents.md", "most agents", "https://agents.md"),
    ("agents.override.md", "Codex", _CODEX),
    ("agents.local.md", "Roo Code, Rovo Dev", "https://docs.rs/crate/agent-config/0.3.0/source/docs/agents/roo.md"),
    ("agent.md", "Zed, Amp", _ZED),
    ("*.agent.md", "GitHub Copilot", _VS_CODE),
    (".agents", "Codex, Amp, Goose", _RULER),
    (".agent", "Antigravity", _RULER),
    (".rules", "Zed", _ZED),
    (".zed", "Zed", _RULER),
    ("claude.md", "Claude Code", _CLAUDE),
    ("claude.local.md", "Claude Code", _CLAUDE),
    (".claude*", "Claude Code", _CLAUDE),
    ("codex.md", "Codex", "https://app.unpkg.com/rulesync@0.55.0/files/README.md"),
    (".codex*", "Codex", _RULER),
    ("gemini.md", "Gemini CLI", "https://geminicli.com/docs/cli/gemini-md"),
    (".gemini*", "Gemini CLI", "https://geminicli.com/docs/cli/gemini-md"),
    (".aiexclude", "Gemini Code Assist", "https://developers.google.com/gemini-code-assist/docs/create-aiexclude-file"),
    ("qwen.md", "Qwen Code", "https://github.com/QwenLM/qwen-code"),
    (".qwen*", "Qwen Code", _RULER),
    ("warp.md", "Warp", "https://docs.warp.dev/agents/capabilities/rules"),
    (".warp", "Warp", "https://docs.warp.dev/agents/capabilities/rules"),
    ("crush.md", "Crush", _RULER),
    (".crush*", "Crush", _RULER),
    ("crush.json", "Crush", "https://github.com/charmbracelet/crush"),
    ("jules.md", "Jules", "https://jules.google/docs"),
    ("replit.md", "Replit", "https://docs.replit.com/features/project-setup/replit-dot-md"),
    ("conventions.md", "Aider", "https://aider.chat/docs/usage/conventions.html"),
    (".aider*", "Aider", "https://aider.chat/docs/config/aider_conf.html"),
    ("skill.md", "agents with skills", "https://agentskills.io/specification"),
    (".cursor*", "Cursor", "https://cursor.com/docs/context/rules"),
    ("*.mdc", "Cursor", "https://cursor.com/docs/context/rules"),
    (".cline*", "Cline", "https://docs.cline.bot/features/cline-rules"),
    (".openhands*", "OpenHands", "https://docs.openhands.dev/overview/skills"),
    (".kiro*", "Kiro", "https://kiro.dev/docs/steering"),
    (".junie*", "Junie", "https://www.jetbrains.com/help/junie/customize-guidelines.html"),
    (".aiassistant", "JetBrains AI Assistant", _RULER),
    (".aiignore", "JetBrains AI Assistant, Kiro", "https://app.unpkg.com/rulesync@0.55.0/files/README.md"),
    (".roo*", "Roo Code", "https://docs.roocode.com/features/custom-instructions"),
    (".kilocode*", "Kilo Code", _RULER),
    (".windsurf*", "Windsurf", "https://docs.windsurf.com/windsurf/cascade/memories"),
    (".codeium*", "Windsurf", "https://docs.windsurf.com/context-awareness/windsurf-ignore"),
    (".continue*", "Continue", "https://docs.continue.dev/customize/deep-dives/rules"),
    ("copilot*.md", "GitHub Copilot", _COPILOT),
    (".copilot*", "GitHub Copilot", _COPILOT),
    (".github/copilot*", "GitHub Copilot", _COPILOT),
    (".github/instructions", "GitHub Copilot", _COPILOT),
    (".github/prompts", "GitHub Copilot", _VS_CODE),
    (".github/agents", "GitHub Copilot", _VS_CODE),
    (".github/chatmodes", "GitHub Copilot", _VS_CODE),
    (".github/skills", "GitHub Copilot", _VS_CODE),
    ("*.instructions.md", "GitHub Copilot", _COPILOT),
    ("*.prompt.md", "GitHub Copilot", _VS_CODE),
    ("*.chatmode.md", "GitHub Copilot", _VS_CODE),
    (".vscode/mcp.json", "GitHub Copilot", _VS_CODE),
    (".mcp.json", "agents that connect tools", _MCP),
    ("mcp.json", "agents that connect tools", _MCP),
    (".goose*", "Goose", _RULER),
    (".amazonq", "Amazon Q", _RULER),
    (".augment*", "Augment", _RULER),
    (".trae*", "Trae", _RULER),
    (".idx", "Firebase Studio", _RULER),
    (".opencode*", "OpenCode", _RULER),
    ("opencode.json*", "OpenCode", _RULER),
    (".factory", "Factory", _RULER),
    (".vibe", "Mistral Vibe", _RULER),
    (".pi", "Pi", _RULER),
    (".firebender*", "Firebender", _RULER),
    ("firebender.json", "Firebender", _RULER),
    (".tabnine*", "Tabnine", "https://docs.tabnine.com/main/getting-started/tabnine-agent/guidelines"),
    (".ruler", "every agent Ruler writes for", _RULER),
    (".rulesync*", "every agent Rulesync writes for", "https://github.com/dyoshikawa/rulesync"),
    ("soul.md", "OpenClaw, Hermes Agent", _OPENCLAW),
    ("identity.md", "OpenClaw", _OPENCLAW),
    ("user.md", "OpenClaw, Hermes Agent", _OPENCLAW),
    ("tools.md", "OpenClaw", _OPENCLAW),
    ("memory.md", "OpenClaw, Hermes Agent", _OPENCLAW),
    ("heartbeat.md", "OpenClaw", "https://docs.openclaw.ai/concepts/agent-workspace"),
    ("bootstrap.md", "OpenClaw", _OPENCLAW),
    ("hermes.md", "Hermes Agent", _HERMES),
    (".hermes*", "Hermes Agent", _HERMES),
    (".coderabbit.y*ml", "CodeRabbit", "https://docs.coderabbit.ai/reference/configuration"),
    (
        ".pr_agent.toml",
        "Qodo",
        "https://docs.qodo.ai/qodo-documentation/code-review/concepts/configuration-overview/configuration-file",
    ),
    (".ignore", "agents that search with ripgrep", "https://github.com/BurntSushi/ripgrep/blob/master/GUIDE.md"),
    (".rgignore", "agents that search with ripgrep", "https://github.com/BurntSushi/ripgrep/blob/master/GUIDE.md"),
)
#: Names that these agents are known to read; the link is the agent's home page and does not prove the entry.
_BY_REPUTE: tuple[tuple[str, str, str], ...] = (
    ("iflow.md", "iFlow CLI", "https://github.com/iflow-ai/iflow-cli"),
    (".iflow", "iFlow CLI", "https://github.com/iflow-ai/iflow-cli"),
    ("codebuddy.md", "CodeBuddy", "https://www.codebuddy.ai/docs"),
    (".codebuddy*", "CodeBuddy", "https://www.codebuddy.ai/docs"),
    (".qoder*", "Qoder", "https://docs.qoder.com"),
    (".lingma*", "Lingma", "https://help.aliyun.com/zh/lingma"),
    ("grok.md", "Grok CLI", "https://github.com/superagent-ai/grok-cli"),
    (".grok", "Grok CLI", "https://github.com/superagent-ai/grok-cli"),
    ("kimi.md", "Kimi CLI", "https://github.com/MoonshotAI/kimi-cli"),
    (".kimi", "Kimi CLI", "https://github.com/MoonshotAI/kimi-cli"),
    ("append_system.md", "Pi", "https://github.com/badlogic/pi-mono"),
    ("gemini-extension.json", "Gemini CLI", "https://geminicli.com/docs/extensions"),
    (".serena", "agents that use Serena", "https://github.com/oraios/serena"),
    ("best_practices.md", "Qodo", "https://docs.qodo.ai"),
    ("airules.md", "Firebase Studio", "https://firebase.google.com/docs/studio"),
    (".rovodev*", "Rovo Dev", "https://support.atlassian.com/rovo"),
    (".devin", "Devin", "https://docs.devin.ai"),
)
#: Files read only when an agent is pointed to them, or by the program whose model they instruct.
_NAMED: tuple[tuple[str, str, str], ...] = (
    ("llms.txt", "agents that read a site", "https://llmstxt.org"),
    ("llms-*.txt", "agents that read a site", "https://llmstxt.org"),
    ("prompts", "programs with prompts", "https://genkit.dev/docs/dotprompt"),
    (".prompts", "programs with prompts", "https://genkit.dev/docs/dotprompt"),
    ("*.prompt", "programs with prompts", "https://genkit.dev/docs/dotprompt"),
    ("system_prompt*", "programs with prompts", "https://genkit.dev/docs/dotprompt"),
    ("system-prompt*", "programs with prompts", "https://genkit.dev/docs/dotprompt"),
)

INSTRUCTION_FILES: tuple[InstructionFile, ...] = tuple(
    InstructionFile(pattern=pattern, agent=agent, source=source, loaded=loaded)
    for loaded, rows in ((True, _LOADED), (True, _BY_REPUTE), (False, _NAMED))
    for pattern, agent, source in rows
)


def instructs_agents(path: str) -> bool:
    """True if an agent may take instructions from the file at this path."""
    return _search(_ANY, path)


def is_loaded_by_agents(path: str) -> bool:
    """True if an agent that starts in the folder loads this path without being told to."""
    return _search(_AT_START, path)


def _compiled(entries: tuple[InstructionFile, ...]) -> re.Pattern[str]:
    names = "|".join(re.escape(entry.pattern).replace(r"\*", "[^/]*") for entry in entries)
    return re.compile(f"(?:^|/)(?:{names})(?:/|$)")


_ANY = _compiled(INSTRUCTION_FILES)
_AT_START = _compiled(tuple(entry for entry in INSTRUCTION_FILES if entry.loaded))


@lru_cache(maxsize=PATHS_CACHED_MAX)
def _search(pattern: re.Pattern[str], path: str) -> bool:
    return bool(pattern.search(_folded(path)))


def _folded(path: str) -> str:
    """Normalise all names that some file system treats as the same.

    Disks ignore case, Unicode form, zero-width characters, and (Windows) dots and spaces at the end of a name and
    anything after a colon.
    """
    plain = unicodedata.normalize("NFKC", path).casefold().replace("\\", "/")
    seen = "".join(letter for letter in plain if unicodedata.category(letter) != "Cf")
    return "/".join(name.partition(":")[0].rstrip(" .") for name in seen.split("/"))
