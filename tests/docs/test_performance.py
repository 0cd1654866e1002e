"""The page of figures equals the measured figures."""

import json

import pytest

from bench.lines import FILE, read
from bench.page import PAGE, QUALITY, page, quality


def test_the_page_of_figures_is_what_the_measured_lines_say() -> None:
    assert read(), "nothing was measured"
    assert PAGE.read_text(encoding="utf-8") == page(read())
    assert QUALITY.read_text(encoding="utf-8") == quality(read())


PARTS = ["lifecycle", "groups", "doors", "starts", "timing", "growth", "bytes", "cold", "review", "quality"]


@pytest.mark.parametrize("part", PARTS)
def test_every_part_of_the_bench_has_left_a_line_that_says_where_it_was_measured(part: str) -> None:
    lines = [line for line in read() if line["figure"].startswith(f"{part}.")]
    assert lines
    for line in lines:
        assert line["correct"], line["figure"]
        assert {"measured", "demand", "kept", "command", "commit", "load1", "cores", "at"} <= line.keys()


def test_a_figure_changed_by_hand_shows_on_the_page() -> None:
    lines = read()
    lines[0]["measured"] = 123456
    assert page(lines) != page(read())


def test_every_line_is_one_figure() -> None:
    names = [json.loads(line)["figure"] for line in FILE.read_text(encoding="utf-8").splitlines()]
    assert len(names) == len(set(names))


def test_what_floods_do_stands_on_the_page_once() -> None:
    line = {**read()[0], "figure": "flood.reads", "what": "beside a flood of reads"}
    assert page([line]).count("beside a flood of reads") == 1
