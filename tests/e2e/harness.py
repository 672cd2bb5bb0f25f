"""What the end-to-end tests are written with: compile, run bare, run under gatectl, compare.

Every program that a test starts carries GATECTL_E2E=<a name of this one test> in its environment:
that is how what is left over is found, and ended, by its own id and nobody else's.
"""

import contextlib
import fcntl
import hashlib
import json
import os
import pty
import re
import select
import shlex
import signal
import struct
import subprocess
import tempfile
import termios
import threading
import time

from patience import Limit, wall

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TARGETS = os.path.join(ROOT, "tests", "targets")
BUILD = os.environ.get("GATECTL_E2E_BUILD", os.path.join(ROOT, "build"))

COMPILERS = {"gcc": ("gcc", "g++"), "clang": ("clang", "clang++")}
BUILDS = ("gcc-O0", "gcc-O2", "clang-O0", "clang-O2")

FIRST_WORDS = {
    116: "found", 118: "cannot-trace", 119: "not-as-expected", 120: "never-reached", 121: "never-opened",
    122: "gate-deadlock", 123: "deadlock", 124: "time-limit", 125: "error", 126: "error",
    127: "error",
}
# The signals that are a crash where nobody expects them.
CRASHES = {signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGFPE, signal.SIGTRAP, signal.SIGSYS, signal.SIGABRT}


class Failure(Exception):
    pass


class Skip(Exception):
    pass


def params(*values):
    """The test function is run once for each value, given as its second argument."""
    def mark(function):
        function.params = [v for v in values]
        return function
    return mark


def timeout(seconds):
    def mark(function):
        function.timeout = seconds
        return function
    return mark


# ---- building ---------------------------------------------------------------------------------

def _is_built(out, command, sources):
    """Is it newer than its sources, and made by the same command?"""
    try:
        mine = os.stat(out).st_mtime_ns
        with open(out + ".cmd") as f:
            same = f.read() == shlex.join(command)
        return same and all(os.stat(s).st_mtime_ns <= mine for s in sources)
    except FileNotFoundError:
        return False


@contextlib.contextmanager
def _locked(path):
    with open(path + ".lock", "w") as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        yield


def _build(command, out, sources):
    """Runs the compiler where that is needed. Of two processes that build one file at once the first one's stays."""
    os.makedirs(os.path.dirname(out), exist_ok=True)
    if _is_built(out, command, sources):
        return out
    with _locked(out):
        if os.path.lexists(out) and not _is_built(out, command, sources):
            os.unlink(out)
    temporary = "%s.%d.%d" % (out, os.getpid(), threading.get_ident())
    p = subprocess.run(command + ["-o", temporary], capture_output=True, text=True)
    if p.returncode != 0:
        raise Failure("does not compile: %s\n%s" % (shlex.join(command), p.stderr[:4000]))
    with _locked(out):
        if _is_built(out, command, sources):
            os.unlink(temporary)
            return out
        with open(out + ".cmd", "w") as f:
            f.write(shlex.join(command))
        os.rename(temporary, out)
    return out


def directives(path):
    """The `// word: value` lines at the head of a target."""
    found = {}
    with open(path) as f:
        for line in f:
            m = re.match(r"// ([a-z-]+): ?(.*)$", line)
            if m:
                found[m.group(1)] = m.group(2).strip()
            elif line.startswith("#include"):
                break
    return found


def target_names():
    names = []
    for name in sorted(os.listdir(TARGETS)):
        base, ext = os.path.splitext(name)
        if ext in (".c", ".cc") and not base.startswith("lib"):
            names.append(base)
    return names


class Target:
    """A program of tests/targets/, built one way."""

    def __init__(self, name, build="gcc-O0"):
        self.name = name
        self.build_name = build
        self.source = os.path.join(TARGETS, name + ".c")
        if not os.path.exists(self.source):
            self.source = os.path.join(TARGETS, name + ".cc")
        self.words = directives(self.source)
        self.dir = os.path.join(BUILD, "targets", build.replace("-", ""))
        self.path = os.path.join(self.dir, name)

    def args(self):
        text = self.words.get("args", "")
        return [a.replace("\\n", "\n") for a in shlex.split(text.replace("\\n", "\\\\n"))]

    def stdin(self):
        return self.words.get("stdin", "").replace("\\n", "\n").replace("\\t", "\t").encode()

    def location(self):
        """Where the runner puts its trap."""
        trap = self.words.get("trap", "//here")
        if trap.startswith("*"):
            return "*0x%x" % symbol_address(self.path, trap[1:])
        return trap

    def build(self):
        compiler, opt = self.build_name.split("-")
        cxx = self.words.get("lang") == "c++" or self.source.endswith(".cc")
        base = [COMPILERS[compiler][cxx], "-g", "-" + opt, "-D_GNU_SOURCE", "-pthread", "-w"]
        if compiler == "clang" and opt != "O0":
            # clang gives all copies of an unrolled line one row: nobody could count them apart
            base.append("-fno-unroll-loops")
        header = os.path.join(TARGETS, "insn.h")
        link = []
        for lib in self.words.get("so", "").split():
            source = os.path.join(TARGETS, lib + ".c")
            _build([COMPILERS[compiler][0], "-g", "-" + opt, "-D_GNU_SOURCE", "-pthread", "-w",
                    "-fPIC", "-shared", "-Wl,-soname," + lib + ".so", source],
                   os.path.join(self.dir, lib + ".so"), [source])
            link = ["-Wl,-rpath,$ORIGIN", "-L" + self.dir]
        link += ["-l" + lib[3:] for lib in self.words.get("link", "").split()]
        command = (base + self.words.get("flags", "").split() + [self.source] + link
                   + self.words.get("libs", "").split())
        _build(command, self.path, [self.source, header])
        return self


def compile_text(name, text, flags="-g -O0", compiler=None, libs=""):
    """Builds a program given as text; the same text and flags are built once."""
    if compiler is None:
        compiler = "g++" if name.endswith((".cc", ".cpp")) else "gcc"
    key = hashlib.sha256("\0".join([name, text, flags, compiler, libs]).encode()).hexdigest()[:12]
    directory = os.path.join(BUILD, "e2e", key)
    os.makedirs(directory, exist_ok=True)
    source = os.path.join(directory, name)
    if not os.path.exists(source):
        temporary = "%s.%d.%d" % (source, os.getpid(), threading.get_ident())  # a fuzzer's threads ask at once, too
        with open(temporary, "w") as f:
            f.write(text)
        os.rename(temporary, source)
    out = os.path.join(directory, os.path.splitext(name)[0])
    if "-shared" in flags:
        out += ".so"
    return _build([compiler, "-D_GNU_SOURCE", "-pthread", "-w"] + flags.split() + [source]
                  + libs.split(), out, [source])


def check_counts(t, build, name, text):
    """Marks `gate: NAME N` in the text say how often their lines are executed."""
    compiler, flags = build.split(" ", 1)
    program = compile_text(name, text, "-g -w " + flags, compiler=compiler)
    want = dict(re.findall(r"gate: (\w+) (\d+)", text))
    script = "".join('at("//%s"):run(function() end)\n' % mark for mark in want)
    r = t.clean(t.run_gated(program, script=script))
    got = {p["location"][2:]: p["arrivals"] for p in r.report["places"]}
    t.equal(got, {mark: int(n) for mark, n in want.items()}, build, r)


def others_may_read(path):
    """Or skips: a clone in a home folder is not for other users."""
    while path != "/":
        if not os.stat(path).st_mode & 0o001 and os.path.isdir(path):
            raise Skip("%s is closed to other users" % path)
        path = os.path.dirname(path)


def symbol_address(path, symbol):
    out = subprocess.run(["nm", path], capture_output=True, text=True).stdout
    for line in out.splitlines():
        words = line.split()
        if len(words) == 3 and words[2] == symbol:
            return int(words[0], 16)
    raise Failure("nm shows no %s in %s" % (symbol, path))


def line_of(text, needle):
    """Number of the one line of a source text that contains `needle`."""
    found = [i for i, l in enumerate(text.splitlines(), 1) if needle in l]
    assert len(found) == 1, (needle, found)
    return found[0]


# ---- running ----------------------------------------------------------------------------------

class Process(subprocess.Popen):
    """A process whose time-outs count work (patience.py)."""

    def _patiently(self, call, timeout):
        limit = Limit(timeout)
        while True:
            try:
                return call(min(0.5, timeout))
            except subprocess.TimeoutExpired:
                if limit.over():
                    raise

    def communicate(self, input=None, timeout=None):
        if timeout is None:
            return super().communicate(input)
        given = [input]  # taken over by the first call
        return self._patiently(lambda slice: super(Process, self).communicate(given.pop() if given else None, slice), timeout)

    def wait(self, timeout=None):
        if timeout is None:
            return super().wait()
        return self._patiently(super().wait, timeout)


class Result:
    def __init__(self, command, status, out, err, seconds, spent, report=None):
        self.command, self.status, self.out, self.err = command, status, out, err
        self.seconds = seconds  # of wall time: for lower limits
        self.spent = spent  # of work (patience.py): for upper limits
        self.report = report

    @property
    def first(self):
        return self.err.split("\n", 1)[0]

    @property
    def stdout(self):
        return self.out.decode(errors="replace")

    def __str__(self):
        def cut(s):
            return s if len(s) < 3000 else s[:1500] + "\n[...]\n" + s[-1500:]
        return "$ %s\nstatus %s after %.2f s\nstdout: %s\nstderr: %s" % (
            shlex.join(self.command), self.status, self.seconds, cut(self.stdout), cut(self.err))


def processes_with(marker):
    """Pids of living processes that carry the marker in their environment."""
    needle = ("GATECTL_E2E=" + marker + "\0").encode()
    found = []
    for pid in os.listdir("/proc"):
        if not pid.isdigit() or int(pid) == os.getpid():
            continue
        try:
            with open("/proc/%s/environ" % pid, "rb") as f:
                if needle in f.read() + b"\0":
                    found.append(int(pid))
        except OSError:
            pass
    return found


def _describe(pid):
    try:
        with open("/proc/%d/stat" % pid) as f:
            stat = f.read()
        with open("/proc/%d/cmdline" % pid, "rb") as f:
            line = f.read().replace(b"\0", b" ").decode(errors="replace")
        return "%d (%s) state %s" % (pid, line.strip(), stat.rpartition(")")[2].split()[0])
    except OSError:
        return "%d" % pid


def wait_until(condition, what, seconds=20):
    """What `condition` answers as soon as that is something; it is asked again and again until then."""
    limit = Limit(seconds)
    while True:
        answer = condition()
        if answer:
            return answer
        if limit.over():
            raise Failure("it does not come about in %g s: %s" % (seconds, what))
        time.sleep(0.005)


def end_processes(marker):
    """Ends what carries the marker, by id, until there is none. Returns what there was."""
    seen = []
    for _ in range(50):
        left = processes_with(marker)
        if not left:
            break
        for pid in left:
            seen.append(_describe(pid))
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        time.sleep(0.02)
    return seen


def search_options(args):
    """A search that makes no scripts, unless its --verify says how many runs are to verify one. The time for scripts is as much work
    on a busy machine as on a quiet one: a script that was made in less of it need not hold.
    """
    searches = args[:1] in (("explore",), ("harness",))
    if "--gates-for" in args or not (searches or "--confirm" in args):
        return args
    if "--verify" not in args:
        return (args[0], "--verify", "0", *args[1:])
    timed = searches and "--for" not in args and "--merge" not in args
    return (args[0], "--gates-for", str(wall(60)), *args[1:]) if timed else args


class Test:
    """What a test function gets: paths, runners, assertions. One for each test."""

    def __init__(self, name, options):
        self.name = name
        self.gatectl = options.gatectl
        self.full = options.full
        self.marker = "%d-%s" % (os.getpid(), hashlib.sha256(name.encode()).hexdigest()[:12])
        self.tmp = tempfile.mkdtemp(prefix="gatectl-e2e-")
        self.env = {k: v for k, v in os.environ.items()
                    if k in ("PATH", "HOME", "LANG", "TMPDIR", "USER", "ASAN_OPTIONS",
                             "UBSAN_OPTIONS", "LSAN_OPTIONS")}
        self.env["GATECTL_E2E"] = self.marker
        self.env["TERM"] = "dumb"
        self.env["XDG_CACHE_HOME"] = os.path.join(self.tmp, "cache")  # not the tester's own
        self.count = 0

    # -- files

    def file(self, name, text):
        path = os.path.join(self.tmp, name)
        with open(path, "w") as f:
            f.write(text)
        return path

    def path(self, name):
        return os.path.join(self.tmp, name)

    # -- running

    def _communicate(self, p, stdin, seconds, command):
        try:
            return p.communicate(stdin, timeout=seconds)
        except subprocess.TimeoutExpired:
            state = "; ".join(_describe(pid) for pid in processes_with(self.marker))
            p.kill()
            end_processes(self.marker)
            out, err = p.communicate()
            raise Failure("hangs (%g s): %s\nalive: %s\nstdout: %s\nstderr: %s" % (
                seconds, shlex.join(command), state, out.decode(errors="replace")[-1500:],
                err.decode(errors="replace")[-3000:]))

    def _run_pty(self, command, stdin, seconds, env):
        try:
            master, slave = pty.openpty()
        except OSError as e:
            raise Skip("no pseudo-terminals here: %s" % e)
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 33, 99, 0, 0))
        out, limit = b"", Limit(seconds)
        if stdin:
            os.write(master, stdin)
        while out.count(b"\n") < stdin.count(b"\n"):
            out += os.read(master, 65536)  # the kernel echoes when it gets to it; it is to be before what is printed

        def child():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        p = Process(command, stdin=slave, stdout=slave, stderr=subprocess.PIPE,
                             preexec_fn=child, env=env, close_fds=True)
        os.close(slave)
        while not limit.over():
            if select.select([master], [], [], 0.05)[0]:
                try:
                    data = os.read(master, 65536)
                except OSError:  # nobody has the other end any more, and all was read
                    break
                if not data:
                    break
                out += data
        err = self._communicate(p, None, seconds, command)[1]
        os.close(master)
        return p.returncode, out, err

    def run(self, command, stdin=b"", seconds=60, pty=False, env=None, cwd=None, preexec=None):
        command = [str(c) for c in command]
        limit, begin = Limit(seconds), time.monotonic()
        env = dict(self.env, **(env or {}))
        if pty:
            status, out, err = self._run_pty(command, stdin, seconds, env)
        else:
            p = Process(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, env=env, cwd=cwd, preexec_fn=preexec)
            out, err = self._communicate(p, stdin, seconds, command)
            status = p.returncode
        limit.over()
        return Result(command, status, out, err.decode(errors="replace"), time.monotonic() - begin, limit.spent)

    def run_bare(self, program, args=(), **kw):
        r = self.run([program, *args], **kw)
        end_processes(self.marker)
        return r

    def gate(self, *args, leftover=True, **kw):
        """gatectl with these arguments; afterwards nobody of its tree may be alive. Scripts of gates only where a test asks for them."""
        r = self.run([self.gatectl, *search_options(args)], **kw)
        left = end_processes(self.marker) if leftover else []
        if left:
            raise Failure("left alive: %s\n%s" % ("; ".join(left), r))
        if r.status < 0:
            raise Failure("gatectl itself died by signal %d\n%s" % (-r.status, r))
        # in gatectl itself, not in a program that is built with one
        if "Sanitizer" in r.err and re.search(r" in \w+ (\S*/)?(tracer|gates|lua)/\S+\.c:\d", r.err):
            raise Failure("a sanitizer has found something\n%s" % r)
        return r

    def run_gated(self, program, script=None, args=(), options=(), report=True, **kw):
        """`gatectl run`; `script` is the text of a gate script. Reads the JSON report as well."""
        command = ["run", *options]
        self.count += 1
        path = self.path("report%d.json" % self.count)
        if report:
            command += ["--report", path]
        if script is not None:
            command += ["-g", self.file("gates%d.lua" % self.count, script)]
        r = self.gate(*command, "--", program, *args, **kw)
        if report and os.path.exists(path):
            with open(path) as f:
                text = f.read()
            try:
                r.report = json.loads(text) if text else None  # test_report.py wants more
            except ValueError as e:
                raise Failure("report is not JSON: %s\n%s\n%s" % (e, text[:2000], r))
        return r

    # -- assertions

    def check(self, condition, what, result=None):
        if not condition:
            raise Failure("%s%s" % (what, "\n%s" % result if result is not None else ""))

    def equal(self, got, expected, what, result=None):
        if got != expected:
            raise Failure("%s: %r, expected %r%s" % (
                what, got, expected, "\n%s" % result if result is not None else ""))

    def clean(self, r, status=0):
        """It ended by itself and gatectl said nothing."""
        self.equal(r.status, status, "status", r)
        self.check("gatectl:" not in r.err, "gatectl speaks on a clean run", r)
        return r

    def verdict(self, r, status):
        """The status and first line of a verdict, and the one try: line that ends it."""
        self.equal(r.status, status, "status", r)
        lines = [l for l in r.err.split("\n") if l]
        starts = [l for l in lines if l.startswith("gatectl: %s:" % FIRST_WORDS[status])]
        self.check(starts, "no line on stderr begins with 'gatectl: %s:'" % FIRST_WORDS[status], r)
        if r.report is not None and status not in (118, 126, 127):
            self.equal(r.report.get("verdict"), FIRST_WORDS[status], "verdict in the report", r)
            self.equal(r.report.get("status"), status, "status in the report", r)
        return r

    def error(self, r, status=125, where=None):
        """gatectl's own error: first line, exactly one, FILE:LINE: where a script is at fault."""
        self.equal(r.status, status, "status", r)
        self.check(r.first.startswith("gatectl: error: "), "first line is not the error", r)
        count = sum(l.startswith("gatectl: error:") for l in r.err.split("\n"))
        self.equal(count, 1, "'gatectl: error:' lines", r)
        if where:
            self.check(re.search(where, r.first), "%r is not in the first line" % where, r)
        return r

    def place(self, r, location):
        """The one place of the report at this location."""
        self.check(r.report is not None, "no report was written", r)
        found = [p for p in r.report["places"] if p["location"] == location]
        self.equal(len(found), 1, "places at %s in the report" % location, r)
        return found[0]

    def arrivals(self, r, location, expected):
        self.equal(self.place(r, location)["arrivals"], expected, "arrivals at " + location, r)

    def order_of(self, text, *words):
        """Each word is in the text, in this order."""
        at = -1
        for word in words:
            found = text.find(word, at + 1)
            self.check(found >= 0, "%r is not where it should be in:\n%s" % (word, text))
            at = found
