"""Completion in bash, zsh and fish: typed in the shell itself, completed by it, looked at."""

import os
import pty
import select
import shutil
import subprocess

from harness import ROOT, Failure, Skip, params
from patience import Limit

# what is typed before TAB, the last word that the shell makes of it
CASES = [
    ("gatectl ru", "run"),
    ("gatectl lin", "lines"),
    ("gatectl --vers", "--version"),
    ("gatectl hel", "help"),
    ("gatectl help expl", "explore"),
    ("gatectl run --skip", "--skip-if-unavailable"),
    ("gatectl check --col", "--color"),
    ("gatectl run -v --no-f", "--no-follow"),
    ("gatectl run --color alw", "always"),
    ("gatectl run --color=ne", "--color=never"),
    ("gatectl run -g alp", "alpha.lua"),
    ("gatectl run --gates alp", "alpha.lua"),
    ("gatectl run --gates=alp", "--gates=alpha.lua"),
    ("gatectl replay --gates=sub", "--gates=subdir"),
    ("gatectl run --order 'a -> b' -g alp", "alpha.lua"),
    ("gatectl prove --gate-limit 3 --time-l", "--time-limit"),
    ("gatectl run --report rep", "report.json"),
    ("gatectl run -g alpha.lua ./prog", "./program"),
    ("gatectl run -- ./prog", "./program"),
    ("gatectl lines ./prog", "./program"),
    ("gatectl run sha512s", "sha512sum"),
    ("gatectl run ./program alpha.t", "alpha.txt"),
    ("gatectl run -g 'two w", "two words.lua"),
    ("gatectl run --leftover ki", "kill"),
    ("gatectl repl --replay alp", "alpha.schedule"),
    ("gatectl repl --pi", "--pid"),
    ("gatectl audit --build-dir sub", "subdir"),
    ("gatectl audit -p sub", "subdir"),
]
# only bash's file knows these
BASH = [
    ("gatectl replay alp", "alpha.schedule"),
    ("gatectl replay alpha.schedule ./prog", "./program"),
    ("gatectl audit alp", "alpha.c"),
    ("gatectl audit alpha.c two", "two.c"),
]
# what must not be offered
NOT = [
    ("gatectl attach --leftover ki", "kill"),
    ("gatectl lines --ord", "--order"),
    ("gatectl check --rep", "--report"),
    ("gatectl nonsense --col", "--color"),
]

START = {
    "bash": (["bash", "--norc", "--noprofile", "-i"],
             "source %s/gatectl.bash; bind 'set bell-style none'; bind 'set enable-bracketed-paste off'\n"),
    "zsh": (["zsh", "-f", "-i"],
            "fpath=(%s $fpath); unsetopt zle_bracketed_paste 2> /dev/null; unset zle_bracketed_paste; "
            "setopt no_beep; autoload -U compinit; compinit -D -u\n"),
}
# the word that was completed, between marks that the terminal's echo does not contain
SHOW = "gatectl() { for w; do :; done; printf '\\074<%s>\\076\\n' \"$w\"; }; PS1='$ '\n"


def scripts(t):
    """As `make install` would put them, by the gatectl under test."""
    for shell in ("bash", "zsh", "fish"):
        table = subprocess.run([t.gatectl, "--completions", shell], capture_output=True, text=True, env=t.env)
        t.equal((table.returncode, table.stderr), (0, ""), "the table for " + shell)
        with open(os.path.join(ROOT, "tracer/cli/completions/gatectl." + shell)) as f:
            text = f.read()
        parts = [text, table.stdout] if shell == "fish" else [table.stdout, text]
        t.file("_gatectl" if shell == "zsh" else "gatectl." + shell, "".join(parts))
    for name in ("alpha.lua", "alpha.txt", "report.json", "two words.lua", "program", "alpha.schedule", "alpha.c", "two.c"):
        t.file(name, "")
    os.mkdir(t.path("subdir"))
    os.chmod(t.path("program"), 0o755)


class Terminal:
    def __init__(self, t, shell):
        command, start = START[shell]
        self.master, slave = pty.openpty()
        env = dict(t.env, PATH="/usr/bin:/bin", HOME=t.tmp, HISTFILE="/dev/null", TERM="dumb")
        self.p = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, cwd=t.tmp, env=env,
                                  start_new_session=True)
        os.close(slave)
        self.send(start % t.tmp + SHOW + "printf '\\074ready\\076\\n'\n")
        self.read("<ready>")

    def send(self, text):
        os.write(self.master, text.encode())

    def read(self, mark):
        out, limit = "", Limit(20)
        while mark not in out:
            if limit.over():
                raise Failure("no %r in what the shell says: %r" % (mark, out))
            if select.select([self.master], [], [], 0.5)[0]:
                out += os.read(self.master, 65536).decode(errors="replace")
        return out

    def complete(self, typed):
        self.send(typed + "\t\n")
        out = self.read(">>")
        return out[out.rindex("<<") + 2:out.rindex(">>")]

    def close(self):
        self.p.kill()
        self.p.wait()
        os.close(self.master)


def interactive(t, shell):
    if not shutil.which(shell):
        raise Skip("no " + shell)
    scripts(t)
    terminal = Terminal(t, shell)
    try:
        for typed, want in CASES + (BASH if shell == "bash" else []):
            if typed.count("'") % 2:
                continue  # the shells differ in who closes the quote
            t.equal(terminal.complete(typed).rstrip("/"), want, "%s makes of %r" % (shell, typed))
        for typed, bad in NOT:
            t.check(terminal.complete(typed) != bad, "%s offers %s after %r" % (shell, bad, typed))
    finally:
        terminal.close()


def test_bash(t):
    interactive(t, "bash")


def test_zsh(t):
    interactive(t, "zsh")


def test_bash_scripts_only(t):
    """Where nothing else fits zsh and fish offer other files, too: that is their custom."""
    scripts(t)
    r = t.run(["bash", "-c", "source ./gatectl.bash; COMP_WORDS=(gatectl run -g alpha.); COMP_CWORD=3; _gatectl; "
               "printf '<%s>' \"${COMPREPLY[@]}\""], cwd=t.tmp)
    t.equal(r.stdout, "<alpha.lua>", "no text file", r)


def test_bash_processes(t):
    scripts(t)
    r = t.run(["bash", "-c", "source ./gatectl.bash; COMP_WORDS=(gatectl attach -g x.lua ''); COMP_CWORD=4; _gatectl; "
               "printf '<%s>' \"${COMPREPLY[@]}\""], cwd=t.tmp)
    t.check(f"<{os.getpid()}>" in r.stdout and "<ls>" not in r.stdout, "processes, no commands", r)


def test_bash_with_blanks(t):
    scripts(t)
    r = t.run(["bash", "-c", "source ./gatectl.bash; COMP_WORDS=(gatectl run -g two); COMP_CWORD=3; _gatectl; "
               "printf '<%s>' \"${COMPREPLY[@]}\""], cwd=t.tmp)
    t.equal(r.stdout, "<two words.lua>", "a name with a blank is one word", r)


def test_fish(t):
    if not shutil.which("fish"):
        raise Skip("no fish")
    scripts(t)

    def offered(typed):
        r = t.run(["fish", "--no-config", "-c", "source gatectl.fish; complete -C \"$argv[1]\"", typed],
                  cwd=t.tmp, env={"HOME": t.tmp, "PATH": "/usr/bin:/bin"})
        t.equal((r.status, r.err), (0, ""), "outcome", r)
        return [l.split("\t")[0] for l in r.stdout.splitlines()]
    for typed, want in CASES:
        if "'two" in typed:
            want = "two words.lua"
        got = [word.rstrip("/") for word in offered(typed)]
        t.check(want in got, "%r: %r is not among %r" % (typed, want, got))
    for typed, bad in NOT:
        t.check(bad not in offered(typed), "fish offers %s after %r" % (bad, typed))


def test_unknown_shell(t):
    t.error(t.gate("--completions", "tcsh"), 125)


@params("bash", "zsh", "fish")
def test_every_option_is_there(t, shell):
    """What --help of a command lists its completion knows."""
    table = t.gate("--completions", shell)
    for command in ("run", "prove", "check", "lines"):
        for line in t.gate(command, "--help").stdout.splitlines():
            words = line.split()
            name = next((w for w in words[:2] if w.startswith("--")), None)
            if name and line.startswith("  "):
                form = "-l %s" % name[2:] if shell == "fish" else name
                t.check(form in table.stdout, "%s of %s" % (name, command), table)
