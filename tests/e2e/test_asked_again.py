"""A closed condition is asked again when what it has read changes, and nobody arrives anywhere.

Quick: 20 runs of each. Full: 1000 runs while both processors are kept busy.
"""

import os
import re

from harness import ROOT, compile_text, params, timeout
from test_examples import load

with open(os.path.join(ROOT, "tests", "bench", "store.c")) as f:
    STORE = f.read()

ONE = 'at "//take":when(function(h) return h.var.q.count > 2 end)\n'
SIX = """at "//take":when(function(h)
	local q = h.var.q
	return q.a.x + q.b.x + q.c.x + q.d.x + q.e.x + q.f.x == 6
end)
"""
SCRIPTS = {
    "one": ONE,
    "six": SIX,
    "gate-type": """local Full = Gate.type "Full"
function Full:ready(h) return h.var.q.count > 2 end
at "//take":wait(Full "full")
""",
    "wait-until": """at "//take":run(function(h)
	wait_until(function() return h.var.q.count > 2 end)
end)
""",
    "global": 'at "//take":when(function() return program.var.queue.count > 2 end)\n',
    "eval": 'at "//take":when(function(h) return h:eval "q->count > 2 && queue == q" end)\n',
    "frame": """at "//take":when(function(h)
	return h:frame(1).func == "taker" and h:frame(1).var.arg ~= nil and h.var.q.count > 2
end)
""",
    "order": """local go = SimpleGate "go"
local asked
at "//take":when(function(h) return h.var.q.count > 2 end)
	:run(function(h) asked = true go:open() end):wait(go)
	:when(function(h) return asked and h.var.q.count > 2 end)
""",
    "chain": """at "//take":when(function(h)
	local n = h.var.q.head
	n = n and n.next
	return n and n.value == 3
end)
""",
    "stack": 'at "//take":when(function(h) return h.var.flag ~= 0 end)\n',
}
SLOW = ("--gate-limit", "50")  # where a busy machine may need more than the default
# script, who stores
KINDS = [("one", "thread"), ("six", "thread"), ("gate-type", "thread"), ("wait-until", "thread"),
         ("global", "thread"), ("eval", "thread"), ("frame", "thread"), ("order", "thread"),
         ("stack", "stack"), ("chain", "relink"),
         *[(s, w) for w in ("new-thread", "many", "fork", "vfork", "clone-vm", "kernel", "atomic",
                            "wide", "handler", "steps") for s in ("one", "six")]]


def store(compiler="gcc", flags="-g -O2"):
    return compile_text("store.c", STORE, flags, compiler=compiler)


def rounds_of(t, r):
    """Microseconds from store to release in each round."""
    found = re.findall(r"^(-?[\d.]+) us, saw (\d+)$", r.stdout, re.M)
    t.check(r.stdout.endswith("end\n"), "the program did not come to its end", r)
    return [float(us) for us, _ in found], [int(n) for _, n in found]


@params(*KINDS)
@timeout(120)
def test_released(t, kind):
    """Every time, by whoever stores, and never before the store."""
    name, who = kind
    with load(t) as runs:
        for run in range(runs):
            r = t.run_gated(store(), SCRIPTS[name], args=(who,), report=run == 0,
                            leftover=run == 0)
            t.clean(r)
            us, saw = rounds_of(t, r)
            t.equal(len(us), 1, "rounds", r)
            t.check(us[0] > 0, "released before the store", r)
            t.equal(saw[0], 1 if who == "stack" else 30, "what was seen", r)


@params("gcc -O0", "gcc -O3", "clang -O0", "clang -O2")
def test_released_in_builds(t, options):
    compiler, level = options.split()
    for name, who in (("one", "thread"), ("six", "new-thread"), ("stack", "stack"),
                      ("chain", "relink")):
        r = t.clean(t.run_gated(store(compiler, "-g " + level), SCRIPTS[name], args=(who, 3)))
        t.equal(len(rounds_of(t, r)[0]), 3, "rounds", r)


@params("one", "six")
def test_released_soon(t, name):
    """Within 5 ms of the store, as the median of 50 rounds; the bench has the figures."""
    r = t.clean(t.run_gated(store(), SCRIPTS[name], args=("thread", 50)))
    us = sorted(rounds_of(t, r)[0])
    t.check(us[25] < 5000, "the median is %.1f us" % us[25], r)


@params("one", "six", "gate-type", "wait-until")
@timeout(120)
def test_races(t, name):
    """The store comes before, while and after the thread arrives: it is released anyway."""
    with load(t) as runs:
        rounds = max(runs, 1000)
        r = t.clean(t.run_gated(store(), SCRIPTS[name], args=("race", rounds), seconds=300,
                                report=False))
        t.equal(rounds_of(t, r)[1], [30] * rounds, "what was seen", r)


def test_repeat(t):
    r = t.run_gated(store(), ONE, args=("thread",), options=("--repeat", "50"))
    t.equal(r.status, 0, "status", r)
    t.equal(len(re.findall(r"saw 30", r.stdout)), 50, "runs", r)


# ---- nobody stores -----------------------------------------------------------------------------

NOBODY = r"""
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
struct cell { volatile long x; long far[15]; };
static struct queue { volatile long count; struct cell a, b, c, d, e, f; } queue;
static void *taker(void *arg)
{
	struct queue *q = arg;
	long n = q->count; /* gate: take */
	printf("%ld\n", n);
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t t;
	pthread_create(&t, NULL, taker, &queue);
	if (argc > 1 && strcmp(argv[1], "sleep") == 0)
		sleep(30);
	if (argc > 1 && strcmp(argv[1], "spin") == 0)
		for (;;)
			queue.count = (queue.count + 1) % 3;
	pthread_join(t, NULL);
	return 0;
}
"""


# Does this machine's processor report a store? Asked without gatectl, whose own answer this is a witness of.
WITNESS = r"""
#include <signal.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile long word;
int main(void)
{
	int status;
	pid_t pid = fork();
	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		word = 1;
		_exit(0);
	}
	waitpid(pid, &status, 0);
	if (ptrace(PTRACE_POKEUSER, pid, offsetof(struct user, u_debugreg[0]), &word) < 0 ||
	    ptrace(PTRACE_POKEUSER, pid, offsetof(struct user, u_debugreg[7]), 0xd0001L) < 0)
		return 1;
	ptrace(PTRACE_CONT, pid, 0, 0);
	waitpid(pid, &status, 0);
	return !WIFSTOPPED(status);
}
"""


def has_debug_registers(t):
    return t.run([compile_text("witness.c", WITNESS)]).status == 0


def says_so(t, r, many):
    """That it is only looked at: where it reads too many words, or on a machine without debug registers."""
    none = not has_debug_registers(t)
    t.check(none or "there are no debug registers" not in r.err, "there are some", r)
    looks = many or (none and "there are no debug registers" in r.err)
    t.equal("are polled" in r.err, looks, "'are polled' is said", r)


@params("one", "six")
def test_no_thread_stores_deadlock(t, name):
    r = t.run_gated(compile_text("nobody.c", NOBODY), SCRIPTS[name])
    t.verdict(r, 122)
    t.check(re.search(r"taker#1.*held.*function.*//take", r.err), "the condition is not named", r)
    says_so(t, r, name == "six")
    t.check(r.spent < 5, "took %.1f s" % r.spent, r)


@params(("one", "sleep"), ("six", "sleep"), ("one", "spin"), ("six", "spin"))
def test_no_thread_stores_limit(t, case):
    name, what = case
    r = t.run_gated(compile_text("nobody.c", NOBODY), SCRIPTS[name], args=(what,),
                    options=("--gate-limit", "1"))
    t.verdict(r, 121)
    t.check(re.search(r"taker#1.*held.*function.*//take", r.err), "the condition is not named", r)
    says_so(t, r, name == "six")
    t.check(r.seconds > 0.9 and r.spent < 5, "took %.1f s" % r.seconds, r)


# ---- the others notice nothing -----------------------------------------------------------------

BLOCKED = r"""
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
enum { MS = 300 };
static int quiet[2], late[2], pair[2], epoll, sem, queue_id;
static volatile int round_no, over, handled;
static volatile long count;
static sem_t never;
static pthread_barrier_t begin;
static const struct timespec ms = {0, MS * 1000000};
static long long now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ll + t.tv_nsec / 1000000;
}
static int r_epoll(void) { struct epoll_event e; return epoll_wait(epoll, &e, 1, MS); }
static int r_poll(void) { struct pollfd p = {quiet[0], POLLIN, 0}; return poll(&p, 1, MS); }
static int r_ppoll(void) { struct pollfd p = {quiet[0], POLLIN, 0}; return ppoll(&p, 1, &ms, NULL); }
static int r_select(void)
{
	fd_set s;
	struct timeval t = {0, MS * 1000};
	FD_ZERO(&s);
	FD_SET(quiet[0], &s);
	return select(quiet[0] + 1, &s, NULL, NULL, &t);
}
static int r_nanosleep(void) { return nanosleep(&ms, NULL); }
static int r_usleep(void) { return usleep(MS * 1000); }
static int r_clock(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_nsec += MS * 1000000;
	if (t.tv_nsec >= 1000000000) { t.tv_sec++; t.tv_nsec -= 1000000000; }
	return errno = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}
static int r_sigtimedwait(void)
{
	sigset_t s;
	sigemptyset(&s);
	sigaddset(&s, SIGUSR2);
	return sigtimedwait(&s, NULL, &ms);
}
static int r_semop(void)
{
	struct sembuf b = {0, -1, 0};
	return semtimedop(sem, &b, 1, &ms);
}
static int r_futex(void)
{
	static int word;
	return syscall(SYS_futex, &word, FUTEX_WAIT, 0, &ms, NULL, 0);
}
static int r_sem(void)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_nsec += MS * 1000000;
	if (t.tv_nsec >= 1000000000) { t.tv_sec++; t.tv_nsec -= 1000000000; }
	return sem_timedwait(&never, &t);
}
static int r_recv(void) { char c; return recv(pair[0], &c, 1, 0); }
static struct timed { const char *name; int (*run)(void); int error; } timed[] = {
	{"epoll_wait", r_epoll, 0}, {"poll", r_poll, 0}, {"ppoll", r_ppoll, 0}, {"select", r_select, 0},
	{"nanosleep", r_nanosleep, 0}, {"usleep", r_usleep, 0}, {"clock_nanosleep", r_clock, 0},
	{"sigtimedwait", r_sigtimedwait, EAGAIN}, {"semtimedop", r_semop, EAGAIN},
	{"futex", r_futex, ETIMEDOUT}, {"sem_timedwait", r_sem, ETIMEDOUT}, {"recv", r_recv, EAGAIN},
};
static long long wall(void) { struct timespec t; clock_gettime(CLOCK_REALTIME, &t); return t.tv_sec * 1000LL + t.tv_nsec / 1000000; }
static void *run_timed(void *arg)
{
	const struct timed *w = arg;
	static char lines[32][200];
	char *line = lines[w - timed];
	pthread_barrier_wait(&begin);
	sprintf(line, "%s ok\n", w->name);
	while (!over) {
		long long from = now(), set = wall();
		int r, e, round = round_no;
		errno = 0;
		r = w->run();
		e = errno;
		from = now() - from;
		set = wall() - set; /* sem_timedwait ends early by the other clock if this one is set forward */
		from = set > from ? set : from;
		round = round_no - round; /* 15 of 20 ms, fewer on a busy machine; all, if it began anew in each */
		if (r > 0 || e != w->error || (e && r != -1 && r != e) || from < MS - 2 || round > 50)
			sprintf(line, "%s gave %d, %s, after %lld ms and %d rounds\n", w->name, r, strerror(e), from, round);
	}
	return line;
}
static void on_usr1(int sig) { handled += sig != 0; }
static int f_read(void) { char c; return read(late[0], &c, 1) == 1; }
static int f_epoll(void) { struct epoll_event e; return epoll_wait(epoll, &e, 1, -1) == 1; }
static int f_semop(void) { struct sembuf b = {0, -1, 0}; return semop(sem, &b, 1) == 0; }
static int f_msgrcv(void)
{
	struct { long type; char c; } m;
	return msgrcv(queue_id, &m, 1, 0, 0) == 1;
}
static int f_sigwait(void)
{
	sigset_t s;
	sigemptyset(&s);
	sigaddset(&s, SIGUSR2);
	return sigwaitinfo(&s, NULL) == SIGUSR2;
}
static int f_pause(void)
{
	int r = pause();
	return r == -1 && errno == EINTR && handled == 1;
}
static int f_accept(void) { char c; return recv(pair[1], &c, 1, 0) == 1; }
static struct forever { const char *name; int (*run)(void); pthread_t thread; } forever[] = {
	{"read", f_read}, {"epoll for ever", f_epoll}, {"semop", f_semop}, {"msgrcv", f_msgrcv},
	{"sigwaitinfo", f_sigwait}, {"pause", f_pause}, {"recv for ever", f_accept},
};
static void *run_forever(void *arg)
{
	struct forever *w = arg;
	static char lines[32][200];
	char *line = lines[w - forever];
	sigset_t s;
	sigemptyset(&s);
	sigaddset(&s, SIGUSR1);
	if (w->run == f_pause)
		pthread_sigmask(SIG_UNBLOCK, &s, NULL);
	pthread_barrier_wait(&begin);
	errno = 0;
	sprintf(line, "%s %s\n", w->name, w->run() ? "ok" : strerror(errno));
	if (!over)
		strcat(line, "came back early\n");
	return line;
}
static void *taker(void *arg)
{
	for (int i = 1; i <= 100; i++) {
		round_no = i;
		if (count < i) { /* gate: take */
			round_no = 100;
			return arg;
		}
		usleep(10000);
	}
	return NULL;
}
static void *storer(void *arg)
{
	while (count < 100) {
		int n = round_no;
		usleep(10000);
		count = n;
	}
	return arg;
}
int main(void)
{
	enum { T = sizeof(timed) / sizeof(*timed), F = sizeof(forever) / sizeof(*forever) };
	struct timeval limit = {0, MS * 1000};
	struct epoll_event e = {.events = EPOLLIN};
	struct { long type; char c; } m = {1, 'x'};
	struct sembuf up = {0, 1, 0};
	pthread_t t[T], a, b;
	sigset_t set;
	void *line;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	signal(SIGUSR1, on_usr1);
	pipe(quiet);
	pipe(late);
	socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	epoll = epoll_create1(0);
	epoll_ctl(epoll, EPOLL_CTL_ADD, quiet[0], &e);
	sem = semget(IPC_PRIVATE, 1, 0600);
	queue_id = msgget(IPC_PRIVATE, 0600);
	sem_init(&never, 0, 0);
	pthread_barrier_init(&begin, NULL, T + F + 1);
	for (int i = 0; i < T; i++)
		pthread_create(&t[i], NULL, run_timed, &timed[i]);
	for (int i = 0; i < F; i++)
		pthread_create(&forever[i].thread, NULL, run_forever, &forever[i]);
	pthread_barrier_wait(&begin);
	pthread_create(&a, NULL, taker, &a);
	pthread_create(&b, NULL, storer, NULL);
	pthread_join(a, &line);
	puts(line ? "released too early" : "100 rounds");
	pthread_join(b, NULL);
	over = 1;
	for (int i = 0; i < T; i++) {
		pthread_join(t[i], &line);
		fputs(line, stdout);
	}
	write(late[1], "x", 1);
	write(quiet[1], "x", 1);
	write(pair[0], "x", 1);
	semop(sem, &up, 1);
	msgsnd(queue_id, &m, 1, 0);
	for (int i = 0; i < F; i++) {
		if (forever[i].run == f_sigwait)
			pthread_kill(forever[i].thread, SIGUSR2);
		if (forever[i].run == f_pause)
			pthread_kill(forever[i].thread, SIGUSR1);
		pthread_join(forever[i].thread, &line);
		fputs(line, stdout);
	}
	semctl(sem, 0, IPC_RMID);
	msgctl(queue_id, IPC_RMID, NULL);
	return 0;
}
"""


@params("watched", "looked")
def test_blocked_threads_notice_nothing(t, how):
    """Watches set and cleared 100 times: no EINTR, and time-outs are kept."""
    program = compile_text("blocked.c", BLOCKED)
    reads = "program.var.count >= h.var.i"
    if how == "looked":
        reads += "".join(" and program.var.timed[%d].error >= 0" % i for i in range(0, 12, 2))
    r = t.run_gated(program, 'at "//take":when(function(h) return %s end)\n' % reads)
    t.clean(r)
    t.arrivals(r, "//take", 100)
    wrong = [l for l in r.stdout.splitlines() if not l.endswith(" ok") and l != "100 rounds"]
    t.equal(wrong, [], "calls that noticed something", r)
    t.equal(len(r.stdout.splitlines()), 20, "lines", r)


HOT = r"""
#include <pthread.h>
#include <stdio.h>
static volatile long count, half;
static volatile int stop;
static void *taker(void *arg)
{
	long n = count; /* gate: take */
	return (void *)n;
}
static void *adder(void *arg)
{
	for (int i = 0; i < 50000; i++)
		if (arg)
			__atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
		else
			__asm__ volatile("lock incq %0" : "+m"(count));
	return arg;
}
int main(void)
{
	pthread_t t, a, b;
	void *n;
	pthread_create(&a, NULL, adder, &a);
	pthread_create(&b, NULL, adder, NULL);
	pthread_create(&t, NULL, taker, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	pthread_join(t, &n);
	printf("%ld\n", count);
	return 0;
}
"""


@timeout(120)
def test_hot_counter(t):
    """100,000 stores into a watched word: every one is made, once."""
    program = compile_text("hot.c", HOT)
    bare = t.run_bare(program)
    r = t.clean(t.run_gated(program, seconds=100, script='at("//take"):when(function()'
                            ' return program.var.count == 100000 end)\n'))
    t.equal(r.out, bare.out, "stdout", r)
    t.equal(bare.stdout, "100000\n", "stdout", bare)


TRAPS = r"""
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
static volatile long count;
static volatile int raised, int3s, steps, other, alarms, usr1;
static void on_trap(int sig, siginfo_t *info, void *context)
{
	ucontext_t *u = context;
	if (info->si_code == SI_TKILL)
		raised++;
	else if (info->si_code == SI_KERNEL)
		int3s++;
	else if (info->si_code == TRAP_TRACE)
		steps += u->uc_mcontext.gregs[REG_EFL] != 0;
	else
		other++;
	count++;
}
static void on_alarm(int sig) { count++, alarms++; }
static void on_usr1(int sig) { count++, usr1++; }
static void *taker(void *arg)
{
	long n = count; /* gate: take */
	return arg;
}
int main(void)
{
	struct sigaction a = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
	struct itimerval timer = {{0, 3000}, {0, 3000}}, stop = {{0}};
	pthread_t t;
	sigaction(SIGTRAP, &a, NULL);
	signal(SIGALRM, on_alarm);
	signal(SIGUSR1, on_usr1);
	pthread_create(&t, NULL, taker, NULL);
	usleep(30000);
	setitimer(ITIMER_REAL, &timer, NULL);
	for (int i = 0; i < 300; i++) {
		raise(SIGTRAP);
		__asm__ volatile("int3");
		__asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq; nop; nop; pushfq; andq $~0x100, (%%rsp); popfq" ::: "memory", "cc");
		raise(SIGUSR1);
		count++;
	}
	setitimer(ITIMER_REAL, &stop, NULL);
	printf("%d %d %d %d %d %s\n", raised, int3s, steps, other, usr1, alarms ? "alarms" : "no alarms");
	count = 1000000;
	pthread_join(t, NULL);
	return 0;
}
"""


@params("watched", "looked")
def test_own_traps_and_signals(t, how):
    program = compile_text("traps.c", TRAPS, "-g -O0")
    bare = t.run_bare(program)
    reads = "return v.count >= 1000000"
    if how == "looked":
        reads = "local n = v.raised + v.int3s + v.steps + v.other + v.usr1 " + reads
    r = t.run_gated(program, 'at "//take":when(function() local v = program.var %s end)\n' % reads,
                    options=SLOW)
    t.clean(r)
    t.equal(r.out, bare.out, "stdout", r)
    t.check(bare.stdout.startswith("300 300 "), "bare", bare)


CHILDREN = r"""
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile long count, children;
static volatile int released;
static void *taker(void *arg)
{
	long n = count; /* gate: take */
	released = 1;
	return arg;
}
static void *idle(void *arg)
{
	count += 0;
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t t, u;
	int status, wrong = 0;
	pthread_create(&t, NULL, taker, NULL);
	usleep(20000);
	for (int i = 0; i < 12; i++) {
		pid_t pid = i % 2 ? fork() : vfork();
		if (pid == 0) {
			if (i % 2)
				count = 7; /* its own copy */
			if (i % 4 < 2)
				execl("/bin/true", "true", NULL);
			_exit(0);
		}
		waitpid(pid, &status, 0);
		wrong += status != 0;
		pthread_create(&u, NULL, idle, NULL);
		pthread_join(u, NULL);
		children++;
	}
	printf("%ld children, %d wrong, released %d, count %ld\n", children, wrong, released, count);
	fflush(stdout);
	if (argc > 1) {
		char *less[] = {argv[0], strcmp(argv[1], "twice") ? NULL : "once", NULL};
		execv(argv[0], less);
	}
	count = 5;
	pthread_join(t, NULL);
	puts("end");
	return 0;
}
"""


@params((), ("once",), ("twice",))
def test_fork_and_exec(t, args):
    """Children are born without watches on their copies; a new program starts without any."""
    r = t.clean(t.run_gated(compile_text("children.c", CHILDREN), args=args, options=SLOW,
                            script='at "//take":when(function(h)'
                            ' return program.var.count == 5 end)\n'))
    line = "12 children, 0 wrong, released 0, count 0\n"
    t.equal(r.stdout, line * (1 + {(): 0, ("once",): 1, ("twice",): 2}[args]) + "end\n",
            "stdout", r)


OWN_MEMORY = r"""
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile long count;
static void work(const char *who)
{
	long n = count; /* gate: take */
	printf("%s saw %ld\n", who, n);
	fflush(stdout);
}
static void *in_thread(void *arg)
{
	work(arg);
	return arg;
}
static void both(const char *who, long n)
{
	pthread_t t;
	pthread_create(&t, NULL, in_thread, (void *)who);
	usleep(30000);
	count = n;
	pthread_join(t, NULL);
}
int main(void)
{
	int status;
	pid_t pid = fork();
	if (pid == 0) {
		both("child", 4);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	printf("count %ld\n", count);
	fflush(stdout);
	both("parent", 3);
	return 0;
}
"""


def test_each_process_its_own(t):
    """What is watched is the word of the process that is held there."""
    r = t.clean(t.run_gated(compile_text("own_memory.c", OWN_MEMORY),
                            'at "//take":when(function(h) return h:eval "count > 2" end)\n'))
    t.equal(r.stdout, "child saw 4\ncount 0\nparent saw 3\n", "stdout", r)


CROWD = r"""
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static volatile long turn;
static volatile int order[100], done;
static void *one(void *arg)
{
	long mine = (long)arg;
	order[done++] = mine; /* gate: mine */
	turn++;
	return NULL;
}
int main(void)
{
	pthread_t t[100];
	for (long i = 0; i < 100; i++)
		pthread_create(&t[i], NULL, one, (void *)(99 - i));
	for (int i = 0; i < 100; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < 100; i++)
		if (order[i] != i)
			return printf("%d: %d\n", i, order[i]), 1;
	puts("in turn");
	return 0;
}
"""


@timeout(120)
def test_crowd_in_turn(t):
    """100 threads held by one word, each released by the store of the one before it: no gate is
    between the store and the release."""
    r = t.clean(t.run_gated(compile_text("crowd.c", CROWD), seconds=100, options=SLOW,
                            script='at "//mine":when(function(h)'
                            ' return program.var.turn == h.var.mine end)\n'))
    t.equal(r.stdout, "in turn\n", "stdout", r)


THREAD_LOCAL = r"""
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static __thread volatile long mine;
static volatile long *volatile theirs;
static void *taker(void *arg)
{
	theirs = &mine;
	long n = mine; /* gate: take */
	printf("saw %ld\n", n);
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, taker, NULL);
	usleep(30000);
	mine = 3;
	usleep(30000);
	*theirs = 4;
	pthread_join(t, NULL);
	return 0;
}
"""


def test_thread_local(t):
    r = t.clean(t.run_gated(compile_text("thread_local.c", THREAD_LOCAL),
                            'at "//take":when(function(h) return h.var.mine > 2 end)\n'))
    t.equal(r.stdout, "saw 4\n", "stdout", r)


FAULTY = r"""
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
struct node { struct node *next; long value; };
static struct node last = {0, 7};
static struct node *volatile head = &last;
static void *taker(void *arg)
{
	struct node *n = head; /* gate: take */
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, taker, NULL);
	usleep(30000);
	head = (struct node *)0x1234;
	pthread_join(t, NULL);
	puts("end");
	return 0;
}
"""


def test_fault_when_asked_again(t):
    """What cannot be read when it is asked again is a fault of the script, with its line."""
    r = t.run_gated(compile_text("faulty.c", FAULTY),
                    'at "//take":when(function(h)\n\treturn program.var.head.value == 8\nend)\n')
    t.error(r, 125, r"gates1\.lua:2: .*0x123[48c]")
    r = t.run_gated(compile_text("faulty.c", FAULTY),
                    'at "//take":when(function(h)\n\treturn not pcall(function()'
                    ' return program.var.head.value == 8 end)\nend)\n')
    t.clean(r)
