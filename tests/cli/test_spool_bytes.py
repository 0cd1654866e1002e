"""The size of the spool is computed without opening its files."""

from pathlib import Path

from foureyes.home.spool import spool_bytes


def test_only_the_spool_s_own_files_count_and_none_is_none(tmp_path: Path) -> None:
    assert spool_bytes(str(tmp_path / "nowhere")) == 0
    (tmp_path / "1.spool").write_bytes(b"12345")
    (tmp_path / "2.spool").write_bytes(b"123")
    (tmp_path / "lock").write_bytes(b"x" * 100)
    assert spool_bytes(str(tmp_path)) == 8
    assert spool_bytes(str(tmp_path / "lock")) == 0
