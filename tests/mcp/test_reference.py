"""The page about the tools equals the list of tools."""

from foureyes.mcp.tools import NOT_OFFERED, TOOLS
from tools import mcp_reference


def test_the_page_about_the_tools_is_up_to_date() -> None:
    """`python -m tools.mcp_reference` regenerates it."""
    assert mcp_reference.PAGE.read_text(encoding="utf-8") == mcp_reference.page()


def test_every_tool_has_its_row_and_what_is_none_has_its_reason() -> None:
    page = mcp_reference.page()
    for name in (*TOOLS, *NOT_OFFERED):
        assert page.count(f"| `{name}`") == 1, name
    assert "likewise" not in page
