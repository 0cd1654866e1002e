"""A setting shows its source; unknown or malformed settings are refused with their place."""

import os
from pathlib import Path

import pytest

from foureyes import config
from foureyes.home import Trouble
from foureyes.home.mirror_settings import mirrors_in
from foureyes.reviewers.models.endpoints import PROVIDERS


@pytest.fixture
def home(tmp_path: Path) -> Path:
    place = tmp_path / "home"
    place.mkdir(mode=0o700)
    return place


def refusal(home: Path, text: str = "", **environment: str) -> str:
    (home / config.FILE).write_text(text, encoding="utf-8")
    with pytest.raises(Trouble) as caught:
        config.read({"home": str(home)}, environment)
    assert caught.value.usage
    return str(caught.value)


@pytest.mark.parametrize("flag", [None, "by-flag.db"])
@pytest.mark.parametrize("variable", [None, "by-environment.db"])
@pytest.mark.parametrize("file", [None, "by-file.db"])
def test_a_flag_beats_the_environment_which_beats_the_file_which_beats_the_default(
    home: Path, flag: str | None, variable: str | None, file: str | None
) -> None:
    if file:
        (home / config.FILE).write_text(f'# mine\ndatabase = "{file}"\n', encoding="utf-8")
    environment = {"FOUREYES_DATABASE": variable} if variable else {}
    settings = config.read({"home": str(home), "database": flag}, environment)
    here = Path.cwd()
    ways = [
        (flag, str(here / "by-flag.db"), "flag --database"),
        (variable, str(here / "by-environment.db"), "environment FOUREYES_DATABASE"),
        (file, str(home / "by-file.db"), f"file {home / config.FILE}:2"),
        ("default", str(home / "foureyes.db"), "default"),
    ]
    wanted = next((value, source) for given, value, source in ways if given)
    assert (settings.database, settings.sources["database"]) == wanted


def test_the_data_folder_is_a_flag_a_variable_or_the_default(home: Path, tmp_path: Path) -> None:
    environment = {"FOUREYES_HOME": str(tmp_path / "other"), "XDG_DATA_HOME": str(tmp_path)}
    by_flag = config.read({"home": str(home)}, environment)
    assert (by_flag.home, by_flag.sources["home"]) == (str(home), "flag --home")
    by_variable = config.read({}, environment)
    assert (by_variable.home, by_variable.sources["home"]) == (str(tmp_path / "other"), "environment FOUREYES_HOME")
    by_default = config.read({"home": None}, {"XDG_DATA_HOME": str(tmp_path)})
    assert (by_default.home, by_default.sources["home"]) == (str(tmp_path / "foureyes"), "default")
    assert not Path(by_default.home).exists(), "reading settings makes nothing"


def test_a_folder_open_to_others_is_refused_before_its_file_is_believed(home: Path) -> None:
    (home / config.FILE).write_text("nonsense", encoding="utf-8")
    home.chmod(0o755)
    with pytest.raises(Trouble, match="chmod 700"):
        config.read({"home": str(home)}, {})


@pytest.mark.parametrize(
    ("text", "line", "wanted"),
    [
        ("# one\n\ndatabse = 'x'\n", 3, "There are: database"),
        ("[limits]\nx = 1\n", 1, "is no setting"),
        ("database = 5\n", 1, "a path of an SQLite file or postgresql://…"),
        ("database = true\n", 1, "a path of an SQLite file"),
        ("database = 'mysql://u:secret@h/db'\n", 1, "a path of an SQLite file"),
        ("policy = ''\n", 1, "a path"),
        ("policy = ['a']\n", 1, "a path"),
        ("\ncheckpoint_seconds = 0\n", 2, "a whole number from 1 to 86400"),
        ("checkpoint_seconds = true\n", 1, "a whole number"),
        ("checkpoint_seconds = 1.5\n", 1, "a whole number"),
        ("checkpoint_seconds = '60'\n", 1, "a whole number"),
        ("notify_private = '10.0.0.1/8'\n", 1, "networks such as 10.1.0.0/16"),
        ("notify_private = 'none, 10.0.0.0/8'\n", 1, "networks such as"),
        ("repositories = 'shop'\n", 1, "a table with `path`"),
        ("repositories = 'shop=-x'\n", 1, "a table with `path`"),
        ("repositories = 'shop=/srv/a --all'\n", 1, "a table with `path`"),
        ("repositories = 'shop=/srv/a main; shop=/srv/b'\n", 1, "a table with `path`"),
        ("repositories = 7\n", 1, "a table with `path`"),
        ("[repositories.shop]\npath = 7\n", 1, "a table with `path`"),
        ("[repositories.shop]\npath = '/srv/a'\nrefs = ['main']\n", 1, "a table with `path`"),
        ("[repositories.shop]\npath = '/srv/a'\nprotected = ['a..b']\n", 1, "a table with `path`"),
        ("notify_private = 'localhost'\n", 1, "networks such as"),
        ("notify_private = ['10.0.0.0/8']\n", 1, "networks such as"),
    ],
)
def test_what_is_wrong_in_the_file_is_refused_with_file_line_and_what_is_allowed(
    home: Path, text: str, line: int, wanted: str
) -> None:
    said = refusal(home, text)
    assert wanted in said
    assert f"{home / config.FILE}:{line}" in said
    assert "secret" not in said


@pytest.mark.parametrize("text", ["database = \n", "a = 1\na = 2\n", "database = 'x\n"])
def test_what_is_no_toml_is_refused_with_its_line(home: Path, text: str) -> None:
    assert "line " in refusal(home, text)


def test_a_file_that_is_no_text_or_too_large_is_refused(home: Path) -> None:
    (home / config.FILE).write_bytes(b"database = '\xff'\n")
    with pytest.raises(Trouble, match="UTF-8"):
        config.read({"home": str(home)}, {})
    assert "more than 65536 bytes" in refusal(home, "#" * 70_000)


@pytest.mark.parametrize("value", ["0", "-1", "1e3", "86401", "sixty", "٣", "9" * 40])
def test_a_number_in_the_environment_is_digits_in_range(home: Path, value: str) -> None:
    assert "FOUREYES_CHECKPOINT_SECONDS" in refusal(home, FOUREYES_CHECKPOINT_SECONDS=value)


def test_networks_are_taken_from_anywhere_and_are_none_otherwise(home: Path) -> None:
    assert config.read({"home": str(home)}, {}).notify_private == "none"
    given = {"FOUREYES_NOTIFY_PRIVATE": "127.0.0.0/8, fd00::/8"}
    assert config.read({"home": str(home)}, given).notify_private == "127.0.0.0/8,fd00::/8"


def test_a_good_number_is_taken_from_anywhere(home: Path) -> None:
    (home / config.FILE).write_text("checkpoint_seconds = 60\n", encoding="utf-8")
    assert config.read({"home": str(home)}, {}).checkpoint_seconds == 60
    assert config.read({"home": str(home)}, {"FOUREYES_CHECKPOINT_SECONDS": "61"}).checkpoint_seconds == 61


def test_an_unknown_variable_of_ours_is_refused_and_an_empty_one_is_none(home: Path) -> None:
    assert "FOUREYES_DATABSE is no setting" in refusal(home, FOUREYES_DATABSE="x")
    (home / config.FILE).unlink()
    assert config.read({"home": str(home)}, {"FOUREYES_DATABASE": ""}).sources["database"] == "default"


@pytest.mark.parametrize("value", ["a\nb", "a\x1b[31m", " ", "x" * 5000])
def test_a_path_is_one_line_of_text(home: Path, value: str) -> None:
    assert "FOUREYES_POLICY" in refusal(home, FOUREYES_POLICY=value)


def test_a_home_sign_is_the_users_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    settings = config.read({"home": str(home)}, {"FOUREYES_BACKUPS": "~/backups"})
    assert settings.backups == "/home/me/backups"


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://me:secret@host/db",
        "postgres://me:sec/ret@host/db",
        "postgresql://me:secret@secret@host:5432/db?sslmode=require",
        "postgresql://host/db?user=me&password=secret&x=1",
        "postgresql://host/db?sslpassword=secret",
    ],
)
def test_a_password_is_never_shown(home: Path, address: str) -> None:
    settings = config.read({"home": str(home)}, {"FOUREYES_DATABASE": address})
    assert settings.is_postgres
    assert settings.database == address
    shown = {name: value for name, value, _ in settings.shown()}["database"]
    assert isinstance(shown, str)
    assert "secret" not in shown
    assert "ret@" not in shown
    assert "host" in shown


def test_every_setting_is_shown_with_its_source(home: Path) -> None:
    shown = config.read({"home": str(home)}, dict(os.environ)).shown()
    assert [name for name, _, _ in shown] == ["home", *(one.name for one in config.KNOWN)]
    assert all(source for _, _, source in shown)


def test_the_variables_that_choose_models_are_known(home: Path) -> None:
    """Whoever sets one as the guide says must not be refused at the door."""
    named = {name for one in PROVIDERS.values() for name in (one.model, one.url, *one.keys)}
    ours = {name for name in named if name.startswith("FOUREYES_")} | {"FOUREYES_MODEL_CONTEXT"}
    assert ours == config.FOR_MODELS
    config.read({"home": str(home)}, dict.fromkeys(ours, "x"))


def test_repositories_are_tables_in_the_file_and_a_line_in_the_environment(home: Path) -> None:
    """U-01: relative paths are taken from where they were said."""
    assert config.read({"home": str(home)}, {}).repositories == "none"
    text = "[repositories.shop]\npath = 'shop.git'\nprotected = ['main', 'release/*']\n"
    (home / "config.toml").write_text(text, encoding="utf-8")
    found = config.read({"home": str(home)}, {}).repositories
    assert found == f"shop={home}/shop.git main release/*"
    given = {"FOUREYES_REPOSITORIES": "shop=/srv/shop.git main; docs=/srv/docs.git"}
    found = config.read({"home": str(home)}, given).repositories
    assert [(one.name, one.path, one.protected) for one in mirrors_in(found)] == [
        ("shop", "/srv/shop.git", ("main",)),
        ("docs", "/srv/docs.git", ()),
    ]
    assert config.read({"home": str(home)}, {"FOUREYES_REPOSITORIES": "none"}).repositories == "none"
