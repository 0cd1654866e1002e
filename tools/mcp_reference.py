"""What does an agent find over MCP? Written into the reference from the list of tools itself.

Usage: python -m tools.mcp_reference
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from foureyes.codec.sizes import VALUES_MAX
from foureyes.mcp.listing import USUAL, WORD, Which
from foureyes.mcp.prompts import PROMPTS
from foureyes.mcp.tools import (
    AUTHOR,
    EVERYBODY,
    NOT_OFFERED,
    OTHERS,
    REVIEW_SERVER,
    REVIEWER,
    WAIT_SECONDS_MAX,
    Tool,
    offered,
)

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference" / "mcp.md"
HEAD = f"""# Tools for agents (MCP)

Made by `python -m tools.mcp_reference` from the list of tools. Each tool is a call of [the HTTP API](http.md) by the
same name: what it takes, gives and refuses is the same there. `tools/list` gives the schemas.

A list of tools stands in an agent's context for as long as it works, so `tools/list` names only those that an author
and a reviewer need every day: {len(USUAL)} of them, marked below with whom they are for. Every other one is called by
its name all the same, but most agents call only what they were told of. To have other lists:

| over HTTP | on stdio | what is listed |
|---|---|---|
| `/mcp` | `foureyes mcp` | the usual ones (also as `{WORD}={Which.USUAL}`) |
| `/mcp?{WORD}={Which.AUTHOR}` | `foureyes mcp --tools {Which.AUTHOR}` | of the usual ones, those for authors |
| `/mcp?{WORD}={Which.REVIEWER}` | `foureyes mcp --tools {Which.REVIEWER}` | of the usual ones, those for reviewers |
| `/mcp?{WORD}={Which.ALL}` | `foureyes mcp --all-tools` | all, with `outputSchema`: what each answers |

Another word is refused. An answer is the same, listed or not: `structuredContent`, and the same as text.

- **Over HTTP** a running server answers at `/mcp`, with `Authorization: Bearer TOKEN` on every request; `foureyes up`
  prints the lines that connect Claude Code, Codex and Gemini CLI. No session is kept, so a restart is not noticed.
- **On stdio** `foureyes mcp` is a process that the agent starts itself. It acts as the account of the token it is
  started with, and as nobody else: `FOUREYES_TOKEN`, or a file of mode 0600 (`--token-file`, `FOUREYES_TOKEN_FILE`). A
  service names the agent it acts for in `FOUREYES_AGENT`. Where a server runs in the data folder it speaks to that
  (`--server URL` names another); else it opens the store itself. Then nobody passes deadlines and no program looks:
  for more than trying it out, run a server.
- **Both eras** of the protocol are spoken: 2026-07-28, and those with a handshake before it.
- **Which tools** of a list an agent sees depends on what its token is for, and on nothing else. What needs a
  human is no tool, and nothing is ever asked of a client: an answer to an elicitation proves no human.
- **Waiting**: tools marked with ⏳ return at once; with `wait` they answer after at most {WAIT_SECONDS_MAX} seconds,
  when it is the caller's turn or the review has ended.
- **A no** is a tool error of three lines: what is wrong, what to do next, and the code. A tool that there is not is an
  error of the protocol: `Unknown tool: NAME`.
- **Messages** are JSON of at most 4 MiB and {VALUES_MAX:,} values (each number, text, list and object is one, however
  long): above that 413 over HTTP. A field that is there twice, NaN or half of a character is refused.

"""
GROUPS = (
    ("For everybody", EVERYBODY),
    ("For authors", AUTHOR),
    ("For reviewers", REVIEWER),
    ("Chains, panels, sessions and the rest", OTHERS),
    ("As `review-server`", REVIEW_SERVER),
)
RESOURCES = """## Resources

| address | what stands there |
|---|---|
| `review://inbox` | what waits for you |
| `review://reviews/REVIEW` | a review as you may see it |
| `review://reviews/REVIEW/work` | the exact bytes under review |

The list names every review by what its author said of it, in the order in which they were opened.

"""


def page() -> str:
    """The whole page."""
    return HEAD + "\n".join([*_tools(), RESOURCES + _prompts(), *_left_out()])


def _tools() -> Iterator[str]:
    for title, tools in GROUPS:
        yield f"## {title}\n"
        if tools is REVIEW_SERVER:
            yield "`foureyes mcp --as review-server` is a server of that name, version 1.0.0, with these tools alone.\n"
        yield "| tool | needs | listed for | what for |\n|---|---|---|---|"
        yield from (_row(one) for one in offered(tools).values())
        yield ""


def _row(tool: Tool) -> str:
    mark = " ⏳" if tool.waits or "wait" in tool.takes()["properties"] else ""
    roles = USUAL.get(tool.name, frozenset())
    listed = "both" if len(roles) > 1 else next(iter(roles), "")
    return f"| `{tool.name}`{mark} | {tool.call.needs} | {listed} | {tool.says} |"


def _prompts() -> str:
    rows = "\n".join(f"| `{one.name}` | {one.says} |" for one in PROMPTS.values())
    return f"## Prompts\n\n| prompt | what for |\n|---|---|\n{rows}\n"


def _left_out() -> Iterator[str]:
    yield "## What is no tool\n\n| call | why |\n|---|---|"
    why = ""
    for name, reason in NOT_OFFERED.items():
        why = why if reason == "likewise" else reason
        yield f"| `{name}` | {why} |"
    yield ""


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
