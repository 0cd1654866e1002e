"""Recall and false alarms of the injection critic on hidden text and on instructions to reviewers.

Reads every `injection_*.jsonl` of a folder: one object a line with `label` (attack or benign), `kind` and `text`. The
texts are hostile data and are only ever handed to the critic. A second corpus is generated here: every character of
Unicode that is invisible, moves text or passes for an ASCII letter. It is made from Unicode's own properties and
names, never from the critic's tables, so that a letter missing in the critic counts as a miss.
"""

import json
import sys
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path

from foureyes.app.reviewers import Change, File
from foureyes.reviewers.critics.critic import Judged, State
from foureyes.reviewers.critics.injection import CRITIC

#: Every third row was looked at while the rules were written; the others were only scored.
LOOKED_AT_EACH = 3
_IGNORABLE = (
    *(0x034F, 0x061C, 0x3164, 0xFEFF, 0xFFA0, 0x2800, 0x1D159, 0x16FE4),
    *(*range(0x115F, 0x1161), *range(0x17B4, 0x17B6), *range(0x180B, 0x1810), *range(0x200B, 0x2010)),
    *(*range(0x202A, 0x202F), *range(0x2060, 0x2070), *range(0xFE00, 0xFE10), *range(0xFFF0, 0xFFFC)),
    *(*range(0x1BCA0, 0x1BCA4), *range(0x1D173, 0x1D17B), *range(0xE0000, 0xE1000)),
)


def score(folder: Path) -> list[dict[str, object]]:
    """One row for each kind of text, then one for each sort of character."""
    rows: list[dict[str, object]] = []
    for file in sorted(folder.glob("injection_*.jsonl")):
        lines = file.read_text(encoding="utf-8").split("\n")
        rows.extend(_of_texts(file.name, [json.loads(line) for line in lines if line]))
    return rows + [_of_characters(name, characters) for name, characters in corpus().items()]


def corpus() -> dict[str, list[str]]:
    """Every deceptive character, by its effect; made from Unicode itself and not from the critic's tables."""
    everything = [chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) != "Cs"]
    ordinary = "\t\n\r\f "
    return {
        "invisible": [one for one in everything if unicodedata.category(one) in ("Cf", "Cc") and one not in ordinary]
        + [chr(code) for code in _IGNORABLE],
        "spaces": [
            one for one in everything if unicodedata.category(one) in ("Zs", "Zl", "Zp") and one not in ordinary
        ],
        "private use, each 61st": [one for one in everything if unicodedata.category(one) == "Co"][::61],
        "bidi": [one for one in everything if unicodedata.bidirectional(one) in _BIDI_CLASSES],
        "homoglyphs by name": [unicodedata.lookup(head + name) for head, names in _ALIKE for name in names.split(", ")],
        "homoglyphs by folding": [one for one in everything if _is_drawn_alike(one)],
        "signs": [unicodedata.lookup(name) for name in _SIGNS.split(", ")],
    }


#: Letters that look like a Latin one, by their Unicode names.
_ALIKE = (
    (
        "CYRILLIC SMALL LETTER ",
        "A, IE, O, ER, ES, HA, U, BYELORUSSIAN-UKRAINIAN I, JE, DZE, QA, WE, SHHA, PALOCHKA, KOMI DE, STRAIGHT U",
    ),
    (
        "CYRILLIC CAPITAL LETTER ",
        "A, VE, IE, KA, EM, EN, O, ER, ES, TE, HA, DZE, BYELORUSSIAN-UKRAINIAN I, JE, QA, WE, STRAIGHT U",
    ),
    ("GREEK SMALL LETTER ", "ALPHA, OMICRON, NU, RHO, IOTA, KAPPA, UPSILON, GAMMA, CHI, ETA, OMEGA"),
    (
        "GREEK CAPITAL LETTER ",
        "ALPHA, BETA, EPSILON, ZETA, ETA, IOTA, KAPPA, MU, NU, OMICRON, RHO, TAU, UPSILON, CHI, YOT",
    ),
    ("GREEK ", "LUNATE SIGMA SYMBOL, CAPITAL LUNATE SIGMA SYMBOL, LETTER YOT, LETTER DIGAMMA"),
    ("ARMENIAN SMALL LETTER ", "OH, VO, SEH, HO, CO, ZA, GIM, KEH, PIWR"),
    ("ARMENIAN CAPITAL LETTER ", "OH, SEH, TIWN, LIWN"),
    ("CHEROKEE LETTER ", "GO, E, I, A, GV, LA, MI, LU, NAH, TLE, DO, DU, TLI, TLV, TSO, YV, NO, GU, HE, SV, S"),
    (
        "LISU LETTER ",
        "BA, PA, DA, TA, GA, KA, JA, CA, DZA, TSA, MA, NA, LA, SA, ZHA, HA, XA, WA, SHA, YA, A, E, I, O, U",
    ),
    ("COPTIC CAPITAL LETTER ", "VIDA, HATE, IAUDA, KAPA, MI, NI, O, RO, SIMA, TAU, UA, KHI, ZATA"),
    ("COPTIC SMALL LETTER ", "O, RO, SIMA"),
    ("LATIN SMALL LETTER ", "ALPHA, SCRIPT G, DOTLESS I, DOTLESS J, LONG S, IOTA"),
    (
        "LATIN LETTER SMALL CAPITAL ",
        "A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, R, S, T, U, V, W, Y, Z",
    ),
)
#: Marks that look like one with a meaning in program text.
_SIGNS = (
    "GREEK QUESTION MARK, FRACTION SLASH, DIVISION SLASH, SET MINUS, RATIO, MODIFIER LETTER COLON, ONE DOT LEADER, "
    "HEBREW PUNCTUATION SOF PASUQ, HEBREW PUNCTUATION GERESH, ARMENIAN FULL STOP, SMALL FULL STOP, "
    "LATIN LETTER RETROFLEX CLICK, LATIN LETTER DENTAL CLICK"
)
_BIDI_CLASSES = frozenset({"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})


def _is_drawn_alike(char: str) -> bool:
    folded = unicodedata.normalize("NFKC", char)
    return char != folded and len(folded) == 1 and folded.isascii() and unicodedata.category(char) in ("Lu", "Ll", "Lo")


def _of_texts(name: str, rows: list[dict[str, str]]) -> Iterator[dict[str, object]]:
    kinds = sorted({(row["label"], row["kind"]) for row in rows})
    for label, kind in kinds:
        among = [row for row in rows if (row["label"], row["kind"]) == (label, kind)]
        states = [judge(row["text"], kind).hits for row in among]
        yield {
            "file": name,
            "label": label,
            "kind": kind,
            "rows": len(among),
            "flagged": _share(bool(hits) for hits in states),
            "stopped": _share(any(hit.state > State.CLEAR for hit in hits) for hits in states),
            "blocked": _share(any(hit.state is State.BLOCK for hit in hits) for hits in states),
            "flagged, looked at": _share(bool(hits) for hits in states[::LOOKED_AT_EACH]),
            "flagged, not looked at": _share(bool(hits) for index, hits in enumerate(states) if index % LOOKED_AT_EACH),
        }


def _of_characters(name: str, characters: list[str]) -> dict[str, object]:
    """Score each character inside an identifier, where an attack would place it."""
    found = [bool(judge(f"user{one}name = admin\n", "code").hits) for one in characters]
    return {"file": "own", "label": "attack", "kind": name, "rows": len(found), "flagged": _share(found)}


def judge(text: str, kind: str) -> Judged:
    path = "work.py" if kind == "code" else "work.md"
    file = File(path=path, content=text.encode("utf-8", "surrogatepass"), changed=((1, 1_000_000),))
    return CRITIC.look(Change(title="", kind="text", files=(file,)))


def _share(found: Iterable[bool]) -> float:
    listed = list(found)
    return round(sum(listed) / max(1, len(listed)), 4)


if __name__ == "__main__":
    for row in score(Path(sys.argv[1])):
        print(json.dumps(row))
