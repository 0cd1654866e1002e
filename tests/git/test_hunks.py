"""The new lines are read from git's patch however it is cut into pieces."""

from __future__ import annotations

import itertools
import time

from hypothesis import given
from hypothesis import strategies as st

from foureyes.app.reviewers import Span
from foureyes.git import hunks
from foureyes.git.hunks import Hunks, within

PATCH = b"""diff --git a/one b/one
index 1..2 100644
--- a/one
+++ b/one
@@ -1 +1 @@ def f():
-@@ -9 +9 @@
+diff --git a/x b/x
@@ -5,2 +5,3 @@
-a
+%s
\\ No newline at end of file
diff --git "a/t\\nwo" "b/t\\nwo"
old mode 100644
new mode 100755
diff --git a/three b/three
@@ -3,2 +2,0 @@
-gone
-gone
""" % (b"x" * 700)
FOUND: list[list[Span]] = [[(1, 1), (5, 7)], [], [(3, 3)]]


@given(st.lists(st.integers(min_value=0, max_value=len(PATCH)), max_size=30))
def test_it_does_not_matter_where_the_pieces_end(cuts: list[int]) -> None:
    ends = sorted({0, len(PATCH), *cuts})
    reading = Hunks()
    for start, end in itertools.pairwise(ends):
        reading.take(PATCH[start:end])
    assert reading.files == FOUND


def test_many_stretches_become_one_from_the_first_to_the_last() -> None:
    reading = Hunks()
    reading.take(b"diff --git a/x b/x\n")
    for number in range(1, hunks.SPANS_MAX + 2):
        reading.take(b"@@ -%d +%d @@\n" % (number * 2, number * 2))
    assert reading.files == [[(2, hunks.SPANS_MAX * 2 + 2)]]


def test_what_lies_behind_the_end_is_seen_at_the_last_line() -> None:
    assert within([(2, 3), (9, 9)], 3) == ((2, 3), (3, 3))
    assert within([(1, 1)], 0) == ((1, 1),)


def test_a_line_of_many_megabytes_takes_no_longer_than_many_lines() -> None:
    """T18: linear in the size, whatever the lines are like."""
    reading = Hunks()
    started = time.perf_counter()
    reading.take(b"diff --git a/x b/x\n@@ -0,0 +1 @@\n+")
    for _ in range(2_000):
        reading.take(b"x" * 65_536)
    reading.take(b"\n@@ -1 +7 @@\n")
    assert reading.files == [[(1, 1), (7, 7)]]
    assert time.perf_counter() - started < 2
