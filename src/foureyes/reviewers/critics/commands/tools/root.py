"""Find tools that, run as root, can read, write or start anything."""

from __future__ import annotations

from collections.abc import Iterator

from foureyes.reviewers.critics.commands.model import HOLE, Call, Found, rule, words
from foureyes.reviewers.critics.commands.options import options
from foureyes.reviewers.critics.commands.outputs import TERMINAL
from foureyes.reviewers.critics.commands.places import SCRATCH, Place, place
from foureyes.reviewers.critics.commands.tools.rights import DOORS

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
_EDITORS = words(
    "vi vim nvim view rvim rview vimdiff nano pico emacs ed red ex joe mcedit micro gedit kate jed ne ul pg"
)
_PAGERS = words("less more most man pinfo info bat batcat pdb zathura scanmem")
_INTERPRETERS = words(
    "python python2 python3 perl ruby node nodejs php lua tclsh wish irb ghci gdb lldb jrunscript jjs julia "
    "octave expect awk gawk mawk nawk jshell groovy scala slsh gnuplot gimp ftp telnet sftp lftp mysql psql "
    "sqlite3 bpftrace"
)
#: Tools that print, convert or copy any file they are given; as root they are only useful to read others' files.
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
    "nmap": ("script", "iL"),
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
_LOGINS = words("su login newgrp sg screen tmux script chroot")
_READERS = words("cat head tail grep egrep fgrep rg tee dd tac")
WRITERS = words("cp mv install awk sed ln wget curl tar rsync scp zip cpio openssl pip pip3 nmap gzip bzip2 xz unzip")


def as_root(call: Call) -> Iterator[Found]:
    """Judge what a tool run as root allows beyond its purpose."""
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
    elif call.name in WRITERS and (any(HOLE in word or DOORS.search(word) for word in words) or _lands(call, words)):
        yield Found(
            rule=ROOT_TOOL,
            text="Which file this touches as root is only known at run time, or decides who may do what.",
        )
    elif call.name in _ROOT_OPTIONS and options(call.args, "fFbDz").has(*_ROOT_OPTIONS[call.name]):
        yield Found(rule=ROOT_TOOL)
    elif call.name == "service" and any("/" in word for word in words):
        yield Found(rule=SHELL_ESCAPE)


#: Without arguments, these open a prompt of their own, from which programs can be started.
_PROMPTS = words("cpan debugfs hping3 bconsole crash cscli dc ginsh pry byebug tasksh tdbtool msfconsole minicom")


def _installs_local(call: Call, words: list[str]) -> bool:
    """True if an install runs steps of a local package, or a snap is installed without a signature or sandbox."""
    if call.name in ("pip", "pip3"):
        near = ("/tmp/", "./", "../", SCRATCH)  # noqa: S108
        here = [word for word in words[1:] if word == "." or word.startswith(near)]
        return words[:1] == ["install"] and bool(here)
    if call.name in ("npm", "yarn", "pnpm"):
        return bool({"-C", "--prefix", "--cwd", "--dir"} & set(call.args)) and bool(words)
    if call.name in ("ansible-playbook", "composer", "vagrant", "puppet", "update-alternatives"):
        return any(HOLE in word or SCRATCH in word for word in call.args) or (
            call.name == "puppet" and "-e" in call.args
        )
    if call.name == "unzip":
        return "-K" in call.args
    if call.name == "openssl":
        return bool({"-engine", "-provider", "-provider-path"} & set(call.args))
    return call.name == "snap" and bool({"--dangerous", "--devmode"} & set(call.args))


def _opens_pager(call: Call, words: list[str]) -> bool:
    """True for forms of everyday tools that open a pager or an editor, from which a shell can be started."""
    bare = call.name in ("systemctl", "journalctl", "timedatectl", "loginctl", "busctl") and not call.args
    pages = call.name == "git" and (bool({"-p", "--paginate", "--help"} & set(call.args)) or words[:1] == ["help"])
    edits = (call.name == "crontab" and "-e" in call.args) or (call.name == "aws" and words[-1:] == ["help"])
    reads = call.name in ("apt", "apt-get") and words[:1] == ["changelog"]
    return bare or pages or edits or reads


def _lands(call: Call, words: list[str]) -> bool:
    """True for copies as root to a target that needs no root: a project file or the terminal."""
    if call.name in ("cp", "mv") and len(words) > 1:
        return words[-1] in ("/dev/stdout", "/dev/stderr", TERMINAL) or place(words[-1], call) is Place.NAMED
    return call.name in ("curl", "wget") and any(word.startswith("file:") for word in words)


def explains(call: Call) -> Iterator[Found]:
    """Judge help as root: git shows it in a pager, and a pager as root can start a shell."""
    if call.root and call.name == "git":
        yield Found(rule=ROOT_TOOL)


def _runs_script(call: Call, words: list[str]) -> bool:
    asks = {"--version", "-V", "-m"} & set(call.args)
    return bool(asks) or (bool(words) and _is_script(words[0]))


def _is_not_roots(word: str, call: Call) -> bool:
    """True for files that do not need root, and for unknown paths, which may be any file."""
    if HOLE in word or DOORS.search(word):
        return True
    if call.name == "dd":
        word = word.partition("=")[2] if word.startswith(("if=", "of=")) else "1"
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
