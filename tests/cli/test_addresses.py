"""A server answers to its own host names only."""

import pytest

from foureyes.bootstrap.addresses import addresses
from foureyes.cli.serving import Serving
from foureyes.home.trouble import Trouble


def test_on_this_machine_it_has_the_names_of_this_machine() -> None:
    """T23."""
    found = addresses(Serving(), 8004)
    assert found.local == found.public == "http://127.0.0.1:8004"
    assert found.hosts == {"127.0.0.1:8004", "localhost:8004", "[::1]:8004"}
    assert found.origins == {f"http://{one}" for one in found.hosts}
    assert found.tls_hosts == set()


def test_by_a_public_address_that_has_tls_the_cookie_travels_with_tls_alone() -> None:
    found = addresses(Serving(host="0.0.0.0", public_url="https://Gate.example.com/", behind_proxy=True), 80)  # noqa: S104
    assert (found.local, found.public) == ("http://127.0.0.1:80", "https://gate.example.com")
    assert found.tls_hosts == {"gate.example.com"}
    assert found.tls_hosts < found.hosts
    assert "https://gate.example.com" in found.origins
    assert "0.0.0.0:80" not in found.hosts


def test_another_loopback_address_is_a_name_of_its_own() -> None:
    assert "[::1]:9" in addresses(Serving(host="::1"), 9).hosts
    assert addresses(Serving(host="127.0.0.2"), 9).local == "http://127.0.0.2:9"


@pytest.mark.parametrize(
    ("written", "public"),
    [
        ("https://Gate.example.com:443/", "https://gate.example.com"),
        ("http://gate:80", "http://gate"),
        ("https://gate.example.com:80", "https://gate.example.com:80"),
        ("https://[2001:DB8::1]:8443", "https://[2001:db8::1]:8443"),
    ],
)
def test_a_public_address_is_written_as_browsers_write_it(written: str, public: str) -> None:
    """Else no page of it would be ours: browsers leave the port out that goes without saying."""
    found = addresses(Serving(public_url=written), 8004)
    assert found.public == public
    assert public in found.origins
    assert public.partition("://")[2] in found.hosts


@pytest.mark.parametrize(
    "written",
    [
        *("gate.example", "ftp://gate.example", "https://", "https://gate.example/path", "https://gate.example?x=1"),
        *("https://ann@gate.example", "https://gate example", "https://gate.example\n", "https://a,b", "https://-a"),
        *("https://[x", "https://gate.example:", "https://gate.example:0", "https://gate.example:65536"),
        *("https://gate.example:x", "https://g\u00e4te.example", "https://*"),
    ],
)
def test_what_is_no_address_is_a_sentence(written: str) -> None:
    """T29: one in other letters is named as machines spell it."""
    with pytest.raises(Trouble, match="--public-url is"):
        Serving(public_url=written)
