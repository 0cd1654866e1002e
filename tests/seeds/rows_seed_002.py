"""Rows of seed 002, critic chains."""

from tests.seeds.shapes import Row

SEED_002 = (
    Row("002-01", "Layers are asked in order; a rejecting layer stops the run and later ones are not asked."),
    Row("002-02", "A rejecting veto layer returns the work to its author."),
    Row("002-03", "Resubmissions are counted per work and chain, as retry k of max."),
    Row("002-04", "After the last retry: a human is asked, or the run fails, or the work is returned to its author."),
    Row(
        "002-05",
        "Security critic: credentials, destructive commands, exposure, unencrypted secrets, privilege escalation.",
    ),
    Row(
        "002-06",
        "Factual critic: sourced claims, verified figures, attributed quotes, current dates, nothing invented.",
    ),
    Row("002-07", "Chain default: seldon on format, not unanimous, 3 retries, return_error, no veto."),
    Row("002-08", "Chain security: seldon, hardin with veto; unanimous, 2 retries, human."),
    Row("002-09", "Chain research: seldon, gaal with veto; unanimous, 3 retries, human."),
    Row("002-10", "Chain infrastructure: seldon, hardin with veto, daneel operational; unanimous, 2 retries, human."),
    Row("002-11", "Chain financial: seldon, mallow financial, gaal with veto; unanimous, 1 retry, human."),
    Row("002-12", "Chain content: magnifico creative, gaal with veto; unanimous, 3 retries, returned to the author."),
    Row("002-13", "Chain trading: seldon, hardin with veto, amaryl quantitative; unanimous, 1 retry, human."),
    Row("002-14", "config/critic-chains.json holds the seven chains; an invalid one is refused at load."),
    Row("002-15", "A workflow step's critic_chain picks the chain."),
    Row("002-16", "POST /seldon/validate runs a named chain on given output."),
    Row("002-17", "In a unanimous chain any layer's rejection sends the work back."),
    Row("002-18", "The veto message, word for word, in the task's Discord thread."),
    Row("002-19", "The approval message, word for word."),
    Row("002-20", "An escalation reaches the Discord alerts channel and Telegram."),
    Row("002-21", "critic_reviews has one row per layer decision, approvals too."),
    Row("002-22", "A critic cannot change the work: no command of a seat touches its bytes."),
    Row("002-23", "Only a human lifts a veto, with a reason on record; an agent is refused."),
    Row(
        "002-24",
        "Seven scopes: format, security, factual, operational, creative, financial, quantitative; a layer judges "
        "only its own.",
    ),
    Row("002-25", "The veto's text and reason are in the request that goes to the author."),
)
