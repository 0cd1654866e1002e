"""U-51: which texts of an answer are searched for secrets, and which reviews it names."""

from __future__ import annotations

from foureyes.app.answer_texts import scanned

REVIEW, OTHER = "abcdefghjkmn", "pqrstvwxyz01"


def test_texts_come_with_their_paths_and_names_of_ours_are_left_out() -> None:
    answer = {
        "review": REVIEW,
        "digest": "0" * 64,
        "files": [{"path": "src/a.py", "text": "some text", "mode": "100644"}],
    }
    names, texts = scanned(answer)
    assert list(names) == [REVIEW]
    assert sorted(texts) == [("some text", "src/a.py"), ("src/a.py", "src/a.py")]


def test_short_words_of_people_count_because_an_unsearched_review_withholds_them() -> None:
    assert scanned({"review": REVIEW, "title": "a.py", "state": "open"})[1] == [("a.py", "")]
    assert scanned({"review": REVIEW, "title": "", "state": "cleared", "level": 2})[1] == []


def test_reviews_are_named_in_order_and_in_lists() -> None:
    names, _ = scanned({"waits_for": [OTHER, 7], "reviews": [{"review": REVIEW}, {"id": f"{OTHER}:solo.1-F1"}]})
    assert list(names) == [OTHER, REVIEW]
