"""The checks of the public catalogue that are in scope name rules that exist."""

from bench import configs_catalogue
from bench.configs_aws import AWS
from bench.configs_clouds import AZURE, GCP
from foureyes.reviewers.critics.exposure import CRITIC
from foureyes.reviewers.critics.exposure.rules import PREFIX

RULES = {one.id.removeprefix(PREFIX) for one in CRITIC.rules}
TABLES = {"k8s": configs_catalogue.KUBERNETES, "aws": AWS, "azure": AZURE, "gcp": GCP}


def test_every_check_in_scope_is_answered_by_rules_that_exist() -> None:
    for source, table in TABLES.items():
        for check, rules in table.items():
            assert set(rules) <= RULES, check
            assert configs_catalogue.rules_of(f"x-{source}", check) == rules


def test_a_name_that_is_not_listed_is_answered_by_what_it_says() -> None:
    assert configs_catalogue.rules_of("x-tf-aws", "SecurityGroupUnrestrictedIngress3389")[0] == "network.open-rdp"
    assert "azure.kusto-public-network" in configs_catalogue.rules_of("x-tf-azure", "KustoPublicAccess")
    assert configs_catalogue.rules_of("x-tf-aws", "SomethingElse") == ()
    assert configs_catalogue.rules_of("x-k8s", "SomethingElse") == ()
