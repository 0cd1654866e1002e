"""Maximum-weight pairing of two sides by the Hungarian method; each member is in at most one pair."""

from __future__ import annotations

from collections.abc import Mapping

Pair = tuple[str, str]

#: Larger sides are paired greedily, which is faster and nearly as good.
SIDE_MAX = 40


def best_pairs(scores: Mapping[Pair, int]) -> tuple[Pair, ...]:
    """The best pairs among those with a positive score, independent of their order in the input."""
    positive = {pair: score for pair, score in scores.items() if score > 0}
    left = sorted({a for a, _ in positive})
    right = sorted({b for _, b in positive})
    if not positive:
        return ()
    if max(len(left), len(right)) > SIDE_MAX:
        return _greedy(positive)
    size = max(len(left), len(right))
    gain = [[_score(positive, left, right, (row, column)) for column in range(size)] for row in range(size)]
    chosen = ((left[row], right[column]) for row, column in enumerate(_hungarian(gain)) if gain[row][column] > 0)
    return tuple(sorted(chosen))


def _score(scores: Mapping[Pair, int], left: list[str], right: list[str], at: tuple[int, int]) -> int:
    row, column = at
    inside = row < len(left) and column < len(right)
    return scores.get((left[row], right[column]), 0) if inside else 0


def _greedy(scores: Mapping[Pair, int]) -> tuple[Pair, ...]:
    taken: set[tuple[str, str]] = set()
    chosen: list[Pair] = []
    for a, b in sorted(scores, key=lambda pair: (-scores[pair], pair)):
        if ("left", a) not in taken and ("right", b) not in taken:
            taken |= {("left", a), ("right", b)}
            chosen.append((a, b))
    return tuple(sorted(chosen))


def _hungarian(gain: list[list[int]]) -> list[int]:
    """Find the column of every row; rows join one by one, each along the cheapest path to a free column."""
    table = _Table(gain)
    for row in range(1, len(gain) + 1):
        table.join(row)
    columns = [0] * len(gain)
    for column, row in enumerate(table.row_of[1:]):
        columns[row - 1] = column
    return columns


class _Table:
    """The working lists of the Hungarian method; index 0 is the root of each search, so both sides count from 1."""

    def __init__(self, gain: list[list[int]]) -> None:
        size = len(gain)
        self.gain = gain
        self.row_price = [0] * (size + 1)
        self.column_price = [0] * (size + 1)
        self.row_of = [0] * (size + 1)

    def join(self, row: int) -> None:
        self.row_of[0] = row
        column, seen, slack, way = 0, set[int](), dict[int, int](), dict[int, int]()
        while self.row_of[column]:
            seen.add(column)
            self._look_from(column, seen, slack, way)
            nearest = min((one for one in slack if one not in seen), key=lambda one: (slack[one], one))
            self._reprice(slack[nearest], seen, slack)
            column = nearest
        while column:
            self.row_of[column], column = self.row_of[way[column]], way[column]

    def _look_from(self, column: int, seen: set[int], slack: dict[int, int], way: dict[int, int]) -> None:
        row = self.row_of[column]
        for other in range(1, len(self.row_of)):
            cost = -self.gain[row - 1][other - 1] - self.row_price[row] - self.column_price[other]
            if other not in seen and (other not in slack or cost < slack[other]):
                slack[other], way[other] = cost, column

    def _reprice(self, step: int, seen: set[int], slack: dict[int, int]) -> None:
        for column in seen:
            self.row_price[self.row_of[column]] += step
            self.column_price[column] -= step
        for column in slack.keys() - seen:
            slack[column] -= step
