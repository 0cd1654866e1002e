"""The forms of values in a policy file; each describes what is allowed, in the words of messages."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A whole number between two others."""

    low: int
    high: int
    default: int

    @property
    def form(self) -> str:
        return f"a whole number, {self.range}" if self.low < self.high else str(self.low)

    @property
    def range(self) -> str:
        return f"{self.low}-{self.high}" if self.low < self.high else str(self.low)

    @property
    def given(self) -> str:
        return str(self.default)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """A whole number between two others, or `null` for none at all."""

    low: int
    high: int
    default: int | None

    @property
    def form(self) -> str:
        return f"a whole number, {self.low}-{self.high}, or null"

    @property
    def given(self) -> str:
        return "null" if self.default is None else str(self.default)


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """A number with decimals, kept in thousandths or finer, or `null` where that means no limit."""

    low: Decimal
    high: Decimal
    default: Decimal | None
    nullable: bool = False

    @property
    def form(self) -> str:
        return f"a number, {self.range}" + (", or null for no limit" if self.nullable else "")

    @property
    def range(self) -> str:
        return f"{self.low}-{self.high}" if self.low < self.high else str(self.low)

    @property
    def given(self) -> str:
        return "null" if self.default is None else str(self.default)


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """True or false."""

    default: bool

    @property
    def form(self) -> str:
        return "true or false"

    @property
    def given(self) -> str:
        return str(self.default).lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One of a few words."""

    words: tuple[str, ...]
    default: str

    @property
    def form(self) -> str:
        return f"one of {', '.join(self.words)}"

    @property
    def given(self) -> str:
        return self.default or "–"


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A text in the writer's own words."""

    default: str = ""
    chars_max: int = 300

    @property
    def form(self) -> str:
        return f"text of at most {self.chars_max} characters"

    @property
    def given(self) -> str:
        return self.default or "–"


@dataclass(frozen=True, slots=True, kw_only=True)
class Name:
    """One word that names something."""

    default: str = ""

    @property
    def form(self) -> str:
        return "a name of letters, digits, _ and -"

    @property
    def given(self) -> str:
        return self.default or "–"


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """Several names, each once; or words out of a few."""

    default: tuple[str, ...] = ()
    among: tuple[str, ...] = ()
    count_min: int = 0
    count_max: int = 50

    @property
    def form(self) -> str:
        count = f"{self.count_min} to {self.count_max}" if self.count_min < self.count_max else f"{self.count_min}"
        many = f"a list of {count} " if self.count_min else "a list of "
        return many + (f"words among {', '.join(self.among)}" if self.among else "names")

    @property
    def given(self) -> str:
        return f"[{', '.join(self.default)}]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A section of its own."""

    section: str

    @property
    def form(self) -> str:
        return f"the keys of `{self.section}`"

    @property
    def given(self) -> str:
        return "–"


@dataclass(frozen=True, slots=True, kw_only=True)
class Special:
    """A form that only this key has."""

    form: str
    given: str = "–"


Shape = Number | Limit | Amount | Flag | Choice | Text | Name | Names | Part | Special


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One key of a section: its form, and what it is for."""

    name: str
    shape: Shape
    says: str
