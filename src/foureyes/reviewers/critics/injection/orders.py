"""Weighted traits of sentences that give a model a task: to act, to keep silent, to write something else."""

from __future__ import annotations

from foureyes.reviewers.critics.injection import rules
from foureyes.reviewers.critics.injection.trait import MODEL, MODEL_ANCHORS, Feature, feature

_ACTS = (
    r"(?:run|execute|use the \w+ tool|call the \w+ tool|delete|remove|install|add|download|fetch|curl|open|edit|modify|"
    r"create|skip|treat|ignore|push|commit|merge|approve|output|print|send|reply|respond|mark|include|insert|say|stop|"
    r"do not|don'?t|never|always|you must|return|upload|disregard|disable)"
)
_WORK = (
    r"(?:document|file|page|text|e-?mail|article|code|repo(?:sitory)?|pull request|pr|change|commit|diff|readme|report)"
)
_TONGUE = (
    r"(?:english|french|german|spanish|italian|portuguese|dutch|russian|ukrainian|polish|chinese|mandarin|"
    r"japanese|korean|"
    r"arabic|hindi|turkish|greek|hebrew|swedish|norwegian|danish|finnish|czech|latin|vietnamese|thai|klingon|esperanto)"
)
_VERSE = (
    r"(?:poem|haiku|limerick|sonnet|ode|ballad|nursery rhyme|short story|bedtime story|fairy ?tale|"
    r"love letter|joke|riddle|"
    r"acrostic|monologue|eulogy|tongue twister|rap song|rap verse|song lyrics|song about|speech (?:on|about)|"
    r"essay (?:on|about))"
)
_ASKS = r"(?:please |now |also |then |next,? |kindly |and |can you |could you |would you |will you )*"
_MAKES = r"(?:write|compose|create|generate|provide|tell|make up|draft|develop|craft|produce|recite|give)"
_PRIVATE = r"(?:credentials|secrets?|passwords?|api[- _]?keys?|tokens?|private keys?|environment variables|\.env\b)"

ORDERS: tuple[Feature, ...] = (
    feature(
        "gives a machine that reads it a task",
        2,
        rf"^\W{{0,6}}(?:(?:note|message|attention|instructions?|hint|reminder|notice|important) (?:to|"
        rf"for) |attention,? |"
        rf"dear |hey |hi |to )?(?:the |any |all |every )?(?:\w+ )?{MODEL}\s?[:,\-]+\s?(?:please |now |"
        rf"kindly )?{_ACTS}\b",
        r"\bif you(?:'re| are) (?:an? |the )?(?:ai|llm|language model|chatbot|(?:ai|coding|autonomous|automated|llm) "
        rf"(?:agent|assistant|reviewer|tool|model))\b[^.!?]{{0,60}}?[,:] (?:please |then |you must |"
        rf"you should )?{_ACTS}\b",
        r"\b(?:any|all|every|each) (?:ai |coding |autonomous |automated |llm )?(?:agents?|assistants?|"
        r"models?) (?:reading|"
        r"processing|reviewing|analy[sz]ing|parsing|that (?:read|process|"
        r"review)s?)\b[^.!?]{0,60}?\b(?:must|should|shall|has "
        r"to|have to|needs? to)\b",
        rule=rules.ROLE,
        anchors=f"{MODEL_ANCHORS}|any agent|all agents|every agent|any model|any assistant|all assistants|all models",
    ),
    feature(
        "says what to do when it is summed up or reviewed",
        2,
        rf"\bwhen (?:you )?(?:are )?(?:summari[sz]ing|summari[sz]e|reviewing|review|describing|analy[sz]ing|answering "
        rf"questions about|asked about|translating) (?:this|the above|"
        rf"the following) (?:\w+ )?{_WORK}\b,? (?:always|never|you "
        r"must|do not|don'?t|be sure|make sure|ignore|recommend|include|mention|say|state|add|omit|only)",
        rule=rules.OUTPUT,
        anchors="when summari|when you summari|when reviewing this|when you review this|"
        "when describing this|when analy|"
        "when answering questions about|when asked about this|when translating this",
    ),
    feature(
        "takes back the reader's instructions",
        2,
        r"\b(?:previous|prior|earlier|above|original) instructions? (?:were|was|are|is|have been|"
        r"has been) (?:only |just )?"
        r"(?:a test|void|cancell?ed|superseded|revoked|replaced|overridden|wrong|no longer)",
        r"\byour (?:instructions?|orders|task) (?:have|has) (?:been )?(?:changed|updated|replaced|"
        r"overridden|revoked)\b",
        rule=rules.OVERRIDE,
        anchors="instructions were|instructions are|instructions have|instruction has|your task has|your orders have",
    ),
    feature(
        "hides this very text",
        2,
        r"\b(?:do not|don'?t|never) (?:ever )?(?:tell|mention|reveal|disclose|inform|alert|notify|"
        r"show)\b[^.!?]{0,40}?\b(?:this "
        r"(?:instruction|note|comment|prompt|directive)|these (?:instructions|directives))\b",
        rule=rules.OVERRIDE,
        anchors="this instruction|this note|this comment|this prompt|this directive|these instructions|"
        "these directives",
    ),
    feature(
        "forbids to object",
        1,
        r"\byou (?:must|should|shall|are to|will|may) (?:not|never) (?:flag|block|reject|veto|object to|criticis\w+)\b",
        anchors="not flag|never flag|not block|not reject|not veto|not object",
    ),
    feature(
        "has findings set aside",
        1.5,
        r"\b(?:treat|consider|regard|classify|dismiss|"
        r"count) (?:\S+ ){1,6}?as (?:an? )?(?:false positives?|already (?:reviewed|"
        r"approved|resolved)|approved|pre-?approved)\b",
        r"\b(?:respond|reply|answer)(?: only)? with an? empty (?:list|array|object|review|report|response|string)\b",
        rule=rules.VERDICT,
        anchors="as false positive|as a false positive|as already |as approved|as preapproved|"
        "as pre-approved|with an empty",
    ),
    feature(
        "is written as a task for a model",
        1,
        r"^\W{0,6}#{0,4} ?(?:instruction|new task|system|prompt)s? ?: ?(?:please|you|respond|reply|answer|"
        r"approve|ignore|output|list|print|run|do|say|write|delete|send)\b",
        r"\b(?:use|call|invoke) the (?:bash|shell|terminal|write|edit|browser|file|mcp|python) tool\b",
        anchors="instruction:|instructions:|new task:|the bash tool|the shell tool|the terminal tool|the edit tool|"
        "the write tool|the browser tool",
    ),
    feature(
        "puts secrets where others read them",
        1.5,
        rf"\b{_PRIVATE}[^.!?]{{0,60}}?\b(?:in|into|to|as part of) (?:your|the next) (?:next )?"
        r"(?:commit message|pr description|pull request|review|response|answer|reply|summary)\b",
        rule=rules.SECRET,
        anchors="commit message|pr description|your review|your response|your answer|your reply|your summary",
    ),
    feature(
        "asks for a piece of writing",
        2,
        rf"^\W{{0,6}}{_ASKS}{_MAKES} (?:me |us )?(?:an? |the |some |another )?(?:[\w-]+ ){{0,2}}?{_VERSE}s?\b",
        r"\bin the (?:form|style|shape) of an? (?:[\w-]+ )?(?:poem|haiku|limerick|sonnet|song|rap|riddle|"
        r"nursery rhyme|ballad)\b",
        r"\b(?:respond|reply|answer|talk|speak|write) (?:\w+ )?(?:like|as|in the voice of) an? (?:pirate|"
        r"shakespear\w+|rapper|"
        r"poet|cat|medieval)\b",
        rule=rules.OUTPUT,
        anchors="poem|haiku|limerick|sonnet|ballad|rhyme|short story|bedtime story|fairy tale|fairytale|"
        "love letter|a joke|"
        "riddle|acrostic|monologue|eulogy|twister|rap song|rap verse|song lyrics|song about|speech on|"
        "speech about|essay on|"
        "essay about|pirate|shakespear|rapper|of a song|of a rap|an ode",
    ),
    feature(
        "asks for a translation",
        2,
        rf"^\W{{0,6}}{_ASKS}translate (?:the (?:following|word|sentence|phrase|above|next)|this|these|"
        rf"[\"'])[^.!?]{{0,90}}? "
        rf"(?:in)?to {_TONGUE}\b",
        rf"\bhow (?:do|would|can) (?:you|i|we) say [^.!?]{{1,60}}? in {_TONGUE}\b",
        rf"\b(?:respond|reply|answer|tell me|spell)\b[^.!?]{{0,60}}? in (?:{_TONGUE}|pig latin|morse code|"
        rf"rot-?13|base64|emojis?|"
        r"leetspeak)\b",
        r"\b(?:can|could|would) you [^.!?]{0,80}? in (?:reverse order|pig latin|morse code|rot-?13|base64|emojis?|"
        r"leetspeak)\b",
        rule=rules.OUTPUT,
        anchors="translate |you say |i say |we say |in pig latin|in morse|in rot13|in rot-13|in base64|"
        "in emoji|in leetspeak|"
        "in reverse order|respond in |reply in |answer in ",
    ),
)
