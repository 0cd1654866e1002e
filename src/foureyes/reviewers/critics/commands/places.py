"""Classify the place a path points to, by how much damage its loss would do."""

from __future__ import annotations

import posixpath
import re
from enum import Enum

from foureyes.reviewers.critics.commands.model import HOLE, MARKS, Call, words

#: Stand-in path for $TMPDIR and the output of mktemp.
SCRATCH = "/$TMPDIR"
HOME = "~"


class Place(Enum):
    """What a path points to, from the worst loss to none."""

    DEVICE = "a device"
    ROOT = "the whole machine"
    SYSTEM = "a system folder"
    HOME = "a home folder"
    PRIVATE = "personal files"
    HISTORY = "the repository's own history"
    OUTSIDE = "something outside the project"
    PROJECT = "the whole project"
    SHARED_TEMP = "a fixed name in a temporary folder everybody shares"
    UNKNOWN = "something only known at run time"
    NAMED = "a file or folder of the project"
    GENERATED = "a folder that is made anew by the build"
    SCRATCH = "a temporary folder of its own"


GRAVE = frozenset(
    {Place.DEVICE, Place.ROOT, Place.SYSTEM, Place.HOME, Place.PRIVATE, Place.HISTORY, Place.OUTSIDE, Place.PROJECT}
)

_SYSTEM = re.compile(
    r"/(?:bin|boot|dev|etc|home|lib|lib32|lib64|media|mnt|opt|proc|root|run|sbin|srv|sys|usr|var|Applications|Library"
    r"|System|Users|Volumes|private|cores|data|backup|backups|nix|snap)(?:/|$)"
)
_DRIVE = re.compile(r"[A-Za-z]:(?:[/\\]|$)")
_DEVICE = re.compile(
    r"/dev/(?:r?disk\d|sd[a-z]|hd[a-z]|vd[a-z]|xvd[a-z]|nvme\d|mmcblk\d|md\d|dm-\d|mapper/|loop\d|mem|kmem|port)"
)
_HARMLESS_DEVICE = re.compile(
    r"/dev/(?:null|zero|full|random|urandom|tty|ptmx|pts/.*|std(?:in|out|err)|fd/\d+|shm/.+)$"
)
_TEMP = re.compile(r"(?:/private)?(?:/var)?/tmp/[^*]|/dev/shm/[^*]|/run/user/\d+/[^*]")
_PRIVATE = re.compile(
    r"(?:~[\w-]*|/home/[^/]+|/Users/[^/]+|/root)/"
    r"(?:Documents|Desktop|Downloads|Pictures|Music|Movies|Videos|Photos|iCloud|OneDrive|Dropbox|Google Drive"
    r"|Library/(?:Messages|Mail|Keychains|Safari|Calendars|Contacts|Photos|Cookies|Application Support/Google))(?:/|$)"
)
_CACHE = re.compile(r"~/(?:\.cache|\.npm|\.yarn|\.pnpm-store|\.gradle/caches|\.m2/repository|Library/Caches)(?:/|$)")
_GENERATED = words(
    "node_modules build dist out target bin obj tmp temp .tmp .temp coverage .coverage htmlcov .nyc_output .cache "
    "cache .next .nuxt .output .svelte-kit .turbo .parcel-cache .vite .angular .docusaurus .expo __pycache__ "
    ".pytest_cache .mypy_cache .ruff_cache .tox .nox .eggs .venv venv env wheelhouse wheels site-packages "
    "pip-wheel-metadata _build _site public/build generated gen .gradle .terraform .serverless .aws-sam cdk.out "
    ".dart_tool Pods DerivedData vendor bower_components storybook-static test-results playwright-report logs log "
    ".idea .hypothesis .ipynb_checkpoints cmake-build-debug cmake-build-release debug release artifacts reports "
    ".sass-cache .webpack lib-cov docs/_build package pkg scratch"
)
_GENERATED_ENDS = (
    ".egg-info",
    ".dist-info",
    ".pyc",
    ".pyo",
    ".o",
    ".a",
    ".so",
    ".log",
    ".tmp",
    ".class",
    ".tsbuildinfo",
)
_MADE_NAME = re.compile(
    r"^(?:tmp|temp|build|dist|out|cache|coverage|test-results)[-_.]|[-_.](?:tmp|temp|build|dist|output|cache|artifacts)$"
)
_PIECE = re.compile(r"[^/]+")


def place(path: str, call: Call) -> Place:
    """Return the place of a path, as seen from the folder where the command runs."""
    full = resolved(path, call.cwd)
    if _HARMLESS_DEVICE.match(full):
        return Place.SCRATCH
    if _DEVICE.match(full):
        return Place.DEVICE
    if full.startswith(HOLE) or (HOLE in full and not full.startswith(("/", "~", "."))):
        return _unknown_start(full)
    if full.startswith("~"):
        return _home(full)
    if full.startswith("/") or _DRIVE.match(full):
        return _absolute(full, call)
    return _relative(full, call)


def resolved(path: str, cwd: str) -> str:
    """Return the normalised path, joined to the folder the script changed to."""
    path = path.replace("\\", "/") if _DRIVE.match(path) else path
    if cwd and not path.startswith(("/", "~", HOLE)) and not _DRIVE.match(path):
        path = f"{cwd}/{path}"
    if not path:
        return ""
    slim = posixpath.normpath(path)
    return slim[1:] if slim.startswith("//") else slim


def _unknown_start(full: str) -> Place:
    """Return the place of a path that begins with a HOLE: with an empty variable, `$X/*` is the whole machine."""
    rest = full.lstrip(HOLE + MARKS)
    if rest in ("/*", "/.*", "/") or (_SYSTEM.match(rest) and rest.rstrip("/*").count("/") == 1):
        return Place.ROOT
    if posixpath.basename(full) in _GENERATED:
        return Place.GENERATED
    return Place.UNKNOWN


def _home(full: str) -> Place:
    if _PRIVATE.match(full + "/"):
        return Place.PRIVATE
    if _CACHE.match(full):
        return Place.GENERATED
    if posixpath.basename(full) in _GENERATED and full.count("/") > 1:
        return Place.GENERATED
    return Place.HOME


def _absolute(full: str, call: Call) -> Place:  # noqa: PLR0911 - one line per kind of place
    if full.startswith(SCRATCH + "/") or full == SCRATCH:
        return Place.SCRATCH
    if full in call.made:
        return Place.SCRATCH
    if _PRIVATE.match(full + "/"):
        return Place.PRIVATE
    if _TEMP.match(full):
        return Place.SHARED_TEMP
    if full.rstrip("/*.?[]{}") == "" or full.rstrip("/*") in ("", "/tmp", "/var/tmp", "/dev/shm") or _is_drive(full):  # noqa: S108
        return Place.ROOT
    if posixpath.basename(full) in _GENERATED and full.count("/") > 2:  # noqa: PLR2004 - below some project folder
        return Place.GENERATED
    return Place.SYSTEM if _SYSTEM.match(full) or full.count("/") == 1 else Place.OUTSIDE


def _is_drive(full: str) -> bool:
    return bool(_DRIVE.match(full)) and full[2:].strip("/*.") == ""


def _relative(full: str, call: Call) -> Place:  # noqa: PLR0911 - one line per kind of place
    if full in call.made or any(full.startswith(one + "/") for one in call.made):
        return Place.SCRATCH
    pieces = _PIECE.findall(full)
    if not pieces:
        return Place.UNKNOWN
    if pieces[0] == "..":
        return Place.OUTSIDE if pieces[-1] not in _GENERATED else Place.GENERATED
    if ".git" in pieces:
        return Place.HISTORY
    if full in (".", "*", "./*", ".*", ".[!.]*", "**", "**/*"):
        return Place.PROJECT
    if any(one in _GENERATED or one.endswith(_GENERATED_ENDS) or _MADE_NAME.search(one) for one in pieces):
        return Place.GENERATED
    return Place.UNKNOWN if pieces[0].startswith(HOLE) else Place.NAMED
