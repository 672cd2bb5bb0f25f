"""What deadlock verdicts tell, and who could still act: threads that move, and the world outside.

The many ways to get stuck are in test_stuck.py."""

import fcntl
import os
import signal
import socket
import subprocess
import threading
import time

from harness import Process, compile_text, params
from patience import wall
from stuck_programs import ALIVE, GATED, HEAD, MAIN, STUCK


def test_verdict_names_threads_and_mutexes(t):
    """The verdict names the threads, the mutexes and where they stand."""
    r = t.run_gated(compile_text("ab_ba.c", STUCK["mutex_normal"].text))
    t.verdict(r, 123)
    for word in ("first#1", "second#1", "lock_a", "lock_b", "ab_ba.c:", "main"):
        t.check(word in r.err, word + " is not named", r)


def test_own_deadlock_beside_a_held_thread(t):
    """A cycle without a gate in it is the program's own, although another thread is held."""
    program = compile_text("beside.c", STUCK["mutex_normal"].text.replace(
        "int main(void) {  start_both(); }", r"""
static void *third(void *arg)
{
	n++; /* gate: hold */
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, third, NULL);
	start_both();
}
"""))
    r = t.run_gated(program, script='local g = SimpleGate "g"\nat "//hold":wait(g)\n')
    t.verdict(r, 123)


def test_gate_deadlock_names_the_owner(t):
    """A gate inside a critical section: the verdict says that the held thread owns the mutex."""
    program = GATED["mutex_held"]
    r = t.verdict(t.run_gated(compile_text("in_critical_section.c", program.text),
                              script=program.script), 122)
    for word in ("lock_a", "first#1", "second#1"):
        t.check(word in r.err, word + " is not named", r)


@params("sleep", "pause_alarm", "child_sleeps", "timerfd", "compute")
def test_not_stuck_while_one_is_held(t, name):
    """Another thread is held at a gate that opens when the sleeper is through."""
    not_stuck(t, name, 'at "//held"')


@params("sleep", "pause_alarm", "child_sleeps", "timerfd", "compute")
def test_not_stuck_while_one_is_held_at_its_exit(t, name):
    """No thread that ends can be asked whether a timer is armed."""
    not_stuck(t, name, 'on("thread-exit", {thread = "first#1"})')


def not_stuck(t, name, place):
    text = ALIVE[name].text
    body = text[text.index("int main(void)\n{") + len("int main(void)\n{"):]
    text = text[:text.index("static void *first(void *arg) { return arg; }")] + r"""
static void *first(void *arg) { n++; /* gate: held */ return arg; }
static void *second(void *arg) { return arg; }
int main(void)
{
	pthread_create(&threads[0], NULL, first, NULL);
""" + body.replace("	printf(", "	n++; /* gate: through */\n	pthread_join(threads[0], NULL);\n	printf(")
    r = t.clean(t.run_gated(compile_text(name + "_held.c", text), script='''
local g = SimpleGate "through"
%s:wait(g)
at "//through":open(g)
''' % place))
    t.equal(r.stdout, "done\n", "stdout", r)


def test_cycle_beside_one_that_moves(t):
    """No deadlock, for one thread moves; but when the time is up the others are named."""
    text = STUCK["mutex_normal"].text.replace("int main(void) {", r"""
static void *spins(void *arg)
{
	for (;;)
		sched_yield();
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, spins, NULL);
""")
    r = t.verdict(t.run_gated(compile_text("beside_a_spinner.c", text), options=["--time-limit", wall(1)]), 124)
    t.order_of(r.err, "deadlocked: ", "first#1", "lock_b", "second#1", "lock_a")
    cycle = [thread["id"] for thread in r.report["threads"] if thread["waiting"]["in_cycle"]]
    t.equal(sorted(cycle), ["first#1", "second#1"], "in the cycle", r)


def test_no_cycle_at_the_time_limit(t):
    """Who waits for one that moves is not stuck."""
    r = t.verdict(t.run_gated(compile_text("joins_sleeper.c", HEAD + r"""
static void *first(void *arg) { sleep(60); return arg; }
static void *second(void *arg) { return arg; }
int main(void) { start_both(); }
"""), options=["--time-limit", wall(1)]), 124)
    t.check("deadlocked: " not in r.err, "nobody is stuck", r)


# ---- the world outside could act -----------------------------------------------------------------

def spawn(t, program, *args, script=None):
    command = [t.gatectl, "run"] + (["-g", t.file("s.lua", script)] if script else [])
    return Process(command + ["--", program, *args], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=t.env)


def end(t, p, expected):
    out, err = p.communicate(timeout=20)
    t.equal((p.returncode, out.decode(), err.decode()), (0, expected, ""), "outcome")


def test_waits_for_stdin(t):
    """Somebody outside may type: a read of standard input is no deadlock."""
    p = spawn(t, "/bin/cat")
    time.sleep(2)
    t.check(p.poll() is None, "it waits")
    p.stdin.write(b"typed\n")
    p.stdin.flush()
    end(t, p, "typed\n")


def test_waits_for_a_connection(t):
    program = compile_text("accepts.c", r"""
#include <arpa/inet.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>
int main(void)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof a;
	int s = socket(AF_INET, SOCK_STREAM, 0);
	bind(s, (struct sockaddr *)&a, sizeof a);
	listen(s, 1);
	getsockname(s, (struct sockaddr *)&a, &len);
	printf("%d\n", ntohs(a.sin_port));
	fflush(stdout);
	int c = accept(s, NULL, NULL);
	char buf[16];
	ssize_t n = read(c, buf, sizeof buf);
	printf("%.*s\n", (int)n, buf);
	return 0;
}
""")
    p = spawn(t, program)
    port = int(p.stdout.readline())
    time.sleep(2)
    t.check(p.poll() is None, "it waits")
    with socket.create_connection(("127.0.0.1", port)) as s:
        time.sleep(1)
        s.sendall(b"hi")
        end(t, p, "hi\n")


def test_waits_for_a_fifo(t):
    fifo = t.path("fifo")
    os.mkfifo(fifo)
    p = spawn(t, "/bin/cat", fifo)

    def feed():
        time.sleep(1.5)
        with open(fifo, "w") as f:
            time.sleep(1.5)
            f.write("fed\n")
    thread = threading.Thread(target=feed, daemon=True)
    thread.start()
    end(t, p, "fed\n")


OUTSIDE = """
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/un.h>
"""


def outside(t, name, body, act, args=()):
    """The program waits for what act() does; it prints its pid first."""
    text = MAIN % ('\tsetbuf(stdout, NULL);\n\tprintf("%d\\n", getpid());\n' + body)
    program = compile_text(name + ".c", OUTSIDE + HEAD + text.replace(
        "int main(void)", "int main(int argc, char **argv)"))
    p = spawn(t, program, *args)
    number = int(p.stdout.readline())
    time.sleep(0.7)
    t.check(p.poll() is None, "it waits")
    act(number, p)
    end(t, p, "done\n")


def test_outside_signal(t):
    outside(t, "pauses", "signal(SIGUSR1, on_signal); pause();",
            lambda pid, p: os.kill(pid, signal.SIGUSR1))


def test_outside_signal_awaited(t):
    outside(t, "sigwaits", """
	sigset_t set;
	int sig;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigwait(&set, &sig);""".replace("	sigwait", "	sigprocmask(SIG_BLOCK, &set, NULL);\n	sigwait"),
            lambda pid, p: os.kill(pid, signal.SIGUSR1))


def test_outside_signal_in_poll(t):
    outside(t, "ppolls", """
	int fd[2];
	sigset_t none;
	pipe(fd);
	struct pollfd p = {fd[0], POLLIN, 0};
	sigemptyset(&none);
	signal(SIGUSR1, on_signal);
	ppoll(&p, 1, NULL, &none);""", lambda pid, p: os.kill(pid, signal.SIGUSR1))


def test_outside_stdin_in_poll(t):
    def act(pid, p):
        p.stdin.write(b"x")
        p.stdin.flush()
    outside(t, "polls_stdin", """
	int fd[2];
	pipe(fd);
	struct pollfd p[] = {{fd[0], POLLIN, 0}, {0, POLLIN, 0}};
	poll(p, 2, -1);""", act)


def test_outside_file_lock(t):
    path = t.file("lock", "")
    with open(path, "r+") as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        outside(t, "flocks", "flock(open(argv[1], O_RDWR), LOCK_EX);",
                lambda pid, p: fcntl.flock(f, fcntl.LOCK_UN), [path])


def test_outside_record_lock(t):
    path = t.file("lock", "")
    with open(path, "r+") as f:
        fcntl.lockf(f, fcntl.LOCK_EX)
        outside(t, "fcntl_locks", """
	struct flock l = {.l_type = F_WRLCK};
	fcntl(open(argv[1], O_RDWR), F_SETLKW, &l);""", lambda pid, p: fcntl.lockf(f, fcntl.LOCK_UN), [path])


def test_outside_datagram(t):
    path = t.path("socket")

    def act(pid, p):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s:
            s.sendto(b"x", path)
    outside(t, "datagram", """
	struct sockaddr_un a = {AF_UNIX};
	int s = socket(AF_UNIX, SOCK_DGRAM, 0);
	strcpy(a.sun_path, argv[1]);
	bind(s, (struct sockaddr *)&a, sizeof a);
	recv(s, &byte, 1, 0);""", act, [path])


def test_outside_stream(t):
    path = t.path("socket")
    with socket.socket(socket.AF_UNIX) as s:
        s.bind(path)
        s.listen(1)
        outside(t, "stream", """
	struct sockaddr_un a = {AF_UNIX};
	int s = socket(AF_UNIX, SOCK_STREAM, 0);
	strcpy(a.sun_path, argv[1]);
	connect(s, (struct sockaddr *)&a, sizeof a);
	recv(s, &byte, 1, 0);""", lambda pid, p: s.accept()[0].sendall(b"x"), [path])


def test_outside_fifo_kept_open(t):
    """Who opens a FIFO for both waits for those who will come."""
    path = t.path("fifo")
    os.mkfifo(path)

    def act(pid, p):
        with open(path, "w") as f:
            f.write("x")
    outside(t, "fifo_kept", "read(open(argv[1], O_RDWR), &byte, 1);", act, [path])


def test_outside_inotify(t):
    outside(t, "inotify", """
	char buf[4096];
	int fd = inotify_init();
	inotify_add_watch(fd, argv[1], IN_CREATE);
	read(fd, buf, sizeof buf);""", lambda pid, p: t.file("new", ""), [t.tmp])


def test_outside_memory(t):
    """A semaphore in a file that has a name: anybody can map it."""
    path = t.file("semaphore", "\0" * 64)

    def act(pid, p):
        t.run([compile_text("posts.c", HEAD + NOBODY + SEMAPHORE.replace("WHAT", "sem_post(s);")), path])
    outside(t, "named_semaphore", SEMAPHORE_BODY.replace(
        "WHAT", "sem_init(s, 1, 0);\n\tsem_wait(s);"), act, [path])


def test_outside_memory_without_name(t):
    """The file has no name any more, but somebody else has it mapped."""
    path = t.file("semaphore", "\0" * 64)
    program = compile_text("posts_later.c", HEAD + NOBODY + SEMAPHORE.replace(
        "WHAT", "read(0, &byte, 1);\n\tsem_post(s);"))
    poster = Process([program, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              env=t.env)

    def act(pid, p):
        poster.communicate(b"x", timeout=20)
    t.equal(poster.stdout.readline(), b"mapped\n", "the other one")
    outside(t, "unnamed_semaphore", SEMAPHORE_BODY.replace(
        "WHAT", "unlink(argv[1]);\n\tsem_init(s, 1, 0);\n\tsem_wait(s);"), act, [path])


NOBODY = "static void *first(void *arg) { return arg; }\nstatic void *second(void *arg) { return arg; }\n"
SEMAPHORE_BODY = """
	int fd = open(argv[1], O_RDWR);
	sem_t *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	WHAT
"""
SEMAPHORE = "int main(int argc, char **argv)\n{" + SEMAPHORE_BODY.replace(
    "WHAT", 'puts("mapped");\n\tfflush(stdout);\n\tWHAT') + "}\n"


def test_outside_message(t):
    """System V queues and semaphores can be reached by anybody."""
    program = compile_text("sends.c", """
#include <stdlib.h>
#include <sys/msg.h>
#include <sys/sem.h>
int main(int argc, char **argv)
{
	struct { long type; char c; } m = {1, 'x'};
	return msgsnd(atoi(argv[1]), &m, 1, 0);
}
""")

    def act(pid, p):
        queue = int(p.stdout.readline())
        t.equal(t.run([program, queue]).status, 0, "msgsnd")
    outside(t, "receives", """
	struct { long type; char c; } m;
	int q = msgget(IPC_PRIVATE, 0600);
	printf("%d\\n", q);
	msgrcv(q, &m, 1, 0, 0);
	msgctl(q, IPC_RMID, NULL);""".replace("\\\\n", "\\n"), act)


def test_waits_for_an_untraced_child(t):
    """With --no-follow a parent that waits for its child, or reads from it, is not stuck."""
    program = compile_text("untraced.c", HEAD + NOBODY + r"""
int main(void)
{
	int fd[2];
	char c = 0;
	if (pipe(fd))
		return 1;
	if (fork() == 0) {
		sleep(1);
		if (write(fd[1], "x", 1) != 1)
			_exit(1);
		sleep(1);
		_exit(0);
	}
	if (read(fd[0], &c, 1) != 1)
		return 1;
	wait(NULL);
	printf("%c\n", c);
	return 0;
}
""")
    r = t.clean(t.run_gated(program, options=["--no-follow"]))
    t.equal(r.stdout, "x\n", "stdout", r)


def test_held_beside_a_spinner(t):
    """A thread that spins is alive: the gate limit, not a deadlock."""
    program = compile_text("spinner.c", HEAD + r"""
static void *first(void *arg) { n++; /* gate: held */ return arg; }
static void *second(void *arg) { return arg; }
int main(void)
{
	pthread_t a;
	pthread_create(&a, NULL, first, NULL);
	while (n == 0)
		sched_yield();
	return 0;
}
""")
    r = t.run_gated(program, script='local g = SimpleGate "g"\nat "//held":wait(g)\n',
                    options=["--gate-limit", "1"])
    t.verdict(r, 121)
