"""A server is called by its own names, and by no others."""

from foureyes.bootstrap.addresses import addresses
from foureyes.cli.serving import Serving


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
