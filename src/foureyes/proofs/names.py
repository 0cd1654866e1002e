"""Finds what a text names that a reader could run, fetch or open, and which readers besides people it addresses."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["addressed", "named"]

#: Signs that mark a name as one for programs: a dot, slash, underscore or bracket in it, a dash or dot in front.
_MARKED = re.compile(
    r"`[^`]*`|%\w+%"
    r"|(?<![\w~.%-])[\w~.%-]*\w\(\)?(?!e?s\))[\w.,-]*"
    r"|(?<!\w)\w*(?:[./\\_。｡][\w.-]*\w)[\w./\\-]*"
    r"|(?<![\w'’\"(])[-–—]{1,2}[A-Za-z][\w-]*"
)
#: A slash between two words that are alternatives.
_EITHER = frozenset({"and/or", "i/o", "input/output", "n/a", "read/write"})
#: A dot between single letters is an abbreviation: e.g., i.e., z.B.
_SHORTENED = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]?", re.UNICODE)
_SPOKEN_ADDRESS = re.compile(r"(?:\b(?:dot|punkt|point|punto)\W+|\.\s+)(?:com|net|org|io|dev|sh)\b", re.ASCII)

#: Programs that fetch or run what is named behind them.
_COMMANDS = re.compile(
    r"\b(?:pip[23x]?|uvx?|npm|npx|pnpm|yarn|bunx?|deno|cargo|rustup|gem|bundler?|composer|brew|apt|aptitude|yum|dnf"
    r"|pacman|apk|zypper|snap|flatpak|choco|winget|scoop|conda|mamba|poetry|pdm|pipenv|easy_install|nuget|dotnet|mvn"
    r"|gradlew?|docker|podman|kubectl|helm|terraform|ansible|vagrant|curl|wget|bash|zsh|fish|ksh|csh|powershell|pwsh"
    r"|iex|cmd|sudo|doas|chmod|chown|chroot|mkfs|eval|exec|crontab|systemctl|ssh|scp|sftp|rsync|netcat|ncat|telnet|ftp"
    r"|git|svn|hg|xargs|nohup|osascript|rundll32|regsvr32|mshta|certutil|bitsadmin)\b",
    re.ASCII,
)
#: Programs whose names are also words: only as people type a command, in small letters.
_TYPED = re.compile(
    r"\b(?:python[23]?|node|ruby|perl|php|lua|rm|dd|sh|nc|su|go (?:get|install|run)|make \w+)\b", re.ASCII
)
_MAKE_WORDS = re.compile(
    r"make (?:sure|certain|use|sense|it|them|this|that|these|those|the|an?|up|out|way|room|any|no|each|every|all|one)"
)
#: In a document: words that tell a reader to fetch, run, send or destroy something, whatever its name looks like.
_TOLD = re.compile(
    r"\b(?:run|execute|launch|invoke|clone|paste|upload|send|forward|export|share|push|publish|deploy|merge|delete|erase"
    r"|destroy|wipe|disable|uninstall|install\w*|instal\w*|download\w*|herunterlad\w*"
    r"|ausführ\w*|télécharg\w*|exécut\w*|descarg\w*|ejecut\w*|scaric\w*|esegu\w*|baix\w*)\b"
    r"|установ\w*|скача\w*|запуст\w*|安装|安裝|下载|下載|运行|執行|执行|インストール|ダウンロード|実行|설치|다운로드|실행"
)
#: Secrets, which must stay with their owner.
_SECRET = re.compile(
    r"\b(?:pass(?:word|phrase|code)s?|credentials?|secrets?|api[ -]?keys?|(?:private|ssh|access)[ -]keys?"
    r"|passw[oö]rt\w*|contraseñas?|mots? de passe)\b|пароль|密码|密碼|パスワード|비밀번호"
)
#: Readers that are programs, and those who judge the work.
_READERS = re.compile(
    r"(?a:\b(?:[\w-]*agent(?:s|en|es|i|e)?|ass?ist[ae]nt\w*|ai|a\.i|ki|ia|llms?|gpt\w*|chatgpt|chatbots?|bots?|copilot"
    r"|claude|gemini|codex|openai|anthropic|language models?|sprachmodell\w*|prompts?|system message"
    r"|(?:code )?review(?:er)?s?|reviewing|gutachter\w*|prüfer\w*|auditors?|approve\w*|approval|instructions?"
    r"|anweisung\w*)\b)|агент|ассистент|\bии\b"
    r"|\b(?:whoever|anyone|anybody|everyone|everybody|anything|everything)\W+(?:who|that|which|\w+s)\b"
    r"|\byour\b|\byou\W+(?:must|should|shall|have|need|are|can|may|will)\b"
    r"|\b(?:read|reads|reading|reader|readers|whoever|anyone|anybody|you)\W+(?:\w+\W+)?(?:this|these)\b|\bplease\b"
    r"|代理|助手|智能体|人工智能|审核|審查|アシスタント|エージェント|レビュー|에이전트|어시스턴트|리뷰어"
)


def named(text: str, *, in_document: bool) -> list[str]:
    """Return addresses, paths, files, options, variables, calls and commands, in their order."""
    text = unicodedata.normalize("NFKC", text)
    found = (match.group().rstrip(".,-") for match in _MARKED.finditer(_unmarked(text)))
    names = [name for name in found if not _SHORTENED.fullmatch(name) and name.lower() not in _EITHER]
    lowered = text.lower()
    always = (_SPOKEN_ADDRESS, _COMMANDS, _SECRET)
    patterns = (*always, _TOLD) if in_document else always
    names += [match.group() for pattern in patterns for match in pattern.finditer(lowered)]
    return names + [name for name in _TYPED.findall(text) if not _MAKE_WORDS.fullmatch(name)]


def addressed(text: str) -> list[str]:
    """Return the readers besides people that the text addresses or mentions: agents, assistants, models, reviewers."""
    return _READERS.findall(unicodedata.normalize("NFKC", text).lower())


def _unmarked(text: str) -> str:
    """Return the text without the marks of emphasis around words."""
    return re.sub(r"(?<!\w)_+(?=\w)|(?<=\w)_+(?!\w)|\*+", " ", text)
