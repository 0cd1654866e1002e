"""Redacts recognised secrets from what agents and models are served: one place for every call at every door.

The real bytes are what is judged: their digest is what a report names. What was cut is told by path, line and kind,
never by value. Signed-in humans get everything, with the places marked. An agent gets the same cut text of its own work
as of any other: bytes can be named by their digest, so being an author does not prove knowing them.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any, Protocol, cast

from foureyes.app.answer_texts import OURS, REVIEW_FIELDS, SECRET_CHARS_MIN, names_of, scanned
from foureyes.app.calls.bodies import given
from foureyes.app.calls.call import Caller
from foureyes.app.facts import bytes_at_hand
from foureyes.app.gate import Gate, Seen, Served
from foureyes.app.ports import Damaged, Quick, Reading, Store
from foureyes.codec import Json
from foureyes.codec.shapes import CodecError, shape
from foureyes.core.model import Review, Revision
from foureyes.core.refusals import Refusal
from foureyes.core.values import Who, WorkPart

#: Texts of more characters are searched beside the server, and remembered by their hash.
LONG_CHARS = 16 * 1024
#: Bytes of cleaned works, and characters of cleaned texts, that are kept at hand.
WORKS_BYTES_MAX, TEXTS_CHARS_MAX = 64 * 1024 * 1024, 8 * 1024 * 1024
#: Answers with a mark that are remembered.
MARKS_MAX = 1_024
#: So many reviews of a list, with so many bytes that were not searched before, are searched for one answer.
LISTED_MAX, LISTED_BYTES_MAX = 100, 2 * 1024 * 1024
#: A version of fewer bytes is read without another thread.
QUICK_BYTES_MAX = 64 * 1024
#: Versions whose secrets are remembered.
VERSIONS_MAX = 10_000
#: Fields with words of people; of a review that was not searched yet none of them is served.
_WORDS = frozenset(
    {"title", "origin", "files", "turn", "text", "summary", "reason", "message", "sentence", "note", "paused_because"}
)
NOT_YET = "[withheld until this review is read by itself: its work was not searched for secrets yet]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """A secret that was recognised: where and of which kind; there is no field for its value."""

    path: str
    #: 0: the file as a whole.
    line: int
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleaned:
    """A version without its secrets: files by their paths, files of the base by their digests, and what was cut."""

    files: Mapping[str, bytes] = field(repr=False)
    before: Mapping[str, bytes] = field(repr=False)
    cuts: tuple[Cut, ...]
    #: The values, to be found again in what is said of the work; only the cutter looks into it. None: not searched.
    known: Any = field(default=None, repr=False)
    #: The first file of which more is cut than a value in its line: whoever is served the rest has not read it.
    withheld: str = ""


class Cutter(Protocol):
    """Recognises secrets and takes them out; lines keep their numbers."""

    def text(self, text: str, path: str, known: Any) -> str:
        """A short text without secrets, those that are known of its review too."""

    async def long_text(self, text: str, path: str, known: Any) -> str:
        """The same for a long one."""

    async def work(self, files: Mapping[str, bytes], before: Mapping[str, tuple[str, bytes]], known: Any) -> Cleaned:
        """A version without secrets, those that are known of its review too; what cannot be searched is withheld.

        `before` has path and bytes by digest.
        """

    async def secrets(self, files: Mapping[str, bytes], before: Mapping[str, tuple[str, bytes]]) -> Any:
        """The secrets of a version, to be found again in what is said of it; None where it takes too long."""

    def together(self, known: Iterable[Any]) -> Any:
        """The secrets of several versions as those of one."""

    def is_empty(self, known: Any) -> bool:
        """True if these are no secrets at all."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A call's answer as it may leave: the value, and the same as plain JSON."""

    value: Any
    as_given: Json

    def __getattr__(self, name: str) -> Any:
        """Whatever the value has."""
        return getattr(self.value, name)


@dataclass(slots=True)
class Redaction:
    """Cuts answers; what was cleaned once is remembered by the digest of the version, or by the text."""

    cutter: Cutter
    _works: OrderedDict[str, Cleaned] = field(default_factory=OrderedDict)
    _works_bytes: int = 0
    #: The secrets of every version that was searched; None of one that could not be.
    _secrets: OrderedDict[str, Any] = field(default_factory=OrderedDict)
    _texts: dict[tuple[str, str, str], str] = field(default_factory=dict)
    _texts_chars: int = 0
    #: By the mark of an answer, which is a hash of all of it: what it is without secrets; None where it has none.
    _marked: dict[str, Json | None] = field(default_factory=dict)

    async def work(self, store: Store, served: Served) -> Cleaned:
        """A version without secrets: its own, and those of the versions before it, which somebody may quote."""
        review = served.seen.view.review
        key = _key_of(review.revisions)
        clean = self._works.get(key)
        if clean is None:
            known = await self._known(store, review.revisions[:-1])
            before = _named_bytes(review.current.before, served.before)
            clean = await self.cutter.work(served.files, before, known)
            self._keep(key, clean)
            self._note(_key(review.current), clean.known)
        self._works.move_to_end(key)
        return clean

    async def _known(self, store: Store, revisions: Sequence[Revision]) -> Any:
        """The secrets of these versions; None where one of them could not be searched."""
        found = []
        for one in revisions:
            key = _key(one)
            if key not in self._secrets:
                look = partial(stored, one)
                files, before = await store.read(Quick(look) if _size_of(one) <= QUICK_BYTES_MAX else look)
                self._note(key, await self.cutter.secrets(files, before))
            self._secrets.move_to_end(key)
            found.append(self._secrets[key])
        return None if None in found else self.cutter.together(found)

    def _note(self, key: str, known: Any) -> None:
        self._secrets[key] = known
        if len(self._secrets) > VERSIONS_MAX:
            self._secrets.popitem(last=False)

    async def answer(self, place: Place, found: Any) -> Any:
        """An answer without secrets."""
        told = given(found)
        mark = str(getattr(found, "mark", "")) if hasattr(found, "as_given") else ""
        mark = "" if "." in mark else mark  # one that counts turns is no hash of the answer alone
        if mark and mark in self._marked:
            clean = self._marked[mark]
            return Answered(found, told) if clean is None else Answered(_read(found, clean), clean)
        names, texts = scanned(told)
        if not texts:
            return Answered(found, told)
        about = await self._about(place, names)
        clean = told if self._is_clean(texts, about) else await self._cleaned(told, about)
        if mark:
            if len(self._marked) >= MARKS_MAX:
                self._marked.clear()
            self._marked[mark] = None if clean is told else clean
        return Answered(found, told) if clean is told else Answered(_read(found, clean), clean)

    async def _cleaned(self, told: Json, about: Mapping[str, About]) -> Json:
        """An answer without the secrets of the reviews it names; the very same where it has none."""
        own = about.get("", NOTHING)
        for text, path, known in self._long_texts(told, "", own, about):
            if self._remembered(text, path, known) is None:
                self._remember(text, path, known, await self.cutter.long_text(text, path, known.values))
        return cast("Json", self._walk(told, "", own, about))

    async def refusal(self, place: Place, refusal: Refusal) -> Refusal:
        """A refusal without secrets."""
        about = await self._about(place, {})
        said = [refusal.sentence, refusal.next_step, dict(refusal.fields)]
        clean = self._walk(said, "", about.get("", NOTHING), about)
        if clean is said:
            return refusal
        return Refusal(refusal.code, clean[0], clean[1], fields=clean[2], next_call=refusal.next_call)

    async def said(self, store: Store, review: Review, told: Any) -> Any:
        """What is said of a review to somebody who did not ask: without the secrets of any of its versions."""
        values = await self._known(store, review.revisions)
        return self._walk(told, "", self._about_these(review.revisions, values), {})

    def text(self, text: str, seen: Seen, clean: Cleaned) -> str:
        """A text about a version without the secrets of that version."""
        return self._text(text, "", self._about_these(seen.view.review.revisions, clean.known))

    def _is_clean(self, texts: Iterable[tuple[str, str]], about: Mapping[str, About]) -> bool:
        """True if no text is cut, where the reviews that are named have no secrets: then all texts are cut alike."""
        if any(one.key for one in about.values()):
            return False
        return all(len(text) <= LONG_CHARS and self._text(text, path, NOTHING) is text for text, path in texts)

    async def _about(self, place: Place, names: Iterable[str]) -> dict[str, About]:
        """The secrets of the reviews that an answer is about, by their names; under no name those of the call's own.

        Of a list of large works some are left out: their words are withheld until they are read by themselves.
        """
        own = next((one for one in _named(place.form) if one), "")
        found, room = dict[str, About](), LISTED_BYTES_MAX
        for name in dict.fromkeys((own, *islice(names, LISTED_MAX))):
            if not name:
                continue
            try:
                review = (await place.gate.read(name, place.who)).view.review
            except (Refusal, Damaged):
                continue
            new = [one for one in review.revisions if _key(one) not in self._secrets]
            size = sum(map(_size_of, new))
            if size > room and name != own:
                found[name] = UNKNOWN
                continue
            room -= size
            values = await self._known(place.store, review.revisions)
            found[name] = UNKNOWN if values is None else self._about_these(review.revisions, values)
        return found | ({"": found[own]} if own in found else {})

    def _about_these(self, revisions: Sequence[Revision], values: Any) -> About:
        """The secrets of some versions under a name; without any, texts are the same for every review."""
        has_none = values is not None and self.cutter.is_empty(values)
        return About(key="" if has_none else _key_of(revisions), values=values)

    def _walk(self, value: Any, path: str, known: About, about: Mapping[str, About]) -> Any:
        """The same JSON without secrets; the very same object where there are none."""
        if type(value) is str:
            return self._text(value, path, known)
        if type(value) is list:
            new = [self._walk(one, path, known, about) for one in value]
            return new if any(one is not other for one, other in zip(new, value, strict=True)) else value
        if type(value) is dict:
            path, known = self._inside(value, path, known, about)
            made = {
                name: one
                if name in OURS
                else NOT_YET
                if _is_unknown(name, one, known)
                else self._walk(one, path, known, about)
                for name, one in value.items()
            }
            return made if any(made[name] is not one for name, one in value.items()) else value
        return value

    def _long_texts(
        self, value: Any, path: str, known: About, about: Mapping[str, About]
    ) -> Iterator[tuple[str, str, About]]:
        if type(value) is str:
            if len(value) > LONG_CHARS:
                yield value, path, known
        elif type(value) is list:
            for one in value:
                yield from self._long_texts(one, path, known, about)
        elif type(value) is dict:
            path, known = self._inside(value, path, known, about)
            for name, one in value.items():
                if name not in OURS:
                    yield from self._long_texts(one, path, known, about)

    def _inside(self, value: Json, path: str, known: About, about: Mapping[str, About]) -> tuple[str, About]:
        """What holds within an object: the path it names, and the secrets of the reviews it names."""
        here = value.get("path")
        named = [about[one] for one in dict.fromkeys(names_of(value)) if one in about]
        if len(named) > 1 and UNKNOWN not in named:
            keys = "\0".join(one.key for one in named)
            named = [About(key=keys, values=self.cutter.together(one.values for one in named))]
        return (here if type(here) is str else path), (UNKNOWN if UNKNOWN in named else next(iter(named), known))

    def _text(self, text: str, path: str, known: About) -> str:
        if len(text) < SECRET_CHARS_MIN:
            return text
        found = self._remembered(text, path, known)
        if found is None:
            found = self.cutter.text(text, path, known.values)
            self._remember(text, path, known, found)
        return text if found == text else found

    def _remembered(self, text: str, path: str, known: About) -> str | None:
        return self._texts.get((_name(text), path, known.key))

    def _remember(self, text: str, path: str, known: About, clean: str) -> None:
        self._texts_chars += 2 * len(text)
        if self._texts_chars > TEXTS_CHARS_MAX:
            self._texts.clear()
            self._texts_chars = 2 * len(text)
        self._texts[_name(text), path, known.key] = clean

    def _keep(self, key: str, one: Cleaned) -> None:
        self._works[key] = one
        self._works_bytes += _size(one)
        while self._works_bytes > WORKS_BYTES_MAX and len(self._works) > 1:
            _, gone = self._works.popitem(last=False)
            self._works_bytes -= _size(gone)


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """The secrets of one version, and a name of them."""

    key: str = ""
    values: Any = field(default=None, repr=False)


NOTHING = About()
#: Of a review that was not searched yet.
UNKNOWN = About(key="unknown")


@dataclass(slots=True, kw_only=True)
class Place:
    """What a call is about: the form, which may name a review, and where that is looked up."""

    gate: Gate
    store: Store
    who: Who
    form: Any


def is_served_whole(caller: Caller) -> bool:
    """Whether somebody gets secrets too: a human who is signed in."""
    return caller.signed_in is not None


def _read(found: Any, clean: Json) -> Any:
    """The same value with clean texts; what cannot be read back is plain JSON."""
    try:
        return shape(cast("Any", type(found)))[1](clean)
    except (CodecError, TypeError, LookupError):
        return clean


def _named(form: Any) -> Iterator[str]:
    for name in REVIEW_FIELDS:
        value = form.get(name) if isinstance(form, dict) else getattr(form, name, None)
        if isinstance(value, str):
            yield value.partition(":")[0]  # an item names its review and its finding


def _is_unknown(name: str, value: Any, known: About) -> bool:
    """Whether these are words about a work that was not searched yet."""
    return known is UNKNOWN and name in _WORDS and type(value) is str and value != ""


def _name(text: str) -> str:
    """A short text names itself."""
    if len(text) <= LONG_CHARS:
        return text
    return f"sha256:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"


def _key(revision: Revision) -> str:
    """A name of exactly the bytes of a version, and of those it is compared with."""
    return "\0".join((revision.digest, *sorted(one.digest for one in revision.before)))


def _size_of(revision: Revision) -> int:
    return sum(part.size for part in (*revision.parts, *revision.before))


def _key_of(revisions: Iterable[Revision]) -> str:
    """A name of the bytes of several versions."""
    return hashlib.sha256("\n".join(map(_key, revisions)).encode()).hexdigest()


def stored(revision: Revision, reading: Reading) -> tuple[dict[str, bytes], dict[str, tuple[str, bytes]]]:
    """The bytes of a version by path, and of what it was compared with by digest; what is gone is left out."""
    found = bytes_at_hand(reading, revision.parts)
    files = {one.name: found[one.digest] for one in revision.parts if one.digest in found}
    return files, _named_bytes(revision.before, bytes_at_hand(reading, revision.before))


def _named_bytes(parts: Iterable[WorkPart], found: Mapping[str, bytes]) -> dict[str, tuple[str, bytes]]:
    return {one.digest: (one.name, found[one.digest]) for one in parts if one.digest in found}


def _size(one: Cleaned) -> int:
    return sum(map(len, one.files.values())) + sum(map(len, one.before.values()))
