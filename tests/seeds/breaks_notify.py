"""The edits that disable the rules behind the rows about notifications."""

from tests.seeds.shapes import Break

NOTICES = "notify/notices.py"

BREAKS_NOTIFY: dict[str, tuple[Break, ...]] = {
    "001-27": (
        Break(
            file=NOTICES,
            old="word = Word.REQUESTED if asked.revision == 1 else Word.REVISED",
            new="word = Word.REQUESTED",
        ),
    ),
    "002-18": (Break(file=NOTICES, old="yield from _thread(told, Word.CHANGES, stage)", new="yield from ()"),),
    "002-19": (Break(file=NOTICES, old="yield from _thread(told, Word.APPROVED)", new="yield from ()"),),
    "002-20": (
        Break(file="notify/desk.py", old="(Party.HUMAN, notify.human),", new="(Party.HUMAN, notify.human[:1]),"),
    ),
    "D-14": (
        Break(
            file="app/links.py",
            old="    _put(tx, hash_of(secret), found, used=True)\n",
            new="    _put(tx, hash_of(secret), found)\n",
        ),
    ),
}
