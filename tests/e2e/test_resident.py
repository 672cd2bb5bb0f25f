"""Arrivals without consequence are decided inside the program: each is counted once, and nobody notices."""

import os
import re
import shutil

from harness import compile_text, params, wait_until

HEAD = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
static volatile int x, done;
#ifndef SHORT /* the first instruction of the line has ten bytes; else it has three or four, and the next ones move along */
#define LINE x = 0x12345
#else
#define LINE y += i
#endif
static __attribute__((noinline)) void *work(void *rounds)
{
	long y = 0;
	for (long i = (long)rounds; i; i--) {
		LINE; /* gate: hot */
		__asm__ volatile("");
	}
	if (y && y != (long)rounds * ((long)rounds + 1) / 2)
		abort();
	return NULL;
}
"""

HAMMER = HEAD + r"""
extern char __executable_start, etext;
static volatile long some = 1000;
static volatile int signals, strange, begun; /* signals come when all have passed the line for long enough */
static volatile long passed, sent, last = -1; /* rounds of all; signals; after how many rounds none is sent */
static volatile __thread int inside;
static void on_alarm(int signal, siginfo_t *info, void *context)
{
	char *pc = (char *)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];

	(void)signal, (void)info;
	signals++;
	if (inside && (pc < &__executable_start || pc >= &etext))
		strange = 1;
}
static void *forker(void *arg)
{
	while (!done) {
		pid_t pid = fork();
		if (!pid) {
			execl("/bin/true", "true", (char *)NULL);
			_exit(1);
		}
		waitpid(pid, NULL, 0);
	}
	return arg;
}
static void *worker(void *rounds)
{
	work((void *)some);
	__atomic_fetch_add(&begun, 1, __ATOMIC_SEQ_CST);
	while (begun < 3)
		;
	for (long left = (long)rounds - some; left; left -= some) {
		long seen = sent;

		inside = 1;
		work((void *)some);
		inside = 0;
		__atomic_fetch_add(&passed, 1, __ATOMIC_SEQ_CST);
		while (sent == seen && passed < last)
			sched_yield();
	}
	return NULL;
}
/* One each time that somebody has come further: a timer leaves no time for the program where a signal takes longer than its
 * period, as it may under ptrace. */
static void signal_all_along(void)
{
	while (passed < last) {
		long before = passed;

		for (volatile int i = sent * 37 % 4001; i; i--)
			;
		kill(getpid(), SIGALRM);
		sent++;
		while ((signals < sent || passed == before) && passed < last)
			sched_yield();
	}
}
int main(int argc, char **argv)
{
	pthread_t t[2], f;
	long n = atol(argv[1]);
	struct sigaction sa = {.sa_sigaction = on_alarm, .sa_flags = SA_RESTART | SA_SIGINFO};
	sigset_t set, all;

	sigaction(SIGALRM, &sa, NULL);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &set);
	if (strstr(argv[2], "fork"))
		pthread_create(&f, NULL, forker, NULL);
	pthread_sigmask(SIG_SETMASK, &set, NULL);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, worker, (void *)n);
	pthread_sigmask(SIG_BLOCK, &all, &set);
	while (begun < 2)
		;
	if (strstr(argv[2], "signals"))
		last = 2 * (n / some - 1);
	begun++;
	signal_all_along();
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	done = 1;
	if (strstr(argv[2], "fork"))
		pthread_join(f, NULL);
	printf("%d signals\n", signals);
	return strange ? 3 : 0;
}
"""

LAST = 'at("//hot", {%s hit = %d}):run(function(hit) assert(hit.count == %d) print "last" end)\n'


def last(t, program, n, *args, more="", **kw):
    """The n-th arrival acts, and it is the last one."""
    r = t.run_gated(program, LAST % (more, n, n), args, report=False, **kw)
    t.equal(r.err, "last\n", "what the script prints", r)
    t.equal(r.status, 0, "status", r)
    return r


def all_of(t, program, n, *args, more="", **kw):
    """There are n arrivals, of which many were decided inside; how many."""
    r = t.run_gated(program, LAST % (more, n + 10**6, 0), args, report=False, **kw)
    t.verdict(r, 120)
    t.check("arrived at only %d times" % n in r.err, "it was arrived at %d times" % n, r)
    m = re.search(r"(\d+) of them decided inside the program", r.err)
    return int(m.group(1)) if m else 0


def hammered(t, build, mode, n, more=""):
    compiler, options = build.split(" ", 1)
    program = compile_text("resident.c", HAMMER, "-g " + options + " -fno-unroll-loops", compiler=compiler)
    last(t, program, 2 * n, str(n), mode, more=more)
    t.check(all_of(t, program, 2 * n, str(n), mode, more=more) > n, "most are decided inside")


@params(*(compiler + " " + opt + short for compiler in ("gcc", "clang") for opt in ("-O0", "-O2") for short in ("", " -DSHORT")))
def test_two_threads(t, build):
    """Two threads: all arrivals are counted, also with signals one after the other and a thread that forks and execs."""
    times = 50 if t.full else 1
    for mode in ("", "signals", "fork", "signals fork") * times:
        hammered(t, build, mode, 200000)


@params(*(compiler + " " + opt + short for compiler, opt in (("gcc", "-O0"), ("clang", "-O2")) for short in ("", " -DSHORT")))
def test_after(t, build):
    """The same when the line has been executed."""
    times = 50 if t.full else 1
    for mode in ("", "signals fork") * times:
        hammered(t, build, mode, 200000, "after = true,")


ONE = 'at("//hot", {thread = "%s", hit = %d}):run(function(hit) assert(hit.count == %d) print(hit.thread.id) end)\n'


def only(t, program, one, n, *args, **kw):
    """One thread arrives n times, whoever else comes by."""
    r = t.run_gated(program, ONE % (one, n, n), args, report=False, **kw)
    t.equal(r.err, one + "\n", "what the script prints", r)
    t.equal(r.status, 0, "status", r)
    r = t.run_gated(program, ONE % (one, n + 1, n + 1), args, report=False, **kw)
    t.verdict(r, 120)
    t.check("it was arrived at only %d times, by %s " % (n, one) in r.first, "its first line", r)


def others(t, program, times, *args, **kw):
    """Nobody arrives, and each that has come by is counted."""
    r = t.run_gated(program, ONE % ("nobody#1", 1, 1), args, report=False, **kw)
    t.verdict(r, 120)
    t.equal(sum(map(int, re.findall(r"\((\d+) times\)", r.first))), times, "threads have come by, as its first line says", r)


@params(*(compiler + " " + opt + short for compiler in ("gcc", "clang") for opt in ("-O0", "-O2") for short in ("", " -DSHORT")))
def test_for_one_thread(t, build):
    compiler, flags = build.split(" ", 1)
    program = compile_text("hammer.c", HAMMER, "-g " + flags, compiler)
    for mode in ("alone", "signals", "fork", "signals fork"):
        for _ in range(10 if t.full else 1):
            n = 200000 if t.full else 10000
            only(t, program, "worker#1", n // 10, str(n // 10), mode)
            others(t, program, 2 * n, str(n), mode)


SEQUENCE = HEAD + r"""
static void *worker(void *rounds)
{
	return work(rounds);
}
int main(int argc, char **argv)
{
	pthread_t t;
	for (int i = 0; i < 4; i++) {
		if (i == 3 && fork()) {
			wait(NULL);
			break;
		}
		pthread_create(&t, NULL, worker, (void *)atol(argv[1]));
		pthread_join(t, NULL);
	}
	return 0;
}
"""


def test_threads_that_are_alike(t):
    """Each has the memory, and so the FS, of the one before."""
    program = compile_text("sequence.c", SEQUENCE, "-g -O1")
    for one in ("worker#1", "worker#2", "worker#3", "p1/worker#1"):
        only(t, program, one, 5000, "5000")
    others(t, program, 20000, "5000")


LATE = HEAD + r"""
static volatile int go;
static char stack[65536];
static void *worker(void *rounds)
{
	while (!go)
		sched_yield();
	return work(rounds);
}
static int child(void *rounds)
{
	work(rounds);
	_exit(0);
}
static void *other(void *rounds)
{
	return work(rounds);
}
int main(int argc, char **argv)
{
	void *rounds = (void *)atol(argv[1]);
	pthread_t t;

	pthread_create(&t, NULL, worker, rounds);
	if (argc > 2)
		go = 1;
	else
		waitpid(clone(child, stack + sizeof(stack), CLONE_VM | SIGCHLD, rounds), NULL, 0);
	go = 1;
	pthread_join(t, NULL);
	for (int i = 0; argc > 2 && i < 50; i++) {
		pthread_create(&t, NULL, other, rounds);
		pthread_join(t, NULL);
	}
	return 0;
}
"""


def test_two_processes_of_one_memory(t):
    """The line is hot in the one that does not have the thread."""
    only(t, compile_text("late.c", LATE, "-g -O1"), "worker#1", 300, "300")


def test_more_threads_than_have_names(t):
    others(t, compile_text("late.c", LATE, "-g -O1"), 51 * 100, "100", "others")


def test_all_threads_have_its_name(t):
    """The kernel calls each as the file."""
    program = os.path.join(t.tmp, "worker#1")
    shutil.copy(compile_text("hammer.c", HAMMER, "-g -O1"), program)
    text = 'at("//hot", {thread = "worker#1", hit = 8000}):run(function(hit) print(hit.count) end)\n'
    r = t.run_gated(program, text, ["4000", "alone"], report=False)
    t.equal(r.err, "8000\n", "what the script prints", r)


def test_many_for_one_thread(t):
    """Several places at one line, for one thread, another one, all."""
    program = compile_text("hammer.c", HAMMER, "-g -O1")
    text = "".join('at("//hot", {%s}):run(function(hit) c = c + 1 end)\n' % options for options in
                   ('thread = "worker#1", hit = 3000', 'thread = "worker#2", hit = 5000', "hit = 10000", 'thread = "worker#1", hit = 5000'))
    r = t.run_gated(program, "local c = 0\n" + text + "expect(function() return c == 4 end, 'all')\n", ["5000", "alone"], report=False)
    t.equal(r.status, 0, "status", r)


def test_no_resident(t):
    """With --no-resident each of them ends in gatectl, and so it is where each is told."""
    program = compile_text("resident.c", HAMMER, "-g -O1")
    t.equal(all_of(t, program, 4000, "2000", "", options=["--no-resident"]), 0, "arrivals decided inside")
    t.equal(all_of(t, program, 4000, "2000", "", options=["-v"]), 0, "arrivals decided inside with -v")


def test_several_sites_and_places(t):
    """Two places with other numbers at one line, of which there are two copies: the numbers are exact."""
    program = compile_text("copies.c", HEAD + r"""
static inline __attribute__((always_inline)) void both(int k)
{
	x = 0x12345 + k; /* gate: both */
	__asm__ volatile("");
}
int main(void)
{
	for (int i = 0; i < 50000; i++) {
		both(1);
		both(2);
		if (i & 1)
			both(3);
	}
	return 0;
}
""", "-g -O1")
    r = t.run_gated(program, '''
at("//both", {hit = 100001}):run(function(hit) print("a", hit.count) end)
at("//both", {hit = {60000, 60001}}):run(function(hit) print("b", hit.count) end)
at("//both", {hit = 125001}):run(function(hit) end)
''', report=False)
    t.verdict(r, 120)
    t.equal(r.err.split("gatectl:")[0].split("\n")[:3], ["b\t60000", "b\t60001", "a\t100001"], "what the script prints", r)
    t.check("arrived at only 125000 times" in r.err, "125000 arrivals", r)


@params("", "-static")
def test_children(t, static):
    """Forked children have the same count; what they exec has one of its own, of the same place."""
    program = compile_text("family.c", HEAD + r"""
int main(int argc, char **argv)
{
	work((void *)50000);
	for (int i = 0; i < 4 && argc == 1; i++)
		if (!fork()) {
			work((void *)25000);
			if (i == 3)
				execl("/proc/self/exe", "family", "again", (char *)NULL);
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
	return 0;
}
""", "-g -O1 " + static)
    t.check(all_of(t, program, 200000) > 150000, "most are decided inside")
    last(t, program, 200000)


def test_unfollowed_children(t):
    """Children that are not followed have the program's own bytes, and do not count."""
    program = compile_text("unfollowed.c", HEAD + r"""
int main(void)
{
	int status = 0;
	work((void *)50000);
	if (!fork()) {
		uint8_t *code = (uint8_t *)work;
		int found = 0;
		work((void *)50000);
		for (int i = 0; i < 64; i++) /* the number that the line stores */
			found |= !memcmp(code + i, "\x45\x23\x01", 3);
		_exit(found);
	}
	wait(&status);
	work((void *)50000);
	return WEXITSTATUS(status) == 1 ? 0 : 9;
}
""", "-g -O1")
    r = t.run_gated(program, LAST % ("", 100000, 100000), report=False, options=["--no-follow"])
    t.equal((r.status, r.err), (0, "last\n"), "status and what is printed", r)
    t.check(all_of(t, program, 100000, options=["--no-follow"]) > 90000, "most are decided inside")


def test_left_behind(t):
    """A child that is let go in the middle goes on as if nobody had been there."""
    path = t.path("left")
    program = compile_text("left.c", HEAD + r"""
int main(int argc, char **argv)
{
	work((void *)50000);
	if (!fork()) {
		FILE *out;
		while (getppid() != 1 && !done)
			work((void *)1000), done = kill(atoi(argv[2]), 0) < 0;
		work((void *)1000000);
		out = fopen(argv[1], "w");
		fprintf(out, "%d %d\n", x, !memmem((void *)work, 64, "\x45\x23\x01", 3));
		fclose(out);
		_exit(0);
	}
	usleep(20000);
	return 0;
}
""", "-g -O1")
    r = t.run_gated(program, 'at("//hot", {hit = 100000000, optional = true}):run(function() end)\n', (path, str(os.getpid())), report=False)
    t.equal(r.status, 0, "status", r)
    wait_until(lambda: os.path.exists(path) and open(path).read().endswith("\n"), "what the child writes")
    t.equal(open(path).read(), "%d 0\n" % 0x12345, "what the child has seen")


def test_fault_there(t):
    """The instruction at the jump faults: a handler sees its address, mends it and returns; it arrives once."""
    program = compile_text("fault.c", HEAD + r"""
static volatile int *at;
static char *page;
static int seen;
static void on_fault(int signal, siginfo_t *info, void *context)
{
	uint8_t *pc = (uint8_t *)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];

	(void)signal;
	seen += info->si_addr == page && pc >= (uint8_t *)work && pc < (uint8_t *)on_fault + 4096;
	mprotect(page, 4096, PROT_READ | PROT_WRITE);
}
int main(void)
{
	struct sigaction sa = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
	volatile int *p;

	sigaction(SIGSEGV, &sa, NULL);
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	at = (int *)page;
	p = at;
	for (int i = 0; i < 20000; i++) {
		if (i % 5000 == 4999)
			mprotect(page, 4096, PROT_NONE);
		*p = 0x12345; /* gate: store */
		__asm__ volatile("");
	}
	return seen == 4 ? 0 : 7;
}
""", "-g -O1")
    r = t.run_gated(program, LAST.replace("hot", "store") % ("", 20000, 20000), report=False)
    t.equal((r.status, r.err), (0, "last\n"), "status and what is printed", r)
    r = t.run_gated(program, LAST.replace("hot", "store") % ("", 10**6, 0), report=False)
    t.check("only 20000 times" in r.err and "decided inside" in r.err, "20000 arrivals", r)


def test_seccomp(t):
    """A program that forbids itself what would be needed keeps its traps."""
    program = compile_text("filter.c", HEAD + r"""
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
int main(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_memfd_create, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {4, code};

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return 77;
	work((void *)5000);
	return 0;
}
""", "-g -O1")
    t.equal(all_of(t, program, 5000), 0, "arrivals decided inside")


def test_own_bytes(t):
    """What a script reads there is the program's own; a function that it calls there does not count."""
    program = compile_text("bytes.c", HEAD + r"""
int again(void)
{
	work((void *)100);
	return x;
}
int main(void)
{
	work((void *)30000);
	x = 1; /* gate: look */
	work((void *)30000);
	return 0;
}
""", "-g -O1")
    script = '''
at "//look" :run(function(hit)
  local text = ""
  for i = 0, 47 do text = text .. string.format("%%02x", hit:eval("((unsigned char *)work)[" .. i .. "]")) end
  print(text)
  assert(hit:call("again") == 0x12345)
end)
at("//hot", {hit = %d}):run(function(hit) print("last") end)
'''
    seen = [t.run_gated(program, script % 60000, report=False, options=options) for options in ([], ["--no-resident"])]
    t.equal(seen[0].err, seen[1].err, "what is printed with and without", seen[0])
    t.check("452301" in seen[0].err and seen[0].err.endswith("last\n"), "the number that the line stores", seen[0])
    r = t.run_gated(program, script % 60001, report=False)
    t.check("only 60000 times" in r.err and "decided inside" in r.err, "60000 arrivals", r)


DIVERT = HEAD + r"""
#include <setjmp.h>
extern char preempted[];
/* As if it had been called where the signal came: it returns there by a return, which nobody can see. */
__asm__("preempted:\n\tpushfq\n\tpush %rax\n\tpop %rax\n\tpopfq\n\tret $128\n");
static volatile int signals, begun;
static sigjmp_buf out;
static volatile char *mode;
static void on_alarm(int signal, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)signal, (void)info;
	signals++;
	if (mode[0] == 'l')
		siglongjmp(out, 1);
	regs[REG_RSP] -= 128 + 8;
	*(greg_t *)regs[REG_RSP] = regs[REG_RIP];
	regs[REG_RIP] = (greg_t)preempted;
}
static void *ticker(void *worker)
{
	while (!done) {
		usleep(300);
		if (begun)
			pthread_kill(*(pthread_t *)worker, SIGALRM);
	}
	return NULL;
}
int main(int argc, char **argv)
{
	struct sigaction sa = {.sa_sigaction = on_alarm, .sa_flags = SA_RESTART | SA_SIGINFO};
	pthread_t self = pthread_self(), t;

	mode = argv[1];
	sigaction(SIGALRM, &sa, NULL);
	pthread_create(&t, NULL, ticker, &self);
	work((void *)1000);
	if (!sigsetjmp(out, 1) || signals < 50) {
		begun = 1;
		while (signals < 50)
			work((void *)100000);
	}
	done = 1;
	pthread_join(t, NULL);
	return 0;
}
"""


@params("", "-DSHORT")
def test_handler_elsewhere(t, short):
    """A handler that leaves by a longjmp, or has the thread go somewhere else and return from there by itself."""
    for compiler in ("gcc", "clang"):
        program = compile_text("divert.c", DIVERT, "-g -O1 -fno-unroll-loops " + short, compiler=compiler)
        for mode in ("longjmp", "return"):
            r = t.run_gated(program, 'at("//hot", {hit = 1000000000000, optional = true}):run(function() end)\n', (mode,), report=False)
            t.equal((r.status, r.err), (0, ""), "status and what is printed: " + mode, r)


EARLIER = HEAD.replace("LINE; /*", "LINE; if (meets && i == (long)rounds / 2) kill(getpid(), SIGUSR1); /*").replace("x, done", "x, done, meets, signals") + r"""
static void on_usr1(int signal)
{
	(void)signal;
	signals++;
}
int main(int argc, char **argv)
{
	(void)argv;
	signal(SIGUSR1, on_usr1);
	if (argc > 1) { /* in the line itself */
		meets = 1;
		work((void *)20);
		meets = 0;
	} else {
		raise(SIGUSR1);
	}
	work((void *)20000);
	return signals != 1;
}
"""


@params("", "x")
def test_handler_earlier(t, where):
    """A handler that is over before the line is hot has nothing to do with it."""
    program = compile_text("earlier.c", EARLIER, "-g -O0 -DSHORT")
    arrivals = 20020 if where else 20000
    r = t.run_gated(program, 'at("//hot", {hit = 10^6}):run(function(hit) end)\n', [where] if where else [])
    t.equal((r.status, r.report["places"][0]["arrivals"]), (120, arrivals), "status and arrivals", r)
    t.check("of them decided inside the program" in r.err and not r.report["places"][0]["trap"], "they are decided inside", r)


WAITS = HEAD + r"""
extern char first[];
static volatile int met, hot;
static char *page, *other, *volatile begins = first;
static void on_fault(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)info;
	if ((char *)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] != begins + 1)
		abort();
	met = 1;
	while (!hot)
		sched_yield();
	mprotect(page, 4096, PROT_READ | PROT_WRITE);
}
static __attribute__((noinline)) void store(char *there)
{
	__asm__ volatile("first: nop; incl (%0); nop; nop" : : "r"(there) : "memory"); /* gate: store */
}
static void *one(void *arg)
{
	store(page);
	return arg;
}
int main(void)
{
	struct sigaction sa = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
	pthread_t t;

	sigaction(SIGSEGV, &sa, NULL);
	page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	other = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_create(&t, NULL, one, NULL);
	while (!met)
		sched_yield();
	for (int i = 0; i < 3000; i++)
		store(other);
	hot = 1;
	pthread_join(t, NULL);
	return *(int *)page == 1 && *(int *)other == 3000 ? 0 : 7;
}
"""


def test_handler_waits(t):
    """A handler that is to go on in the middle of the line waits while others make it hot: no jump is put over it."""
    program = compile_text("waits.c", WAITS, "-g -O1 -pthread")
    r = t.run_gated(program, 'at("//store", {hit = 10^6, optional = true}):run(function() end)\n')
    t.equal((r.status, r.report["places"][0]["arrivals"]), (0, 3001), "status and arrivals", r)
    t.equal(r.report["places"][0]["trap"], "a signal's handler may return into its instructions", "the reason", r)


def test_fault_in_the_middle(t):
    """An instruction that was moved along faults: the handler sees where, and comes back there."""
    program = compile_text("middle.c", HEAD + r"""
extern char middle[];
static char *page;
static int seen;
static void on_fault(int signal, siginfo_t *info, void *context)
{
	char *pc = (char *)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];

	(void)signal;
	seen += info->si_addr == page && pc == middle;
	mprotect(page, 4096, PROT_READ | PROT_WRITE);
}
int main(void)
{
	struct sigaction sa = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};

	sigaction(SIGSEGV, &sa, NULL);
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (long i = 0; i < 20000; i++) {
		if (i % 5000 == 4999)
			mprotect(page, 4096, PROT_NONE);
		__asm__ volatile("nop; middle: incl (%0); nop; nop" : : "r"(page) : "memory"); /* gate: store */
	}
	return seen == 4 && *(int *)page == 20000 ? 0 : 7;
}
""", "-g -O1")
    r = t.run_gated(program, LAST.replace("hot", "store") % ("", 20000, 20000), report=False)
    t.equal((r.status, r.err), (0, "last\n"), "status and what is printed", r)
    r = t.run_gated(program, LAST.replace("hot", "store") % ("", 10**6, 0), report=False)
    t.check("only 20000 times" in r.err and "decided inside" in r.err, "20000 arrivals", r)


STAYS = HEAD + r"""
__attribute__((noinline)) static int hot(int k)
{
	int r = 0;
	for (int i = 0; i < 30000; i++) {
		%s
		__asm__ volatile("add $1, %%0; middle: add $2, %%0; nop; nop" : "+r"(r)); /* gate: line */
	}
	return r;
}
%s
int main(int argc, char **argv)
{
	(void)argv;
	return hot(argc) == 90000 ? 0 : 7;
}
"""


PARTS = {  # what stands before the line, and what else there is
    "jump": ("", 'void never(void);\n__asm__("never: jmp middle");'),
    "table": ('switch (k) { case 11: x++; case 12: x += 2; case 13: x *= 3; case 14: x -= 4; case 15: x ^= 5; case 16: x |= 6; }', ""),
    "section": ("", '__asm__(".pushsection .far, \\"ax\\"; jmp middle; .popsection");'),
    "pointer": ("", '__asm__(".pushsection .data.rel.ro, \\"aw\\"; .balign 8; .quad middle; .popsection");'),
    "data": ('__asm__ volatile("jmp 1f; .byte 0xb8; 1: nop; nop; nop; nop");', ""),
    "lock": ('__asm__ volatile("test %0, %0; js middle" : : "r"(i) : "cc");', ""),
    "call": ("", "static void nothing(void)\n{\n}"),
}
LINES = {
    "lock": '__asm__ volatile("lock; middle: addl $3, %0" : "+m"(r));',
    "call": '__asm__ volatile("push %%rax; call *%1; pop %%rax; add $3, %0" : "+r"(r) : "r"(nothing));',
}


@params(*PARTS)
def test_stays_a_trap(t, why):
    """Control may come into the middle: from elsewhere, by a table or a pointer, behind a prefix, where code is not to be told from data; or returns there. gatectl lines says so."""
    before, more = PARTS[why]
    source = STAYS % (before, "") + more if why != "call" else (STAYS % (before, "")).replace("static volatile int x", more + "\nstatic volatile int x", 1)
    if why in LINES:
        source = re.sub(r"__asm__ volatile\(\"add .*?;( /\* gate)", lambda m: LINES[why] + m.group(1), source)
    program = compile_text("stays.c", source, "-g -O2 -fno-unroll-loops -mno-red-zone")
    r = t.run_gated(program, 'at("//line", {hit = 30000}):run(function(hit) print "last" end)\n', report=False)
    t.equal((r.status, r.err), (0, "last\n"), "status and what is printed", r)
    r = t.run_gated(program, 'at("//line", {hit = 10^6}):run(function() end)\n')
    t.check("only 30000 times" in r.err and "decided inside" not in r.err, "30000 arrivals, all reported", r)
    t.check(r.report["places"][0]["trap"].startswith("a jump"), "the reason, in the report", r)
    r = t.gate("lines", program, "//line")
    t.check("every arrival is a trap: a jump" in r.stdout, "the reason", r)


def test_handler_skips(t):
    """The first instruction faults, and the handler has the program go on behind it: in the middle of the jump."""
    program = compile_text("skip.c", HEAD + r"""
extern char first[];
static char *page;
static int seen;
static void on_fault(int signal, siginfo_t *info, void *context)
{
	greg_t *pc = &((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];

	(void)signal, (void)info;
	seen += *pc == (greg_t)first;
	*pc += 2;
	mprotect(page, 4096, PROT_READ | PROT_WRITE);
}
__attribute__((noinline)) static long store(char *p, long n)
{
	__asm__ volatile("first: incl (%1); add $1, %0; nop" : "+S"(n) : "D"(p) : "memory"); /* gate: store */
	return n;
}
int main(void)
{
	struct sigaction sa = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
	long n = 0;

	sigaction(SIGSEGV, &sa, NULL);
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (long i = 0; i < 20000; i++) {
		if (i % 5000 == 4999)
			mprotect(page, 4096, PROT_NONE);
		n = store(page, n);
	}
	return seen == 4 && n == 20000 && *(int *)page == 19996 ? 0 : 7;
}
""", "-g -O1 -fcf-protection=none")
    r = t.run_gated(program, LAST.replace("hot", "store") % ("", 20000, 20000), report=False)
    t.equal((r.status, r.err), (0, "last\n"), "status and what is printed", r)
    r = t.run_gated(program, LAST.replace("hot", "store") % ("", 10**6, 0), report=False)
    t.check("only 20000 times" in r.err and "decided inside" in r.err, "20000 arrivals", r)


def test_file_limit(t):
    """A program that must not write files is not ended by what is shared with it."""
    program = compile_text("limit.c", HEAD + r"""
#include <sys/resource.h>
int main(void)
{
	struct rlimit none = {0, 0};
	setrlimit(RLIMIT_FSIZE, &none);
	work((void *)20000);
	return 0;
}
""", "-g -O1")
    last(t, program, 20000)
    t.check(all_of(t, program, 20000) > 15000, "most are decided inside")


def test_trap_in_the_middle(t):
    """A script calls a function of which the return was moved along: the call needs a trap there, for a while."""
    program = compile_text("tick.c", HEAD + r"""
__attribute__((noinline)) long tick(long a)
{
	return a + 1; /* gate: tick */
}
int main(void)
{
	long a = 0;
	for (int i = 0; i < 60000; i++) {
		a = tick(a);
		if (i % 20000 == 10000)
			x = 1; /* gate: look */
	}
	return a == 60000 ? 0 : 7;
}
""", "-g -O1 -fcf-protection=none")
    r = t.gate("lines", program, "//tick")
    t.check("every arrival is a trap" not in r.stdout, "it can be moved", r)
    script = '''
at("//look"):run(function(hit) print(hit:call("tick", hit.count)) end)
at("//tick", {hit = %d}):run(function(hit) print("last", hit.count) end)
'''
    r = t.run_gated(program, script % 60000, report=False)
    t.equal((r.status, r.err), (0, "2\n3\n4\nlast\t60000\n"), "status and what is printed", r)
    r = t.run_gated(program, script % 60001, report=False)
    t.check(int(re.search(r"(\d+) of them decided inside", r.err).group(1)) > 50000, "most are decided inside, also after it", r)


def test_report(t):
    """A report counts each arrival; those that nobody would read are one event, in JSON and in HTML. A few are all told."""
    program = compile_text("report.c", HAMMER, "-g -O1")
    html = t.path("report.html")
    r = t.run_gated(program, LAST % ("", 300000, 300000), ("150000", ""), options=["--report", html])
    t.equal((r.status, r.err), (0, "last\n"), "status and what is printed", r)
    events = [e for e in r.report["events"] if e["place"]]
    told = sum(e["what"] == "arrival" for e in events)
    t.equal(told + sum(e.get("times", 0) for e in events), 300000, "arrivals in all events", r)
    t.check(told < 1000, "hardly any is an event of its own", r)
    t.equal(r.report["places"][0]["arrivals"], 300000, "arrivals of the place", r)
    t.check('"times":' in open(html).read() and "arrivals without consequence" in open(html).read(), "they are in the page")
    r = t.run_gated(program, LAST % ("", 4000, 4000), ("2000", ""))
    t.equal(sum(e["what"] == "arrival" for e in r.report["events"]), 4000, "events of a few arrivals", r)


TWICE = r"""
__asm__(".globl twice\n.type twice, @function\n"
	"twice:\n\tmov %edi, %eax\n\tadd %edi, %eax\n\ttest %eax, %eax\n\tje 1f\n\tdec %edi\n1:\tret\n"
	".size twice, . - twice\n");
"""
CALLS_TWICE = r"""
#include <stdlib.h>
int twice(int n);
int main(int argc, char **argv)
{
	int s = 0;
	for (int i = 0; i < atoi(argv[1]); i++)
		s += twice(i & 1);
	return s != atoi(argv[1]);
}
"""


def test_without_debug_information(t):
    """A function that begins with short instructions, of a library that has only symbols: so is libc without its debug package."""
    library = compile_text("twice.c", TWICE, "-O2 -fPIC -shared")
    program = compile_text("calls_twice.c", CALLS_TWICE, "-g -O1", libs="%s -Wl,-rpath,%s" % (library, os.path.dirname(library)))
    r = t.clean(t.run_gated(program, 'at("twice", {hit = 10^6, optional = true}):run(function() end)\n', ("20000",)))
    t.equal((r.report["places"][0]["arrivals"], r.report["places"][0]["trap"]), (20000, None), "decided inside", r)
