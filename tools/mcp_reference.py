"""Write the MCP reference from the list of tools itself.

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

A list of tools stands in an agent's context for as long as it works, so `tools/list` names the tools of the parts that
the token is for, and nothing else: an author's with the scope `author`, a reviewer's with `review`, both with both.
With neither it is the session's (`signal`) or a reader's. No such list has more than 14 kB. Every other tool, those of
`review-server` included, is called by its name all the same, but most agents call only what they were told of. To have
another list:

| over HTTP | on stdio | what is listed |
|---|---|---|
| `/mcp` | `foureyes mcp` | by the token's scopes (also as `{WORD}={Which.USUAL}`) |
| `/mcp?{WORD}={Which.AUTHOR}` | `foureyes mcp --tools {Which.AUTHOR}` | those for authors |
| `/mcp?{WORD}={Which.REVIEWER}` | `foureyes mcp --tools {Which.REVIEWER}` | those for reviewers |
| `/mcp?{WORD}={Which.SESSION}` | `foureyes mcp --tools {Which.SESSION}` | those of sessions and chains |
| `/mcp?{WORD}={Which.READER}` | `foureyes mcp --tools {Which.READER}` | those that only look |
| `/mcp?{WORD}={Which.ALL}` | `foureyes mcp --all-tools` | all, with `outputSchema` and every field |
| `/mcp/review-server` | `foureyes mcp --as review-server` | the seven alone; with `outputSchema` under `?tools=all` |

Another word is refused. An answer is the same, listed or not: `structuredContent`, and the same as text.

- **Instructions**: whoever connects is told the loop of their part in ten lines, with tools that are listed.
- **Unknown arguments** are left out, and named in the answer under `ignored`: some clients add their own. One that is
  nearly a field of the tool (`verdit`), or could hold part of what is handed in (a list, an object, a long text), is
  refused.
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
  when it is the caller's turn or the review has ended; `inbox` when something waits. Polling is never needed. Whoever
  waits on gives the `mark` of the answer before: it is another one each time, so that no client takes it for a loop.
- **A no** is a tool error: what is wrong, what to do next, and the code. `structuredContent` has the same as data:
  `fields.field` is the argument that is wrong, `fields.allowed` what it may be, `fields.add` what to add (`<…>` stands
  for the caller's own words), `fields.remove` what to leave out, `next_call` the tool to call first or instead; with
  `fields.repeat` the same call goes through after it. A tool that there is not is an error of the protocol:
  `Unknown tool: NAME`.
- **Messages** are JSON of at most 4 MiB and {VALUES_MAX:,} values (each number, text, list and object is one, however
  long). A call that is larger is refused as the tool's own answer, with `send_file` as the way out. A field that is
  there twice, NaN or half of a character is refused.

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
            yield "`/mcp/review-server` and `foureyes mcp --as review-server` are a server of that name, version 1.0.0,"
            yield "with these tools alone.\n"
        yield "| tool | needs | listed for | what for |\n|---|---|---|---|"
        yield from (_row(one) for one in offered(tools).values())
        yield ""


def _row(tool: Tool) -> str:
    mark = " ⏳" if tool.waits or "wait" in tool.takes()["properties"] else ""
    roles = USUAL.get(tool.name, frozenset())
    listed = ", ".join(one for one in Which if one in roles)
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
