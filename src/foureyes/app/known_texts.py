"""The text that findings were raised on, and the search for it in the bytes of a work."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from foureyes.app.contexts import Budget, context_of, files_of, lowest, samples_of
from foureyes.app.facts import bytes_at_hand
from foureyes.app.ports import Reading
from foureyes.app.reviewers import File
from foureyes.app.text_index import TextIndex
from foureyes.app.texts import normal_digest, readings
from foureyes.app.work import GONE_MODE, NO_BYTES
from foureyes.core.contexts import FORMER, Context, read_context
from foureyes.core.model import Finding, Review
from foureyes.core.values import Place, WorkPart

#: Kinds of lookup keys: first line of a text, digest of a file, sample lines of a work.
LINES, FILE, WORK = "l", "f", "w"
#: Size of the cache of file texts, each a few hashes.
FILES_KEPT_MAX = 4_096


@dataclass(frozen=True, slots=True)
class FileText:
    """The digest of a file's text, the hashes of the lines that stand for it, and how many lines were read."""

    digest: str
    #: Hashes of sample lines that are distinctive alone, and of any lines.
    telling: frozenset[str] = frozenset()
    sample: frozenset[str] = frozenset()
    lines: int = 0


@dataclass(frozen=True, slots=True)
class WorkText:
    """The digests of the texts of all files of a work, and the hashes of the lines that stand for them."""

    whole: frozenset[str] = frozenset()
    sample: frozenset[str] = frozenset()
    #: True if it has more lines than may be read.
    is_cut: bool = False


#: Cache by digest and mode: the bytes of a digest never change.
_FILES: dict[tuple[str, str], FileText] = {}


@dataclass(kw_only=True)
class Texts:
    """The bytes of a work, in which the text of findings is looked for."""

    parts: tuple[WorkPart, ...]
    blobs: Mapping[str, bytes]

    @cached_property
    def index(self) -> TextIndex:
        """The index of the lines of the files."""
        return TextIndex(files=tuple(files_of(self.parts, self.blobs)))

    @cached_property
    def digests(self) -> dict[str, str]:
        """The path of each content, by the digest of its bytes and by the digest of its text."""
        return self.index.digests | {one.digest: one.name for one in self.parts if one.mode != GONE_MODE}

    def names(self) -> Iterator[str]:
        """Yield every lookup key of these bytes."""
        yield from (f"{kind}{digest}" for digest in self.digests for kind in (FILE, WORK))
        yield from (f"{kind}{anchor}" for anchor in self.index.begins for kind in (LINES, WORK))

    def has_all(self, work: WorkText) -> bool:
        """True if the texts of all files of a work are here."""
        return bool(work.whole) and work.whole <= self.digests.keys()

    def has_most(self, work: WorkText) -> bool:
        """True if more than half of the lines of a work are here, by its sample; for a work without lines, all of it.

        What was not read counts as here.
        """
        if not work.sample and not work.is_cut:
            return self.has_all(work)
        if work.is_cut or self.index.unread:
            return True
        return 2 * len(work.sample & self.index.line_hashes) > len(work.sample)

    def find(self, place: Place | None, known: Context | None, work: WorkText) -> tuple[bool, Place | None]:
        """Return whether a text is in these bytes, and where.

        Without a context, the lines of the finding's work are the text.
        """
        if place is None or known is None:
            return self.has_most(work), None
        if known.lines:
            found = self.index.find(known, place)
            return found is not None, found
        path = self.digests.get(known.anchor)
        found = replace(place, path=path, context_hash=known.text) if path else self.index.find_unread(known, place)
        return found is not None, found or place


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownTexts:
    """The text that findings were raised on, as it would be hashed today."""

    reading: Reading
    budget: Budget = field(default_factory=Budget)
    _works: dict[str, WorkText] = field(default_factory=dict)

    def context(self, review: Review, finding: Finding) -> Context | None:
        """Return the text around a finding's place.

        A hash of an earlier release is computed anew if its file is there.
        """
        place = finding.place
        if place is None:
            return None
        parts = tuple(one for one in review.revisions[finding.revision - 1].parts if one.name == place.path)
        if place.context_hash.startswith(FORMER):
            file = next(files_of(parts, bytes_at_hand(self.reading, parts)), None)
            if file is not None and file.content:
                return context_of(file, place)
        digest = next((one.digest for one in parts if one.mode != GONE_MODE and one.digest != NO_BYTES), "")
        return read_context(place.context_hash) or (Context(anchor=digest) if digest else None)

    def work(self, review: Review, finding: Finding) -> WorkText:
        """Return the text of the version that a finding is about; for a file whose bytes are gone, its digest."""
        version = review.revisions[finding.revision - 1]
        if version.digest not in self._works:
            there = [one for one in version.parts if one.mode != GONE_MODE and one.digest != NO_BYTES]
            texts = [self._file(one) for one in sorted(there, key=lambda one: (one.size, one.name))]
            self._works[version.digest] = WorkText(
                whole=frozenset(one.digest for one in texts if one.digest),
                sample=lowest(line for one in texts for line in one.telling)
                or lowest(line for one in texts for line in one.sample),
                is_cut=not self.budget.may_read,
            )
        return self._works[version.digest]

    def names(self, review: Review, finding: Finding) -> list[str]:
        """Return the lookup keys of the text of a finding."""
        if known := self.context(review, finding):
            return [f"{LINES if known.lines else FILE}{known.anchor}"]
        work = self.work(review, finding)
        return [f"{WORK}{one}" for one in sorted(work.sample) or sorted(work.whole)[:1]]

    def _file(self, part: WorkPart) -> FileText:
        if not self.budget.may_read:
            return FileText(part.digest)
        key = part.digest, part.mode
        found = _FILES.get(key)
        if found is None:
            content = bytes_at_hand(self.reading, (part,)).get(part.digest)
            if content is None:
                return FileText(part.digest)
            if len(_FILES) >= FILES_KEPT_MAX:
                _FILES.clear()
            found = _FILES[key] = _read(File(path=part.name, mode=part.mode, content=content))
        self.budget.reads(found.lines)
        return found


def _read(file: File) -> FileText:
    texts = readings(file)
    digest = normal_digest(file) if texts else ""
    return FileText(digest, *samples_of(file), sum(len(one.lines) for one in texts))
