"""Judge commands of message brokers that delete messages, topics, queues or permissions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from foureyes.reviewers.critics.commands.model import Call, Family, Found, each, rule, words
from foureyes.reviewers.critics.commands.options import options
from foureyes.reviewers.critics.commands.tools.generic import Cli, cli, is_dry

MESSAGES = rule(
    "destructive.messages",
    "Messages, topics or queues are deleted",
    "Messages nobody has read yet are lost, and producers and consumers that use the name fail.",
    "Let it drain, keep a copy (a mirror, a dead-letter queue), and delete after the last consumer is gone.",
)

#: Less than two minutes, or less than a hundred kilobytes.
_SHORT_RETENTION = re.compile(r"\bretention\.(?:ms|bytes)=\d{1,5}(?:\D|$)")


def _kafka(call: Call) -> Iterator[Found]:
    opts = options(call.args, "btXG")
    if is_dry(call) and not opts.has("execute"):
        return
    acts = {"delete", "remove", "delete-config", "remove-config", "delete-offsets", "unsafe-delete"}
    if call.name.startswith("kafka-delete-records") or acts & set(opts.long):
        yield Found(rule=MESSAGES)
    elif _SHORT_RETENTION.search(" ".join(call.args)):
        yield Found(rule=MESSAGES, text="What is older than a moment is deleted, which is nearly everything.")
    elif "reset-offsets" in opts.long and "execute" in opts.long:
        yield Found(rule=MESSAGES, text="Consumers are set back or forward; messages are read twice or never.")
    elif call.name in ("kcat", "kafkactl", "rpk", "kaf", "confluent", "ccloud"):
        yield from cli(_BROKER)(call)


def _reassign(call: Call) -> Iterator[Found]:
    if "--execute" in call.args or "--cancel" in call.args:
        yield Found(rule=MESSAGES, text="Partitions are moved while they are in use.")


_BROKER = Cli(
    rule=MESSAGES,
    takes="pnVHPuXs",
    long_takes=words("node vhost host port username password server creds context url admin-url"),
    ends=words(
        "force_reset reset purge_queue delete_queue delete_vhost delete_user clear_permissions clear_policy "
        "clear_parameter forget_cluster_node force_boot stop_app close_all_connections clear_topic_permissions "
        "rmm clear-backlog skip-all expire-messages truncate-stream rmm purge"
    ),
    spares=words("unsubscribe"),
)


def _rabbit(call: Call) -> Iterator[Found]:
    words = options(call.args, _BROKER.takes, _BROKER.long_takes).operands
    if words[:1] and re.match(r"(?:delete|purge|clear|reset|force_|forget|remove|close_all)", words[0]):
        yield Found(rule=MESSAGES)
    elif words[:1] in (("stop_app",), ("stop",), ("shutdown",), ("rotate_logs",)) and words[0] != "rotate_logs":
        yield Found(rule=MESSAGES, text="The broker is stopped for everybody.")
    elif call.name == "rabbitmq-plugins" and words[:1] == ("disable",):
        yield Found(rule=MESSAGES, text="A plugin is switched off for everybody.")


FAMILY = Family(
    rules=(MESSAGES,),
    tools={
        **{
            name + ending: _kafka
            for ending in ("", ".sh")
            for name in (
                "kafka-topics",
                "kafka-configs",
                "kafka-acls",
                "kafka-consumer-groups",
                "kafka-delete-records",
                "kafka-streams-application-reset",
                "kafka-delegation-tokens",
                "kafka-features",
                "zookeeper-shell",
            )
        },
        **{
            name + ending: _reassign
            for ending in ("", ".sh")
            for name in ("kafka-reassign-partitions", "kafka-leader-election")
        },
        **each("kcat kafkactl rpk kaf confluent ccloud", _kafka),
        **each("rabbitmqctl rabbitmqadmin rabbitmq-plugins rabbitmq-queues rabbitmq-upgrade", _rabbit),
        **each(
            "nats nsc pulsar-admin pulsarctl mosquitto_ctrl activemq artemis emqx_ctl temporal tctl celery rq "
            "sidekiqctl faktory solace beanstool zkcli zkcli.sh",
            cli(_BROKER),
        ),
    },
)
