"""Edits as data: disguises, which must never be proven, and honest edits, which must be."""

from tests.proofs.corpus.documents import DOCUMENTS
from tests.proofs.corpus.honest import HONEST
from tests.proofs.corpus.others import OTHERS
from tests.proofs.corpus.python import PYTHON
from tests.proofs.corpus.shapes import Edit
from tests.proofs.corpus.trees import TREES

__all__ = ["DISGUISES", "HONEST", "Edit"]

DISGUISES: tuple[Edit, ...] = (*PYTHON, *TREES, *DOCUMENTS, *OTHERS)
