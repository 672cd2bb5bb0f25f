"""gatectl attach: onto a program that runs, and off again, without a trace."""

import os
import re
import signal
import socket
import subprocess
import threading
import time

from harness import Process, HERE, Failure, Skip, compile_text, others_may_read, params, timeout
from patience import Limit

with open(os.path.join(HERE, "programs", "server.c")) as f:
    SERVER = f.read()

EVERYWHERE = "".join('at("//%s", {optional = true}):run(function() end)\n' % m
                     for m in ("sum", "read", "request", "tick", "short", "child", "handler"))


class Running:
    """A program that a test has started, without gatectl; ended with the block."""

    def __init__(self, t, program, *args, stdin=None):
        self.p = Process([program, *args], stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  env=t.env, cwd=t.tmp)
        self.pid = self.p.pid
        self.spawns = False  # it calls system(): a thread that waits there in vfork may come back through our memory

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self.p.poll() is None:
            os.kill(self.pid, signal.SIGKILL)
        self.p.communicate()

    def line(self):
        return self.p.stdout.readline().decode().strip()

    def alive(self):
        return self.p.poll() is None

    def survives(self, once):
        """What once() returns; where it fails and the program has ended, why that was is told as well."""
        try:
            return once(self)
        except Failure as e:
            if self.alive():
                raise
            raise Failure("%s\nthe program has ended with %d: %s" % (e, self.p.returncode, self.p.stderr.read().decode()))

    def check(self, t, r=None):
        if not self.alive():
            raise Failure("the program has ended with %d: %s\n%s" % (
                self.p.returncode, self.p.stderr.read().decode(), r or ""))
        changed, areas = foreign(self.pid)
        t.equal(changed, [], "bytes that are not those of the file", r)
        if not self.spawns:
            t.equal(areas, [], "memory of ours", r)
        with open("/proc/%d/status" % self.pid) as f:
            t.check("TracerPid:\t0\n" in f.read(), "it is still traced", r)


def foreign(pid):
    """Code of a process that is not as in the files it comes from, and code that comes from none."""
    changed, areas = [], []
    with open("/proc/%d/maps" % pid) as f:
        maps = [line.split(maxsplit=5) for line in f]
    with open("/proc/%d/mem" % pid, "rb", 0) as memory:
        for m in maps:
            if "x" not in m[1] or (len(m) > 5 and m[5].startswith("[")):
                continue
            if len(m) < 6:
                areas.append(m)
                continue
            low, high = (int(x, 16) for x in m[0].split("-"))
            with open(m[5].strip(), "rb") as f:
                f.seek(int(m[2], 16))
                wanted = f.read(high - low)
            memory.seek(low)
            try:
                got = memory.read(high - low)[:len(wanted)]
            except OSError:  # unmapped meanwhile: dlclose
                continue
            if got != wanted:  # all at once: byte by byte a library takes a tenth of a second
                changed += [(m[5].strip(), hex(low + i)) for i in range(len(got)) if got[i] != wanted[i]]
    return changed, areas


class Client(threading.Thread):
    """Asks all the time; the answer has to be right, and come within 20 seconds of work.

    A client that gives up closes the connection, and the server is ended by SIGPIPE.
    """

    def __init__(self, path):
        super().__init__(daemon=True)
        self.path, self.count, self.stop, self.error = path, 0, False, None
        self.start()

    def ask(self, c):
        question = b"hello%d." % self.count
        wanted = question + b"%d\n" % sum(question)
        c.sendall(question)
        got = b""
        while len(got) < len(wanted):
            part = self.receive(c)
            if not part:
                raise Failure("the connection was closed")
            got += part
        if got != wanted:
            raise Failure("%r, expected %r" % (got, wanted))
        self.count += 1

    def receive(self, c):
        limit = Limit(20)
        while True:
            try:
                return c.recv(200)
            except TimeoutError:
                if limit.over():
                    raise

    def run(self):
        try:
            while not self.stop:
                with socket.socket(socket.AF_UNIX) as c:
                    c.connect(self.path)
                    c.settimeout(0.5)
                    for _ in range(20):
                        self.ask(c)
        except (OSError, Failure) as e:
            self.error = repr(e)


def server(t, letters=""):
    path = t.path("socket")
    if os.path.exists(path):
        os.unlink(path)
    s = Running(t, compile_text("server.c", SERVER, "-g -O1"), path, letters)
    s.spawns = "f" in letters
    t.equal(s.line(), "ready", "the server")
    return s, path


# Said when it takes a second, which it may on a busy machine.
NOTE = re.compile(r"gatectl: note: (attached to process \d+; .* lets it go again|gatectl stays attached for optional .*)\n")


def without_notes(err, options):
    return err if "-q" in options else NOTE.sub("", err)


def attach(t, pid, script, *options, **kw):
    r = t.gate("attach", *options, "-g", t.file("attach.lua", script), str(pid), leftover=False, **kw)
    r.err = without_notes(r.err, options)
    return r


def attach_until(t, pid, script, signal_number, seconds, *options):
    """Attaches, and sends the signal to gatectl a while later."""
    p = Process([t.gatectl, "attach", *options, "-g", t.file("attach.lua", script), str(pid)], env=t.env,
                         stderr=subprocess.PIPE, text=True)
    try:
        wait_traced(pid)
    except Failure as e:
        p.kill()
        raise Failure("%s: %s %s" % (e, p.wait(), p.communicate()[1]))
    time.sleep(seconds)
    p.send_signal(signal_number)
    try:
        return p, without_notes(p.communicate(timeout=30)[1], options)
    except subprocess.TimeoutExpired:
        raise Failure("gatectl does not end")


def wait_traced(pid, traced=True):
    for _ in range(2000):
        with open("/proc/%d/status" % pid) as f:
            if ("TracerPid:\t0\n" not in f.read()) == traced:
                return
        time.sleep(0.005)
    raise Failure("it is %straced" % ("not " if traced else "still "))


# ---- under load ----------------------------------------------------------------------------------

def many_times(t, letters, times, once):
    s, path = server(t, letters)
    with s:
        clients = [Client(path) for _ in range(3)]
        for i in range(times):
            r = s.survives(once)
            s.check(t, "round %d\n%s" % (i + 1, r))
            t.equal([c.error for c in clients if c.error], [], "clients in round %d" % (i + 1))
        for c in clients:
            c.stop = True
        for c in clients:
            c.join(30)
        t.equal([c.error for c in clients if c.error], [], "clients")
        t.check(all(c.count > times for c in clients), "requests: %s" % [c.count for c in clients])
        s.check(t)


@params("", "m", "f", "s", "mfs")
@timeout(300)
def test_until_the_work_is_done(t, letters):
    """A script that has an end: gatectl leaves by itself, with 0."""
    script = 'at("//request", {hit = {1, 20}}):run(function() end)\nat("//sum", {hit = {1, 200}}):run(function() end)\n'

    def once(s):
        r = attach(t, s.pid, script)
        t.equal((r.status, r.err), (0, ""), "outcome", r)
        return r
    many_times(t, letters, 100 if t.full else 5, once)


@params("", "m", "f", "s", "mfs")
@timeout(300)
def test_interrupted(t, letters):
    signals = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    def once(s):
        once.n += 1
        p, err = attach_until(t, s.pid, EVERYWHERE, signals[once.n % 3], 0.02 * (1 + once.n % 5))
        t.equal((p.returncode, err), (128 + signals[once.n % 3], ""), "outcome")
    once.n = 0
    many_times(t, letters, 100 if t.full else 5, once)


def test_killed(t):
    """SIGKILL to gatectl: the program goes on all the same, with its own bytes."""
    def once(s):
        p, err = attach_until(t, s.pid, EVERYWHERE, signal.SIGKILL, 0.08)
        wait_traced(s.pid, False)
    many_times(t, "m", 40 if t.full else 6, once)


def test_threads_held_when_gatectl_leaves(t):
    def once(s):
        p, err = attach_until(t, s.pid, 'local g = SimpleGate "g"\nat "//request":wait(g)\nat("//tick"):wait(g)\n',
                              signal.SIGINT, 0.1)
        t.equal((p.returncode, err), (130, ""), "outcome")
    many_times(t, "", 30 if t.full else 5, once)


def test_verdict_leaves_the_process_alone(t):
    """Held for too long: the verdict is told, and the program goes on."""
    def once(s):
        r = attach(t, s.pid, 'local g = SimpleGate "g"\nat("//request", {hit = 1}):wait(g)\n', "--gate-limit", "0.1")
        t.verdict(r, 121)
        t.check("serve#" in r.first and "gate g" in r.first, "who was held, and where", r)
        r = attach(t, s.pid, EVERYWHERE, "--time-limit", "0.1")
        t.verdict(r, 124)
        r = attach(t, s.pid, 'at("//request"):run(function(hit) error "oh" end)\n')
        t.error(r, 125, "attach.lua:1: ")
        return r
    many_times(t, "", 3, once)


# ---- who is who ----------------------------------------------------------------------------------

THREADS = r"""
#include <pthread.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>
static volatile int n;
static void work(int i)
{
	n += i; /* gate: work */
}
static void *writer(void *arg)
{
	for (;;) {
		work(1);
		usleep(1000);
	}
}
static void *reader(void *arg)
{
	for (;;) {
		work(2);
		usleep(1000);
	}
}
int main(void)
{
	pthread_t t;
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	pthread_create(&t, NULL, writer, NULL);
	pthread_create(&t, NULL, reader, NULL);
	pthread_create(&t, NULL, writer, NULL);
	puts("ready");
	fflush(stdout);
	for (;;) {
		work(3);
		usleep(1000);
	}
}
"""


@params("-O0", "-O2", "-O0 -no-pie", "-O1 -static")
def test_names_of_threads(t, flags):
    """They are named as if gatectl had been there from the start; variables and stacks are read."""
    with Running(t, compile_text("threads.c", THREADS, "-g " + flags)) as p:
        p.line()
        r = attach(t, p.pid, "".join(
            'at("//work", {thread = "%s", hit = 1}):log "{hit.thread.id} {hit.thread.start} {hit.arg[0]}"\n' % i
            for i in ("main", "writer#1", "writer#2", "reader")), "--report", t.path("r.json"))
        t.equal(r.status, 0, "status", r)
        t.equal(sorted(r.err.split("\n")[:-1]),
                ["main main 3", "reader#1 reader 2", "writer#1 writer 1", "writer#2 writer 1"], "who arrived", r)
        with open(t.path("r.json")) as f:
            t.check('"command":["%s"]' % p.p.args[0] in f.read().replace(" ", ""), "the command in the report", r)
        p.check(t, r)


def test_cxx_threads(t):
    program = compile_text("threads.cc", r"""
#include <cstdio>
#include <sys/prctl.h>
#include <thread>
#include <unistd.h>
static volatile int n;
static void worker(int i)
{
	for (;;) {
		n += i; // gate: work
		usleep(1000);
	}
}
int main()
{
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	std::thread a(worker, 1), b(worker, 2);
	puts("ready");
	fflush(stdout);
	a.join();
}
""")
    with Running(t, program) as p:
        p.line()
        r = attach(t, p.pid, 'at("//work", {thread = "worker#2", hit = 1}):log "{hit.thread.id} {hit.var.i}"\n')
        t.equal((r.status, r.err), (0, "worker#2 2\n"), "outcome", r)
        p.check(t, r)


def test_library_loaded_later(t):
    library = compile_text("libplug.c", "volatile int n;\nvoid plug(int i)\n{\n\tn += i; /* gate: plug */\n}\n",
                           "-g -O0 -shared -fPIC")
    program = compile_text("loads.c", r"""
#include <dlfcn.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	puts("ready");
	fflush(stdout);
	for (;;) {
		void *l = dlopen(argv[1], RTLD_NOW);
		((void (*)(int))dlsym(l, "plug"))(5);
		dlclose(l);
		usleep(2000);
	}
}
""")
    with Running(t, program, library) as p:
        p.line()
        for _ in range(10):
            r = attach(t, p.pid, 'at("libplug.so!//plug", {hit = {1, 5}}):run(function(hit)\n'
                                 '  if hit.count == 5 then print(hit.var.i) end\nend)\n')
            t.equal((r.status, r.err), (0, "5\n"), "outcome", r)
            p.check(t, r)


# ---- states of a program -------------------------------------------------------------------------

def state_of(pid):
    with open("/proc/%d/stat" % pid) as f:
        return f.read().rpartition(")")[2].split()[0]


def wait_state(pid, state):
    for _ in range(2000):
        if state_of(pid) == state:
            return
        time.sleep(0.005)
    raise Failure("its state is %s, not %s" % (state_of(pid), state))


def test_stopped_by_job_control(t):
    """It stays stopped, on and off; its parent hears nothing of it."""
    with Running(t, compile_text("threads.c", THREADS, "-g -O0")) as p:
        p.line()
        os.kill(p.pid, signal.SIGSTOP)
        os.waitpid(p.pid, os.WUNTRACED)
        for _ in range(5):
            q, err = attach_until(t, p.pid, 'at("//work"):run(function() end)\n', signal.SIGINT, 0.1)
            t.equal((q.returncode, err), (130, ""), "outcome")
            wait_state(p.pid, "T")
            p.check(t)
        os.kill(p.pid, signal.SIGCONT)
        r = attach(t, p.pid, 'at("//work", {hit = 5}):run(function() end)\n')
        t.equal((r.status, r.err), (0, ""), "it runs on", r)
        p.check(t)


def test_continued_while_attached(t):
    with Running(t, compile_text("threads.c", THREADS, "-g -O0")) as p:
        p.line()
        os.kill(p.pid, signal.SIGSTOP)
        os.waitpid(p.pid, os.WUNTRACED)
        threading.Timer(0.2, os.kill, (p.pid, signal.SIGCONT)).start()
        r = attach(t, p.pid, 'at("//work", {hit = 5}):run(function() end)\n')
        t.equal((r.status, r.err), (0, ""), "outcome", r)
        p.check(t)


BLOCKED = r"""
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
static int fds[2], sockets[2];
static void wrong(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	_exit(77);
}
#define BLOCKS(name, call) static void *name(void *arg) { call; wrong(#name); return NULL; }
static char c;
static sigset_t usr2;
BLOCKS(reads, read(fds[0], &c, 1))
BLOCKS(receives, recv(sockets[0], &c, 1, 0))
BLOCKS(polls, poll(&(struct pollfd){fds[0], POLLIN}, 1, -1))
BLOCKS(epolls, epoll_wait(epoll_create1(0), &(struct epoll_event){0}, 1, -1))
BLOCKS(sem_waits, sem_wait(arg))
BLOCKS(semops, semop(semget(IPC_PRIVATE, 1, 0600), &(struct sembuf){0, -1, SEM_UNDO}, 1))
BLOCKS(sigwaits, sigtimedwait(&usr2, NULL, &(struct timespec){1000, 0}))
BLOCKS(sleeps, sleep(1000))
BLOCKS(pauses, pause())
BLOCKS(waits, waitpid(-1, NULL, 0))
static void *ticks(void *arg)
{
	for (volatile int i = 0;; i++) /* gate: tick */
		usleep(1000);
}
int main(void)
{
	void *(*all[])(void *) = {reads, receives, polls, epolls, sem_waits, sigwaits, sleeps, pauses, ticks};
	static sem_t sem;
	pthread_t t;
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	pipe(fds);
	socketpair(AF_UNIX, SOCK_STREAM, 0, sockets);
	setsockopt(sockets[0], SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){1000, 0}, sizeof(struct timeval));
	sem_init(&sem, 0, 0);
	sigaddset(&usr2, SIGUSR2);
	for (int i = 0; i < sizeof(all) / sizeof(*all); i++)
		pthread_create(&t, NULL, all[i], &sem);
	puts("ready");
	fflush(stdout);
	if (!fork()) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
	}
	waits(NULL);
}
"""


def test_blocked_in_system_calls(t):
    with Running(t, compile_text("blocked.c", BLOCKED, "-g -O0")) as p:
        p.line()
        time.sleep(0.1)
        for _ in range(100 if t.full else 10):
            r = attach(t, p.pid, 'at("//tick", {hit = {1, 3}}):run(function() end)\n')
            t.equal((r.status, r.err), (0, ""), "outcome", r)
            p.check(t, r)


def test_watched_words_are_let_go(t):
    """Debug registers are cleared: a write after it does not end the program."""
    program = compile_text("watched.c", THREADS.replace("usleep(1000)", "usleep(100)"), "-g -O0")
    with Running(t, program) as p:
        p.line()
        for _ in range(30 if t.full else 5):
            r = attach(t, p.pid, 'local first\nat("//work", {hit = 1}):when(function(hit)\n'
                                 '  first = first or hit.var.n\n  return hit.var.n > first + 50\nend)\n')
            t.equal((r.status, r.err), (0, ""), "outcome", r)
            p.check(t, r)
        time.sleep(0.1)
        p.check(t)


VFORK = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int n;
static __attribute__((noinline)) void step(void)
{
	n++; /* gate: step */
}
static void *starter(void *arg)
{
	for (;;) {
		int status = 0;
		pid_t pid = vfork();
		if (pid == 0) {
			for (int i = 0; i < 20; i++) {
				step();
				usleep(2000);
			}
			execl("/bin/true", "true", NULL);
			_exit(1);
		}
		if (waitpid(pid, &status, 0) != pid || status) {
			fprintf(stderr, "a child: %x\n", status);
			_exit(77);
		}
	}
}
int main(void)
{
	pthread_t t;
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	pthread_create(&t, NULL, starter, NULL);
	puts("ready");
	fflush(stdout);
	for (;;) {
		step();
		usleep(1000);
	}
}
"""


def test_a_thread_in_vfork(t):
    """Its child shares the memory, our traps included."""
    with Running(t, compile_text("vfork.c", VFORK, "-g -O0")) as p:
        p.line()
        for i in range(100 if t.full else 10):
            time.sleep(0.007)
            r = attach(t, p.pid, 'at("//step", {thread = "main", hit = {1, %d}}):run(function() end)\n' % (3 + 7 * (i % 5)))
            t.equal((r.status, r.err), (0, ""), "outcome", r)
            wait_traced(p.pid, False)
            changed, _ = foreign(p.pid)
            t.equal(changed, [], "bytes that are not those of the file", r)
        time.sleep(0.2)
        t.check(p.alive(), "it has ended: %s" % p.p.returncode)


# ---- ends ----------------------------------------------------------------------------------------

ENDS = r"""
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	puts("ready");
	fflush(stdout);
	getchar();
	if (argv[1][0] == 's')
		abort();
	return atoi(argv[1]); /* gate: end */
}
"""


@params(("7", "", 7), ("0", "", 0), ("signal", "", 134), ("7", "expect { exit = 7 }", 0),
        ("7", "expect { exit = 6 }", 119), ("signal", 'expect { signal = "SIGABRT" }', 0), ("3", "missing", 120))
def test_the_program_ends(t, case):
    """Its status is gatectl's, and its parent gets it, too."""
    argument, expect, status = case
    script = 'at("//end", {optional = true}):run(function() end)\n' + (expect if expect != "missing" else "")
    if expect == "missing":
        script = 'at("main"):run(function() end)\n'
    with Running(t, compile_text("ends.c", ENDS), argument, stdin=subprocess.PIPE) as p:
        p.line()
        q = Process([t.gatectl, "attach", "-g", t.file("attach.lua", script), str(p.pid)], env=t.env,
                             stderr=subprocess.PIPE, text=True)
        wait_traced(p.pid)
        p.p.stdin.close()
        p.p.stdin = None
        err = q.communicate(timeout=30)[1]
        t.equal(q.returncode, status, "status; " + err)
        t.equal(p.p.wait(10), -6 if argument == "signal" else int(argument), "what its parent gets")


@timeout(120)
def test_process_ends_during_attach(t):
    """At any moment: a status or one clear error, never a hang."""
    program = compile_text("short.c", r"""
#include <pthread.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>
static void *run(void *arg)
{
	for (volatile long i = 0; i < 100000; i++) /* gate: loop */
		;
	return NULL;
}
int main(int argc, char **argv)
{
	pthread_t t;
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	pthread_create(&t, NULL, run, NULL);
	usleep(atoi(argv[1]));
	return 9;
}
""", "-g -O0")
    seen = set()
    for i in range(200 if t.full else 40):
        with Running(t, program, str(1000000 if i == 0 else i * 500 % 20000)) as p:
            r = attach(t, p.pid, 'at("//loop", {optional = true}):run(function() end)\n')
            t.check(r.status in (9, 118, 125), "status", r)
            t.equal(p.p.wait(10), 9, "what its parent gets", r)
            seen.add(r.status)
    t.check(9 in seen, "statuses seen: %s" % seen)


def test_kill(t):
    with Running(t, compile_text("threads.c", THREADS, "-g -O0")) as p:
        p.line()
        r = attach(t, p.pid, 'at("//work", {hit = 3}):kill "TERM"\n')
        t.equal((r.status, r.err), (143, ""), "outcome", r)
        t.equal(p.p.wait(10), -15, "what its parent gets", r)


# ---- children ------------------------------------------------------------------------------------

FORKS = r"""
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int n;
int main(void)
{
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	puts("ready");
	fflush(stdout);
	for (;;) {
		int status;
		pid_t pid = fork();
		if (!pid) {
			for (int i = 0; i < 3; i++)
				n++; /* gate: child */
			_exit(4);
		}
		if (waitpid(pid, &status, 0) != pid || status != 4 << 8) {
			fprintf(stderr, "a child: %x\n", status);
			_exit(77);
		}
		usleep(1000);
	}
}
"""


@params(True, False)
def test_children(t, follow):
    with Running(t, compile_text("forks.c", FORKS, "-g -O0")) as p:
        p.line()
        if follow:
            r = attach(t, p.pid, 'at("//child", {thread = "p*/main", hit = {1, 9}}):run(function() end)\n')
            t.equal((r.status, r.err), (0, ""), "outcome", r)
        else:
            r = attach(t, p.pid, 'at("//child"):run(function() end)\n', "--no-follow", "--time-limit", "0.3")
            t.verdict(r, 124)
        p.check(t, r)
        time.sleep(0.1)
        p.check(t, r)


# ---- what cannot be ------------------------------------------------------------------------------

def cannot(t, r, status, word, hint):
    t.equal(r.status, status, "status", r)
    begin = "gatectl: cannot-trace: " if status == 118 else "gatectl: error: "
    t.check(r.first.startswith(begin) and re.search(word, r.first), "the first line says why", r)
    t.check(re.search("^try: .*" + hint, r.err, re.M), "what to do", r)


def test_no_such_process(t):
    with Running(t, "/bin/true") as p:
        p.p.wait()
    cannot(t, attach(t, p.pid, 'at("main"):run(print)\n'), 125, "there is no process %d" % p.pid, "pgrep")


def test_zombie(t):
    with Running(t, "/bin/true") as p:
        while state_of(p.pid) != "Z":
            time.sleep(0.01)
        cannot(t, attach(t, p.pid, 'at("main"):run(print)\n'), 118, "zombie", "again")


def test_thread_of_another(t):
    with Running(t, compile_text("threads.c", THREADS, "-g -O0")) as p:
        p.line()
        tid = max(int(x) for x in os.listdir("/proc/%d/task" % p.pid))
        cannot(t, attach(t, tid, 'at("main"):run(print)\n'), 125, "is a thread of process %d" % p.pid, str(p.pid))


def test_traced_already(t):
    with Running(t, compile_text("threads.c", THREADS, "-g -O0")) as p:
        p.line()
        q = Process([t.gatectl, "attach", "-g", t.file("first.lua", 'at("//work"):run(function() end)\n'),
                              str(p.pid)], env=t.env, stderr=subprocess.PIPE)
        wait_traced(p.pid)
        r = attach(t, p.pid, 'at("//work"):run(function() end)\n')
        cannot(t, r, 118, r"traced by another process already: \d+ \(gatectl\)", "outside")
        q.terminate()
        q.communicate()
        p.check(t)


def test_reports_and_orders(t):
    with Running(t, compile_text("threads.c", THREADS, "-g -O0")) as p:
        p.line()
        command = [t.gatectl, "attach", "--order", "work@reader#1 -> //work@main", "--report", t.path("r.xml"),
                   "--report", t.path("r.html"), str(p.pid)]
        r = t.run(command)
        t.equal((r.status, r.err), (0, ""), "outcome", r)
        p.check(t, r)
        with open(t.path("r.xml")) as f:
            t.check('tests="1" failures="0"' in f.read(), "JUnit's report", r)
        t.check(os.path.getsize(t.path("r.html")) > 1000, "the timeline", r)


def test_of_another_user(t):
    if os.getuid():
        raise Skip("only root has processes that others may not trace")
    others_may_read(os.path.dirname(t.gatectl))
    os.chmod(t.tmp, 0o755)
    with Running(t, "/bin/sleep", "100") as p:
        r = attach(t, p.pid, 'at("main"):run(print)\n', preexec=lambda: os.setuid(65534))
        if "cannot execute" in r.err or r.status in (126, 127):
            raise Skip("gatectl cannot be executed by others here")
        cannot(t, r, 118, "belongs to another user: root", "sudo gatectl attach")


def test_location_that_is_not_there(t):
    """An error before anything is changed; the program goes on."""
    with Running(t, compile_text("threads.c", THREADS, "-g -O0")) as p:
        p.line()
        r = attach(t, p.pid, 'at("//work"):run(function() end)\nat("//nowhere"):run(function() end)\n')
        t.error(r, 125, "attach.lua:2: ")
        p.check(t, r)


@params((["-g", "x.lua"], "no process"), (["-g", "x.lua", "x"], "'x' is not the number"),
        (["-g", "x.lua", "-5"], "not an option"), (["-g", "x.lua", "1", "2"], "unexpected argument '2'"),
        (["-g", "x.lua", "--repeat", "2", "1"], "not an option"))
def test_usage(t, case):
    r = t.error(t.gate("attach", *case[0]))
    t.check(case[1] in r.first, "says what", r)


def test_output_cannot_be_expected(t):
    with Running(t, "/bin/sleep", "100") as p:
        r = t.error(attach(t, p.pid, 'expect { stdout = "x" }\n'))
        t.check("expects output" in r.first, "says what", r)


# ---- what is said to whom waits ------------------------------------------------------------------

def lines_of(t, pid, script, wanted, *options, ignored=False):
    """What gatectl says until a line has `wanted` in it; it is ended then."""
    def ignore():
        signal.signal(signal.SIGINT, signal.SIG_IGN if ignored else signal.default_int_handler)

    p = Process([t.gatectl, "attach", *options, "-g", t.file("attach.lua", script), str(pid)], env=t.env,
                         stderr=subprocess.PIPE, text=True, preexec_fn=ignore)
    said = []
    try:
        while not said or wanted not in said[-1]:
            said.append(p.stderr.readline())
            t.check(said[-1], "%r was never said: %r" % (wanted, said))
        number = re.search(r"`kill (?:-INT )?(\d+)`", "".join(said))
        os.kill(int(number.group(1)) if number else p.pid, signal.SIGTERM if ignored or not number else signal.SIGINT)
        t.equal(p.wait(timeout=30), 143 if ignored or not number else 130, "status: %r" % said)
    finally:
        p.kill()
        p.communicate()
    return said


@params(False, True)
def test_says_which_signal_ends_gatectl(t, ignored):
    """Who does not come back soon says how it can be made to: by the signal that gatectl hears."""
    s, _ = server(t)
    with s:
        said = lines_of(t, s.pid, 'at("//request"):run(function() end)\n', "`kill ", ignored=ignored)
        t.equal(len(said), 1, "one line")
        t.check(("Ctrl-C" in said[0]) != ignored and ("SIGINT is ignored" in said[0]) == ignored, said[0])
        s.check(t)


def test_says_what_is_optional(t):
    """When all the rest is done, it is named; not before, and not at -q."""
    s, _ = server(t)
    script = 'at("//tick", {hit = 1}):log "came"\nat("//request", {optional = true, hit = 1}):log "x"\n'
    with s:
        said = [line for line in lines_of(t, s.pid, script, "optional") if "`kill" not in line]
        t.equal(said[0], "came\n", "first what has to be reached")
        t.check("note: gatectl stays attached for optional places that were not reached so far: //request" in said[1]
                and "attach.lua:2" in said[1], said[1])
        p, err = attach_until(t, s.pid, script, signal.SIGINT, 1.5, "-q")
        t.equal((p.wait(), err), (130, ""), "-q")
        s.check(t)
