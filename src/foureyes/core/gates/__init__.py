"""Gates: the conditions a stage can demand, one module each."""

from foureyes.core.gates.agreement import Agreement
from foureyes.core.gates.certainty import Certainty
from foureyes.core.gates.confidence_gap import ConfidenceGap
from foureyes.core.gates.consistency import Consistency
from foureyes.core.gates.coverage import Coverage
from foureyes.core.gates.evidence import Evidence
from foureyes.core.gates.independent import Independence
from foureyes.core.gates.majority import Majority
from foureyes.core.gates.quorum import Quorum
from foureyes.core.gates.resolved import Resolved
from foureyes.core.gates.standards import Criteria, Mode, Standards
from foureyes.core.gates.tally import Tally
from foureyes.core.gates.unanimous import Unanimous
from foureyes.core.gates.unknown import Unknown

__all__ = [
    "Agreement",
    "Certainty",
    "ConfidenceGap",
    "Consistency",
    "Coverage",
    "Criteria",
    "Evidence",
    "Independence",
    "Majority",
    "Mode",
    "Quorum",
    "Resolved",
    "Standards",
    "Tally",
    "Unanimous",
    "Unknown",
]
