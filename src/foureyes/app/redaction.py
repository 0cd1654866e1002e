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

from foureyes.app.answer_texts import OURS, REVIEW_FIELDS, SECRET_CHARS_MIN, WORDS, names_of, scanned
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

#: Longer texts are searched outside the event loop, and cached by their hash.
LONG_CHARS = 16 * 1024
#: Cache sizes: bytes of cleaned works, and characters of cleaned texts.
WORKS_BYTES_MAX, TEXTS_CHARS_MAX = 64 * 1024 * 1024, 8 * 1024 * 1024
#: Most answers with a mark that are cached.
MARKS_MAX = 1_024
#: Most reviews of a list searched for one answer, and most bytes among them that were not searched before.
LISTED_MAX, LISTED_BYTES_MAX = 100, 2 * 1024 * 1024
#: A smaller version is read without another thread.
QUICK_BYTES_MAX = 64 * 1024
#: Most versions whose secrets are cached.
VERSIONS_MAX = 10_000
NOT_YET = "[withheld until this review is read by itself: its work was not searched for secrets yet]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """A secret that was recognised: where and of which kind; there is no field for its value."""

    path: str
    #: 0 for the whole file.
    line: int
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleaned:
    """A version without its secrets: files by their paths, files of the base by their digests, and what was cut."""

    files: Mapping[str, bytes] = field(repr=False)
    before: Mapping[str, bytes] = field(repr=False)
    cuts: tuple[Cut, ...]
    #: The secret values, to find them in other texts about the work; opaque to all but the cutter. None: not searched.
    known: Any = field(default=None, repr=False)
    #: The first file that lost more than a value within a line: a reviewer served the rest has not read that file.
    withheld: str = ""


class Cutter(Protocol):
    """Recognises secrets and takes them out; lines keep their numbers."""

    def text(self, text: str, path: str, known: Any) -> str:
        """Return a short text without secrets, including those known of its review."""

    async def long_text(self, text: str, path: str, known: Any) -> str:
        """Return a long text without secrets, including those known of its review."""

    async def work(self, files: Mapping[str, bytes], before: Mapping[str, tuple[str, bytes]], known: Any) -> Cleaned:
        """Return a version without secrets, including those known of its review; what cannot be searched is withheld.

        `before` maps digests to path and bytes.
        """

    async def secrets(self, files: Mapping[str, bytes], before: Mapping[str, tuple[str, bytes]]) -> Any:
        """Return the secrets of a version, to find them in what is said of it; None if the search takes too long."""

    def together(self, known: Iterable[Any]) -> Any:
        """Combine the secrets of several versions."""

    def is_empty(self, known: Any) -> bool:
        """True if there are no secrets."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A call's answer as it may leave: the value, and the same as plain JSON."""

    value: Any
    as_given: Json

    def __getattr__(self, name: str) -> Any:
        """Delegate to the value."""
        return getattr(self.value, name)


@dataclass(slots=True)
class Redaction:
    """Cuts answers; what was cleaned once is remembered by the digest of the version, or by the text."""

    cutter: Cutter
    _works: OrderedDict[str, Cleaned] = field(default_factory=OrderedDict)
    _works_bytes: int = 0
    #: The secrets of every version that was searched; None for one that could not be.
    _secrets: OrderedDict[str, Any] = field(default_factory=OrderedDict)
    _texts: dict[tuple[str, str, str], str] = field(default_factory=dict)
    _texts_chars: int = 0
    #: Clean answers by their mark, which is a hash of the whole answer; None if it has no secrets.
    _marked: dict[str, Json | None] = field(default_factory=dict)

    async def work(self, store: Store, served: Served) -> Cleaned:
        """Return a version without its own secrets and those of earlier versions, which it may quote."""
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
        """Return the secrets of these versions; None if one of them could not be searched."""
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
        """Return an answer without secrets."""
        told = given(found)
        mark = str(getattr(found, "mark", "")) if hasattr(found, "as_given") else ""
        mark = "" if "." in mark else mark  # a mark that counts turns is no hash of the answer alone
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
        """Return an answer without the secrets of the reviews it names; the same object if it has none."""
        own = about.get("", NOTHING)
        for text, path, known in self._long_texts(told, "", own, about):
            if self._remembered(text, path, known) is None:
                self._remember(text, path, known, await self.cutter.long_text(text, path, known.values))
        return cast("Json", self._walk(told, "", own, about))

    async def refusal(self, place: Place, refusal: Refusal) -> Refusal:
        """Return a refusal without secrets."""
        about = await self._about(place, {})
        said = [refusal.sentence, refusal.next_step, dict(refusal.fields)]
        clean = self._walk(said, "", about.get("", NOTHING), about)
        if clean is said:
            return refusal
        return Refusal(refusal.code, clean[0], clean[1], fields=clean[2], next_call=refusal.next_call)

    async def said(self, store: Store, review: Review, told: Any) -> Any:
        """Return a notification about a review without the secrets of any of its versions."""
        values = await self._known(store, review.revisions)
        return self._walk(told, "", self._about_these(review.revisions, values), {})

    def text(self, text: str, seen: Seen, clean: Cleaned) -> str:
        """Return a text about a version without the secrets of that version."""
        return self._text(text, "", self._about_these(seen.view.review.revisions, clean.known))

    def _is_clean(self, texts: Iterable[tuple[str, str]], about: Mapping[str, About]) -> bool:
        """True if no text is cut and no named review has secrets, in which case all texts are searched alike."""
        if any(one.key for one in about.values()):
            return False
        return all(len(text) <= LONG_CHARS and self._text(text, path, NOTHING) is text for text, path in texts)

    async def _about(self, place: Place, names: Iterable[str]) -> dict[str, About]:
        """Return the secrets of the reviews that an answer is about, by review.

        Those of the call's own review also have the key "". In a list of large works some are skipped: their texts are
        withheld until these reviews are read individually.
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
        """Return the secrets of some versions with a cache key.

        Without any secrets the key is empty, shared by all reviews.
        """
        has_none = values is not None and self.cutter.is_empty(values)
        return About(key="" if has_none else _key_of(revisions), values=values)

    def _walk(self, value: Any, path: str, known: About, about: Mapping[str, About]) -> Any:
        """Return the JSON without secrets; the same object if there are none."""
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
        """Return what applies within an object: the path it names, and the secrets of the reviews it names."""
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
#: For a review that was not searched yet.
UNKNOWN = About(key="unknown")


@dataclass(slots=True, kw_only=True)
class Place:
    """What a call is about: the form, which may name a review, and where that is looked up."""

    gate: Gate
    store: Store
    who: Who
    form: Any


def is_served_whole(caller: Caller) -> bool:
    """True if the caller gets secrets too: a signed-in human."""
    return caller.signed_in is not None


def _read(found: Any, clean: Json) -> Any:
    """Return the value with clean texts in its own type; plain JSON if it cannot be parsed back."""
    try:
        return shape(cast("Any", type(found)))[1](clean)
    except (CodecError, TypeError, LookupError):
        return clean


def _named(form: Any) -> Iterator[str]:
    for name in REVIEW_FIELDS:
        value = form.get(name) if isinstance(form, dict) else getattr(form, name, None)
        if isinstance(value, str):
            yield value.partition(":")[0]  # an item id contains its review and its finding


def _is_unknown(name: str, value: Any, known: About) -> bool:
    """True if this is text about a work that was not searched yet."""
    return known is UNKNOWN and name in WORDS and type(value) is str and value != ""


def _name(text: str) -> str:
    """Return the cache key of a text: a short text itself, a long one by its hash."""
    if len(text) <= LONG_CHARS:
        return text
    return f"sha256:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"


def _key(revision: Revision) -> str:
    """Return a key of exactly the bytes of a version, and of those it is compared with."""
    return "\0".join((revision.digest, *sorted(one.digest for one in revision.before)))


def _size_of(revision: Revision) -> int:
    return sum(part.size for part in (*revision.parts, *revision.before))


def _key_of(revisions: Iterable[Revision]) -> str:
    """Return a key of the bytes of several versions."""
    return hashlib.sha256("\n".join(map(_key, revisions)).encode()).hexdigest()


def stored(revision: Revision, reading: Reading) -> tuple[dict[str, bytes], dict[str, tuple[str, bytes]]]:
    """Return the bytes of a version by path, and of its base by digest; missing ones are left out."""
    found = bytes_at_hand(reading, revision.parts)
    files = {one.name: found[one.digest] for one in revision.parts if one.digest in found}
    return files, _named_bytes(revision.before, bytes_at_hand(reading, revision.before))


def _named_bytes(parts: Iterable[WorkPart], found: Mapping[str, bytes]) -> dict[str, tuple[str, bytes]]:
    return {one.digest: (one.name, found[one.digest]) for one in parts if one.digest in found}


def _size(one: Cleaned) -> int:
    return sum(map(len, one.files.values())) + sum(map(len, one.before.values()))
