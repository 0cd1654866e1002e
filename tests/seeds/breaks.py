"""The edits that disable the rule behind each proven row.

A row's breaks are applied together: they are what it takes to switch its one rule off. `file` is relative to the
package, as in "core/gates/quorum.py". The tables live in `breaks_*.py` when one file grows too long.
"""

from tests.seeds.breaks_000_axy import BREAKS_000_AXY
from tests.seeds.breaks_001_b import BREAKS_001_B
from tests.seeds.breaks_002_004 import BREAKS_002_004
from tests.seeds.breaks_d_y import BREAKS_D_Y
from tests.seeds.breaks_doors import BREAKS_DOORS
from tests.seeds.breaks_engine import BREAKS_ENGINE
from tests.seeds.breaks_notify import BREAKS_NOTIFY
from tests.seeds.breaks_review import BREAKS_REVIEW
from tests.seeds.breaks_use import BREAKS_USE
from tests.seeds.shapes import Break

BREAKS: dict[str, tuple[Break, ...]] = {
    **BREAKS_000_AXY,
    **BREAKS_001_B,
    **BREAKS_002_004,
    **BREAKS_D_Y,
    **BREAKS_DOORS,
    **BREAKS_ENGINE,
    **BREAKS_NOTIFY,
    **BREAKS_REVIEW,
    **BREAKS_USE,
}
