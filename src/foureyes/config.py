"""Settings and where each comes from: a flag beats the environment, that the file config.toml, that the default."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from foureyes.home import folder, mirror_settings, token
from foureyes.home.trouble import Trouble

FILE = "config.toml"
FILE_BYTES_MAX = 65_536
TEXT_CHARS_MAX = 4096
POSTGRES = ("postgresql://", "postgres://")
DAY_SECONDS = 86_400
CONNECTIONS_MAX = 64
CRITIC_SECONDS_MAX = 3_600
#: Variables that only our own tests read; they are not settings.
FOR_TESTS = "FOUREYES_TEST_"
#: Which models review, and their addresses; read by the code that calls them.
FOR_MODELS = frozenset(
    {
        *("FOUREYES_MODEL", "FOUREYES_MODEL_URL", "FOUREYES_MODEL_KEY", "FOUREYES_MODEL_CONTEXT"),
        *("FOUREYES_ANTHROPIC_MODEL", "FOUREYES_OPENAI_MODEL", "FOUREYES_GOOGLE_MODEL"),
    }
)

NONE = "none"
#: File name in the data folder.
LOCAL_DATABASE = "local.db"
NETWORKS_MAX = 50

Value = str | int


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A known setting: its name, its purpose, its default, and the allowed values."""

    name: str
    says: str
    #: Computed from the path of the data folder.
    default: Callable[[str], Value]
    #: path (a relative one starts where it was given), database, number, networks or repositories.
    kind: str = "path"
    low: int = 0
    high: int = 0

    @property
    def variable(self) -> str:
        """The name of its environment variable."""
        return f"FOUREYES_{self.name.upper()}"

    @property
    def allowed(self) -> str:
        """The allowed values, in words."""
        if self.kind == "number":
            return f"a whole number from {self.low} to {self.high}"
        if self.kind == "networks":
            return "networks such as 10.1.0.0/16 or fd00::/8 with a comma between them, or none"
        if self.kind == "repositories":
            return mirror_settings.ALLOWED
        return "a path" if self.kind == "path" else "a path of an SQLite file or postgresql://…"


HOME = Known(name="home", says="The data folder.", default=str)
KNOWN: tuple[Known, ...] = (
    Known(
        name="database",
        says="Where everything is kept: an SQLite file, or a PostgreSQL database that many machines share.",
        default=lambda home: os.path.join(home, "foureyes.db"),
        kind="database",
    ),
    Known(
        name="policy",
        says="The policy file: it holds until one is activated; `foureyes policy` reads it when none is named.",
        default=lambda home: os.path.join(home, "foureyes.yaml"),
    ),
    Known(
        name="checkpoints",
        says="The folder for signed checkpoints; best on another disk than the database.",
        default=lambda home: os.path.join(home, "checkpoints"),
    ),
    Known(
        name="checkpoint_seconds",
        says="How often a checkpoint is signed while the log grows.",
        default=lambda _: 60,
        kind="number",
        low=1,
        high=DAY_SECONDS,
    ),
    Known(
        name="keys",
        says="The folder with the keys that sign checkpoints.",
        default=lambda home: os.path.join(home, "keys"),
    ),
    Known(
        name="spool",
        says="The folder where commands wait while PostgreSQL is down.",
        default=lambda home: os.path.join(home, "spool"),
    ),
    Known(
        name="backups",
        says="Where `foureyes backup` puts its folders when no place is named.",
        default=lambda home: os.path.join(home, "backups"),
    ),
    Known(
        name="writers",
        says="How many connections to PostgreSQL write at once; SQLite has one.",
        default=lambda _: 8,
        kind="number",
        low=1,
        high=CONNECTIONS_MAX,
    ),
    Known(
        name="readers",
        says="How many connections read at once.",
        default=lambda _: 4,
        kind="number",
        low=1,
        high=CONNECTIONS_MAX,
    ),
    Known(
        name="critic_file_seconds",
        says="Processor seconds that a program may look at one file; then it is cut off and has no answer.",
        default=lambda _: 5,
        kind="number",
        low=1,
        high=CRITIC_SECONDS_MAX,
    ),
    Known(
        name="critic_work_seconds",
        says="Processor seconds that a program may look at a whole work.",
        default=lambda _: 60,
        kind="number",
        low=1,
        high=CRITIC_SECONDS_MAX,
    ),
    Known(
        name="proof_seconds",
        says="Processor seconds that a proof may take that a change is harmless; then the work is reviewed.",
        default=lambda _: 3,
        kind="number",
        low=1,
        high=CRITIC_SECONDS_MAX,
    ),
    Known(
        name="notify_private",
        says="Private networks that notifications may be sent to, also without encryption.",
        default=lambda _: NONE,
        kind="networks",
    ),
    Known(
        name="repositories",
        says="Git repositories on this disk that a server reads itself, and their protected refs (none named: the "
        "default branch): work that names a commit of theirs as its base is judged by what it changes.",
        default=lambda _: mirror_settings.NONE,
        kind="repositories",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The values of all settings, and where each came from."""

    home: str
    database: str
    policy: str
    checkpoints: str
    checkpoint_seconds: int
    keys: str
    spool: str
    backups: str
    writers: int
    readers: int
    critic_file_seconds: int
    critic_work_seconds: int
    proof_seconds: int
    notify_private: str
    repositories: str
    sources: Mapping[str, str]

    @property
    def file(self) -> str:
        """The path of the settings file, whether it exists or not."""
        return os.path.join(self.home, FILE)

    @property
    def local_database(self) -> str:
        """The store of local reviews on this machine: always a file, and never the server's store."""
        return os.path.join(self.home, LOCAL_DATABASE)

    @property
    def is_postgres(self) -> bool:
        """True if the store is a PostgreSQL database and not a file."""
        return self.database.startswith(POSTGRES)

    def shown(self) -> tuple[tuple[str, Value, str], ...]:
        """Name, value and source of each setting, without secrets."""
        names = (HOME.name, *(one.name for one in KNOWN))
        return tuple((name, redacted(getattr(self, name)), self.sources[name]) for name in names)


def home_of(flags: Mapping[str, str | None], environment: Mapping[str, str]) -> str:
    """The data folder; it is found even if other settings are invalid."""
    return _home(flags, environment)[0]


def read(flags: Mapping[str, str | None], environment: Mapping[str, str]) -> Settings:
    """Read all settings; raises Trouble with the place and the allowed values for anything unknown or malformed."""
    home, home_source = _home(flags, environment)
    if folder.exists(home):
        folder.check(home)  # first: a folder that others can write to is not trusted
    file, lines = _file(os.path.join(home, FILE))
    _refuse_unknown(environment)
    values: dict[str, Value] = {}
    sources = {HOME.name: home_source}
    for one in KNOWN:
        values[one.name], sources[one.name] = _value(one, home, flags, environment, (file, lines))
    return Settings(home=home, sources=sources, **values)  # type: ignore[arg-type] # _value has checked each by its kind


def redacted(value: Value) -> Value:
    """The value without the password that a database URL may contain."""
    if not isinstance(value, str) or "://" not in value:
        return value
    # Up to the last @: hide too much rather than half of a password that was not escaped.
    without = re.sub(r"(://[^:/?#@]*):.*@", r"\1:•••@", value, count=1)
    return re.sub(r"([?&](?:ssl)?password=)[^&#]*", r"\1•••", without)


def _home(flags: Mapping[str, str | None], environment: Mapping[str, str]) -> tuple[str, str]:
    if given := flags.get(HOME.name):
        return os.path.abspath(_text(given, "--home", "a path")), "flag --home"
    if given := environment.get(HOME.variable):
        return os.path.abspath(_text(given, HOME.variable, "a path")), f"environment {HOME.variable}"
    return folder.default_folder(environment), "default"


def _value(
    known: Known,
    home: str,
    flags: Mapping[str, str | None],
    environment: Mapping[str, str],
    file: tuple[Mapping[str, object], Mapping[str, int]],
) -> tuple[Value, str]:
    said, lines = file
    if given := flags.get(known.name):
        return _checked(known, given, f"--{known.name}", os.getcwd()), f"flag --{known.name}"
    if given := environment.get(known.variable):
        number = _number(given) if known.kind == "number" else given
        return _checked(known, number, known.variable, os.getcwd()), f"environment {known.variable}"
    if known.name in said:
        place = f"{os.path.join(home, FILE)}:{lines.get(known.name, 1)}"
        return _checked(known, said[known.name], f"{place}: {known.name}", home), f"file {place}"
    return known.default(home), "default"


def _checked(known: Known, given: object, place: str, base: str) -> Value:
    if known.kind == "number":
        if type(given) is not int or not known.low <= given <= known.high:
            raise _wrong(place, given, known.allowed)
        return given
    if known.kind == "repositories":
        return _repositories(given, place, known.allowed, base)
    if not isinstance(given, str):
        raise _wrong(place, given, known.allowed)
    text = _text(given, place, known.allowed)
    if known.kind == "networks":
        return _networks(text, place, known.allowed)
    if known.kind == "database" and text.startswith(POSTGRES):
        return text
    if "://" in text:
        raise _wrong(place, redacted(text), known.allowed)
    return os.path.normpath(os.path.join(base, os.path.expanduser(text)))


def _repositories(given: object, place: str, allowed: str, base: str) -> str:
    try:
        if isinstance(given, dict):
            return mirror_settings.line_of(mirror_settings.mirrors_of(given), base)
        text = _text(given if isinstance(given, str) else "", place, allowed)
        return mirror_settings.line_of(mirror_settings.mirrors_in(text), base)
    except ValueError:
        raise _wrong(place, str(given)[:80], allowed) from None


def _networks(text: str, place: str, allowed: str) -> str:
    import ipaddress  # noqa: PLC0415 - most open no network, and `check` is called before every tool use

    names = [one.strip() for one in text.split(",")]
    try:
        found = [str(ipaddress.ip_network(one)) for one in names if one != NONE]
    except ValueError:
        raise _wrong(place, text[:80], allowed) from None
    if len(names) > NETWORKS_MAX or (NONE in names and found):
        raise _wrong(place, text[:80], allowed)
    return ",".join(found) or NONE


def _text(given: str, place: str, allowed: str) -> str:
    if not given.strip() or len(given) > TEXT_CHARS_MAX or not given.isprintable():
        raise _wrong(place, given[:80], allowed)
    return given


def _number(text: str) -> object:
    return int(text) if re.fullmatch(r"[0-9]{1,12}", text) else text


def _wrong(place: str, given: object, allowed: str) -> Trouble:
    return Trouble(f"{place} is {given!r}.", f"It must be {allowed}.", usage=True)


def _file(path: str) -> tuple[Mapping[str, object], Mapping[str, int]]:
    """The content of the settings file, and the line of each key."""
    try:
        with open(path, "rb") as file:
            content = file.read(FILE_BYTES_MAX + 1)
    except FileNotFoundError:
        return {}, {}
    except OSError as error:
        raise Trouble(f"{path} cannot be read: {error.strerror}.", "Make it a file you can read.") from None
    import tomllib  # noqa: PLC0415 - most have no file, and `check` is called before every tool use

    if len(content) > FILE_BYTES_MAX:
        raise Trouble(f"{path} has more than {FILE_BYTES_MAX} bytes.", "Settings are short; shorten it.", usage=True)
    try:
        said = tomllib.loads(content.decode("utf-8"))
    except ValueError as error:
        last = content.count(b"\n") + 1
        what = str(error).replace("at end of document", f"at line {last}, the end of the file")
        raise Trouble(f"{path}: {what}.", "Write TOML in UTF-8, such as: database = 'x.db'", usage=True) from None
    rows = enumerate(content.decode("utf-8").splitlines(), start=1)
    lines = {row.split("=")[0].strip(" \"'[]"): number for number, row in rows}
    for key in said:
        if key not in {one.name for one in KNOWN}:
            raise _unknown(f"{path}:{lines.get(key, 1)}: {key!r}", [one.name for one in KNOWN])
    return said, lines


def _refuse_unknown(environment: Mapping[str, str]) -> None:
    names = [HOME.variable, *(one.variable for one in KNOWN)]
    for name in sorted(environment):
        others = name.startswith(FOR_TESTS) or name in FOR_MODELS or name in token.VARIABLES
        ours = name.startswith("FOUREYES_") and not others
        if ours and name not in names:
            raise _unknown(name, names)


def _unknown(place: str, names: list[str]) -> Trouble:
    return Trouble(f"{place} is no setting.", f"There are: {', '.join(names)}.", usage=True)
