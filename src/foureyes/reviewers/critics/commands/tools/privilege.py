"""Does a command turn a right to run one tool into the right to run everything?"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from foureyes.reviewers.critics.commands.model import HOLE, REMOTE, Call, Family, Found, rule, words
from foureyes.reviewers.critics.commands.options import options
from foureyes.reviewers.critics.commands.places import Place, place
from foureyes.reviewers.critics.commands.tools.network import REMOTE_CODE, REVERSE_SHELL
from foureyes.reviewers.critics.commands.tools.rights import DOORS
from foureyes.reviewers.critics.commands.tools.system import BOMB
from foureyes.reviewers.critics.commands.wrappers.interpreters import PEELS as INTERPRETERS
from foureyes.reviewers.critics.commands.wrappers.shells import SHELLS
from foureyes.reviewers.critics.critic import State

ROOT_SHELL = rule(
    "privilege.root-shell",
    "A shell with all rights is opened",
    "Whatever is typed or piped in afterwards runs as root, and nobody reviewed it.",
    "Run the one command that needs it with sudo, from a reviewed script.",
    "critical",
)
SHELL_ESCAPE = rule(
    "privilege.shell-escape",
    "A tool is used to start a shell",
    "Tools that may run as somebody else, or inside a sandbox, are a known way out when they start a shell.",
    "Call the shell directly where it is allowed, or use the tool without its shell escape.",
    "critical",
)
ROOT_TOOL = rule(
    "privilege.root-tool",
    "A tool that can read, write or run anything is run as root",
    "Editors, pagers, interpreters and converters run as root open every file and every shell, whatever they "
    "were meant for.",
    "Give the user the right to the one file, use `sudoedit`, or put the change under configuration management.",
)
SECRET_FILE = rule(
    "privilege.secret-file",
    "A file with everybody's passwords or keys is read",
    "Password hashes and private keys let whoever reads them become somebody else.",
    "Ask for the one credential that is needed, through the secret store.",
    "critical",
)

_HERE = frozenset(("",)) | words(
    "env command exec builtin nohup time nice timeout coproc rlwrap tmux screen xterm systemd-run trap alias eval "
    "ssh-agent"
)
#: Who starts them counts, not they.
PASSES_ON = _HERE | SHELLS
_EDITORS = words(
    "vi vim nvim view rvim rview vimdiff nano pico emacs ed red ex joe mcedit micro gedit kate jed ne ul pg"
)
_PAGERS = words("less more most man pinfo info bat pdb")
_INTERPRETERS = words(
    "python python2 python3 perl ruby node nodejs php lua tclsh wish irb ghci gdb lldb jrunscript jjs julia "
    "octave expect awk gawk mawk nawk jshell groovy scala slsh gnuplot gimp ftp telnet sftp lftp mysql psql "
    "sqlite3 bpftrace"
)
#: Print, convert or copy any file they are given; nobody needs them as root but to read what is not theirs.
_FILTERS = words(
    "7z 7za aa-exec ab agetty alpine ansible-test ar aria2c arj as ascii-xfr ascii85 ash aspell atobm b2sum "
    "base32 base64 basenc basez bc bconsole bridge bundler byebug c89 c99 cabal cancel capsh cdist check_by_ssh "
    "check_cups check_log check_memory check_raid choom cksum clamscan cmp cobc colrm column comm cowsay cowthink "
    "cpan cpulimit crash cscli csplit csvtool ctr cupsfilter cut dc debugfs dialog diff distcc dos2unix dosbox "
    "dstat dvips easy_install eb efax elvish enscript eqn espeak exiftool expand facter fmt fold fping gcore "
    "genie genisoimage ghc ghci gimp ginsh grc groff gtester hd hexdump highlight hping3 hunspell iconv iftop "
    "ionice ispell join jq jtag knife ksshell lastb latex latexmk ld.so links logsave look ltrace lualatex luatex "
    "lwp-download lwp-request lynx lzma md5sum minicom mkisofs mlocate mosquitto msfconsole msgcat msgconv "
    "msgfilter msgmerge msguniq mtr multitime nasm ncdu ncftp neofetch nl nm nroff ntpdate objdump octave od "
    "openvpn openvt pandoc paste pax pdflatex pdftex perlbug pexec pic pidstat pkexec posh pr pry psftp ptx rake "
    "readelf redcarpet rev rlogin rpmdb rpmquery rpmverify rtorrent run-mailcap run-parts runscript rview sash "
    "scanmem scrot sdiff setarch sha1sum shuf size smbclient socket soelim sort split sqlite sqlmap ssh-copy-id "
    "ssh-keyscan sshpass start-stop-daemon strings sum systemd-resolve tac task tasksh tbl tclsh tdbtool tex tftp "
    "tic tmate torsocks troff tshark tsort ul unexpand uniq unsquashfs uudecode uuencode varnishncsa vigr vipw "
    "volatility w3m wall whiptail whois wireshark xdg-user-dir xdotool xelatex xetex xmllint xmodmap xmore xpad "
    "xsltproc xxd yelp yq zathura zsoelim"
)
#: Everyday tools with an option that reads any file or starts any program.
_ROOT_OPTIONS: dict[str, tuple[str, ...]] = {
    "date": ("f", "file"),
    "dig": ("f",),
    "ss": ("F",),
    "ip": ("b", "batch", "force"),
    "file": ("f", "m", "files-from"),
    "arp": ("f",),
    "wc": ("files0-from",),
    "ldconfig": ("f",),
    "dmesg": ("F", "H"),
    "tcpdump": ("z",),
    "certbot": ("pre-hook", "post-hook", "deploy-hook"),
    "ssh-keygen": ("D",),
    "ssh": ("F",),
    "rpm": ("eval", "pipe"),
    "nmap": ("interactive", "script", "iL"),
    "gzip": ("t", "c"),
    "bzip2": ("c", "d"),
    "xz": ("c",),
    "logrotate": ("l", "log"),
    "busctl": ("address", "show-machine"),
    "top": ("w",),
    "gem": ("e",),
    "apache2ctl": ("c",),
    "yum": ("c", "plugin"),
    "dnf": ("c",),
    "apt-get": ("c",),
    "apt": ("c",),
}
#: Carry a file somewhere without acting on what it says.
_CARRIERS = words("cp mv install rm tee cat ls chmod chown chgrp touch stat mkdir test grep diff tar gpg dpkg sh bash")
_LOGINS = words("su login newgrp screen tmux script chroot")
_READERS = words("cat head tail grep egrep fgrep rg tee dd tac")
_WRITERS = words("cp mv install awk sed ln wget curl tar rsync scp zip cpio openssl pip pip3 nmap gzip bzip2 xz unzip")
_PROTECTED = re.compile(
    r"/etc/(?:g?shadow-?|sudoers\S*|security/)|/root/|id_(?:rsa|dsa|ecdsa|ed25519)$|\.ssh/(?!.*\.pub$|known_hosts|config$|$)|/proc/\d+/mem|ssh_host_\w+_key$|\.kdbx$|\.aws/credentials$|\.gnupg/(?:secring|private-keys)|(?:^|/)\.(?:netrc|pgpass|git-credentials|vault-token)$|gcloud/\w*credentials\w*\.(?:json|db)$|/ntds\.dit|SAM$"
)


def judge(call: Call, *, via: str, elsewhere: bool) -> Iterator[Found]:
    """Shells started where none is expected, tools as root that can do anything, and code from the network."""
    yield from _shell(call, via=via, elsewhere=elsewhere)
    if any(word.startswith(("LD_PRELOAD=", "LD_LIBRARY_PATH=", "LD_AUDIT=")) for word in call.args) and (
        {call.name, *call.args} & {"sudo", "doas", "pkexec", "su"}
    ):
        yield Found(rule=SHELL_ESCAPE, text="A library of somebody's choice is loaded into a program run as root.")
    if call.root:
        yield from _as_root(call)
    if call.name in RUN_FILES - {"cat"} or call.name in _EVALS:
        yield from _fed(call)
    yield from _protected(call)


_EVALS = ("iex", "invoke-expression")
_CODE = frozenset(
    name
    for name in INTERPRETERS
    if name.startswith(("python", "perl", "ruby", "node", "php", "lua", "bun", "deno", "pypy", "osascript", "tclsh"))
)


#: Run, or print, the file they are given.
RUN_FILES = SHELLS | _CODE | {"source", ".", "cat"}


def _shell(call: Call, *, via: str, elsewhere: bool) -> Iterator[Found]:
    if call.name not in SHELLS:
        return
    opts = options(call.args, "oO", ("rcfile", "init-file"), stop=True)
    bare = not opts.has("c", "version") and not opts.operands and not call.stdin.fed
    if opts.has("p") and call.name in ("sh", "bash", "dash", "ksh", "zsh", "ash", "csh", "mksh") and not opts.operands:
        yield Found(rule=ROOT_SHELL, text="With -p the shell keeps the rights of whoever owns it.")
    elif call.root and bare and not elsewhere:
        yield Found(rule=ROOT_SHELL)
    elif (bare and via not in _HERE and via not in SHELLS and not elsewhere) or (
        bare
        and via in ("env", "nice", "timeout", "time", "nohup", "exec")
        and call.args in ((), ("-i",))
        and via != "exec"
    ):
        yield Found(rule=SHELL_ESCAPE)


def _as_root(call: Call) -> Iterator[Found]:
    words = [word for word in call.args if not word.startswith("-")]
    if call.name in _EDITORS or call.name in _PAGERS or _opens_pager(call, words):
        yield Found(rule=ROOT_TOOL)
    elif call.name in _LOGINS and not options(call.args, "cSt", ("command",)).has("c", "command") and not words[1:]:
        yield Found(rule=ROOT_SHELL)
    elif (
        (call.name in _INTERPRETERS and not _runs_script(call, words))
        or (call.name in _FILTERS and call.args)
        or (call.name in _PROMPTS and not call.args)
        or _installs_local(call, words)
    ):
        yield Found(rule=ROOT_TOOL)
    elif call.name in _READERS and any(_is_not_roots(word, call) for word in words):
        yield Found(
            rule=ROOT_TOOL, text="As root this reads or writes a file that is only known at run time, or is not root's."
        )
    elif call.name in _WRITERS and any(HOLE in word or DOORS.search(word) for word in words):
        yield Found(
            rule=ROOT_TOOL,
            text="Which file this touches as root is only known at run time, or decides who may do what.",
        )
    elif call.name in _ROOT_OPTIONS and options(call.args, "fFbDz").has(*_ROOT_OPTIONS[call.name]):
        yield Found(rule=ROOT_TOOL)
    elif call.name == "service" and any("/" in word for word in words):
        yield Found(rule=SHELL_ESCAPE)


#: Called without words they open a prompt of their own, from which programs can be started.
_PROMPTS = words("cpan debugfs hping3 bconsole crash cscli dc ginsh pry byebug tasksh tdbtool msfconsole minicom")


def _installs_local(call: Call, words: list[str]) -> bool:
    """A package of this folder runs its own install steps; a snap from nowhere runs without a sandbox."""
    if call.name in ("pip", "pip3"):
        here = [word for word in words[1:] if word == "." or word.startswith(("/tmp/", "./", "../"))]  # noqa: S108
        return words[:1] == ["install"] and bool(here)
    if call.name in ("npm", "yarn", "pnpm"):
        return bool({"-C", "--prefix", "--cwd", "--dir"} & set(call.args)) and bool(words)
    if call.name == "openssl":
        return bool({"-engine", "-provider", "-provider-path"} & set(call.args))
    return call.name == "snap" and bool({"--dangerous", "--devmode"} & set(call.args))


def _opens_pager(call: Call, words: list[str]) -> bool:
    """Forms of everyday tools that open a pager or an editor, from which a shell is one key away."""
    bare = call.name in ("systemctl", "journalctl", "timedatectl", "loginctl", "busctl") and not call.args
    pages = call.name == "git" and (bool({"-p", "--paginate", "--help"} & set(call.args)) or words[:1] == ["help"])
    edits = (call.name == "crontab" and "-e" in call.args) or (call.name == "aws" and words[-1:] == ["help"])
    reads = call.name in ("apt", "apt-get") and words[:1] == ["changelog"]
    return bare or pages or edits or reads


def _runs_script(call: Call, words: list[str]) -> bool:
    asks = {"--version", "-V", "-m"} & set(call.args)
    return bool(asks) or (bool(words) and _is_script(words[0]))


def _is_not_roots(word: str, call: Call) -> bool:
    """Nobody needs root for a file of the project; for one only known at run time it may be any file."""
    if HOLE in word or DOORS.search(word):
        return True
    plain = (
        word.isdigit()
        or word.startswith(("s/", "http"))
        or "=" in word
        or call.name in ("grep", "egrep", "fgrep", "rg")
    )
    return not plain and place(word, call) in (Place.NAMED, Place.HOME)


def _is_script(word: str) -> bool:
    return word.endswith((".py", ".pl", ".rb", ".js", ".php", ".lua", ".sh", ".awk")) or word.startswith(
        ("./", "/usr/", "/opt/")
    )


def _fed(call: Call) -> Iterator[Found]:
    """A shell or interpreter that runs what comes through the pipe."""
    opts = options(call.args, "ceomWXrIEd", stop=True)
    reads = (
        call.name in ("source", ".", *_EVALS)
        or opts.has("s")
        or not opts.operands
        or opts.operands[0] in ("-", "/dev/stdin")
    )
    inline = opts.has("c", "e", "m", "r", "E") and call.name not in ("source", ".")
    if not call.stdin.fed or not reads or (inline and "s" not in opts.short):
        return
    if "network" in call.stdin.traits:
        yield Found(rule=REMOTE_CODE)
    elif call.stdin.text is None and "decoded" in call.stdin.traits:
        yield Found(rule=REMOTE_CODE, text="What is run was hidden by an encoding, so that nobody can read it here.")
    elif call.stdin.text is None and "file" not in call.stdin.traits and call.name in SHELLS:
        yield Found(rule=UNSEEN, state=State.UNKNOWN)


UNSEEN = rule(
    "unknown.piped-code",
    "A shell runs what another program prints",
    "What that will be cannot be told from the text.",
    "Write it to a file that is reviewed, and run that.",
)


_PEEKS = words("cat head tail less more grep awk sed cp xxd base64 strings unshadow john hashcat curl")


def _protected(call: Call) -> Iterator[Found]:
    tools = _PEEKS | _WRITERS if call.root else _PEEKS
    if call.name in tools and any(_PROTECTED.search(word) for word in call.args if not word.startswith("-")):
        yield Found(rule=SECRET_FILE)


def handed(call: Call, files: Collection[str]) -> Iterator[Found]:
    """A tool run as root on a file this same script wrote does what that file says."""
    if not call.root or call.name in _CARRIERS:
        return
    given = [word.rpartition("=")[2].removeprefix("file://") for word in call.args]
    if any(word in files for word in given if word):
        yield Found(rule=ROOT_TOOL, text="This runs as root on a file that the same script wrote.")


def fetched(call: Call, files: Collection[str]) -> Iterator[Found]:
    """Running a file that this same script fetched, and checked by nothing."""
    if not files:
        return
    words = [call.name, *(word for word in call.args if not word.startswith("-"))]
    runs = call.name in SHELLS or call.name in _CODE or call.name in ("source", ".")
    target = next((word for word in words[1:]), "") if runs else call.name
    names = {one.rpartition("/")[2].lower() for one in files} | {one.lower() for one in files}
    if target and (target.lower() in names or target.removeprefix("./").lower() in names):
        yield Found(rule=REMOTE_CODE)


def code(language: str, text: str) -> Iterator[Found]:
    """Code that connects a shell to a socket."""
    names = set(re.findall(r"[A-Za-z_]\w*", text))
    wires = names & {"socket", "Socket", "TCPSocket", "fsockopen", "IO_Socket_INET", "INET", "net", "tcp", "connect"}
    hands = names & {
        "dup2",
        "pty",
        "exec",
        "popen",
        "spawn",
        "subprocess",
        "STDIN",
        "proc_open",
        "shell_exec",
        "execute",
        "system",
    }
    starts = re.search(r"\b(?:/bin/)?(?:ba|z|da|k|a)?sh\b|cmd\.exe|pty", text) is not None
    obeys = names & {"gets", "recv", "makefile"}
    if wires and hands and (starts or obeys) and language != "awk":
        yield Found(rule=REVERSE_SHELL)
    if REMOTE in text or (
        language == "python" and re.search(r"\bexec\s*\(\s*(?:urllib|requests|__import__\(['\"]urllib)", text)
    ):
        yield Found(rule=REMOTE_CODE)
    if re.search(r"\bset(?:e|re|res)?uid\s*\(\s*0|\$<\s*=\s*0|Process::Sys\.setuid\(0", text):
        yield Found(rule=SHELL_ESCAPE, text="The code makes itself root.")
    if re.search(r"\bfork\s+while\s+(?:1|fork)\b|\bwhile\b\W{0,4}(?:1|true|True)\W{1,6}(?:os\.)?fork\b", text):
        yield Found(rule=BOMB)
    if "/inet/tcp/" in text:
        yield Found(rule=REVERSE_SHELL)


FAMILY = Family(rules=(ROOT_SHELL, SHELL_ESCAPE, ROOT_TOOL, SECRET_FILE, UNSEEN), tools={})
