"""A program with its own use for SIGTRAP: what the script does by that signal holds all the same."""

from harness import compile_text, params

PROGRAM = r"""
#include <signal.h>
#include <stdio.h>
static volatile int n;
static void handler(int signal)
{
	n += signal;
}
int main(int argc, char **argv)
{
	signal(SIGTRAP, argc > 1 ? SIG_IGN : handler);
	n++; /* gate: here */
	puts("alive");
	return 0;
}
"""


@params("handled", "ignored")
def test_kill(t, how):
    program = compile_text("own.c", PROGRAM)
    args = ("x",) if how == "ignored" else ()
    r = t.run_gated(program, script='at("//here"):kill("SIGTRAP")\n', args=args)
    t.equal((r.status, r.out), (133, b""), "status and output", r)


UNTRACED = r"""
#define _GNU_SOURCE
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
static sem_t *sem;
static void place(void)
{
	sem_post(sem); /* gate: here */
}
static long make(unsigned long flags)
{
	long result;
	register long tls __asm__("r8") = 0, ctid __asm__("r10") = 0;
	__asm__ volatile("syscall" : "=a"(result)
			 : "a"(SYS_clone), "D"(flags), "S"(0), "d"(0), "r"(tls), "r"(ctid)
			 : "rcx", "r11", "memory");
	return result;
}
int main(int argc, char **argv)
{
	int blocked = atoi(argv[1]) & 1, waits = atoi(argv[1]) & 2, own = atoi(argv[1]) & 4, status;
	sigset_t set;
	sem = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	sem_init(sem, 1, 0);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	if (blocked)
		sigprocmask(SIG_BLOCK, &set, NULL);
	if (make(SIGCHLD | (own ? 0 : CLONE_UNTRACED)) == 0) {
		if (own)
			raise(SIGTRAP);
		place();
		_exit(7);
	}
	if (waits)
		return wait(&status) < 0 || !WIFSIGNALED(status) ? 0 : WTERMSIG(status);
	return sem_wait(sem);
}
"""


@params("0", "1", "2")
def test_untraced_child(t, how):
    """A child that nobody sees dies of a trap of ours: that is no deadlock of the program's, and no end of it."""
    program = compile_text("untraced_by_hand.c", UNTRACED, "-g -O0 -pthread")
    t.equal(t.run([program, how]).status, 0, "bare")
    r = t.run_gated(program, script='at("place", { optional = true }):log("here")\n', args=(how,))
    t.equal(r.status, 125, "status", r)
    t.check("a child that the program created with CLONE_UNTRACED without the C library, has died of SIGTRAP"
            in r.first, "what has happened", r)
    t.check("try: create it with clone() of the C library" in r.err, "what to do", r)


@params("0", "1", "2")
def test_untraced_child_in_a_search(t, how):
    """Not a deadlock of the program's: it is stuck because the child has died of a point."""
    r = t.gate("explore", "-n", "5", "-o", t.path("found"), compile_text("untraced_by_hand.c", UNTRACED, "-g -O0 -pthread"), how)
    t.equal(r.status, 125, "status", r)
    t.check("has died of SIGTRAP" in r.first, "what has happened", r)


# The parent waits for what the child does.
CLONED = r"""
#define _GNU_SOURCE
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
static sem_t *sem;
static char stack[65536];
static int child(void *arg)
{
	return sem_post(sem);
}
int main(void)
{
	int status;
	sem = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	sem_init(sem, 1, 0);
	if (clone(child, stack + sizeof stack, CLONE_UNTRACED | SIGCHLD, 0) < 0)
		return 2;
	sem_wait(sem);
	wait(&status);
	return status;
}
"""


def test_untraced_by_the_library_in_a_search(t):
    """The flag is taken away, as in a plain run; the child takes turns like any other."""
    r = t.gate("explore", "-n", "20", "-o", t.path("found"), compile_text("cloned.c", CLONED, "-g -O0 -pthread"))
    t.equal(r.status, 0, "status", r)
    t.check(", 1 distinct" not in r.err, "both orders were tried", r)


def test_own_child_by_trap(t):
    """A child of its own that raises SIGTRAP is none of these."""
    program = compile_text("untraced_by_hand.c", UNTRACED, "-g -O0 -pthread")
    r = t.run_gated(program, script='at("place", { optional = true }):log("here")\n', args=("6",))
    t.equal((r.status, r.err), (5, ""), "as bare", r)


# It raises SIGTRAP where it blocks it or not, in a thread and in a child; at the end it asks for the action.
WAYS = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile sig_atomic_t n;
static void handler(int s)
{
	n += s; /* gate: HANDLER */
}
typedef void (*fn)(int);
fn bsd_signal(int, fn), __sysv_signal(int, fn);
/* As the kernel has it, without a restorer of the C library's. */
struct action {
	fn handler;
	unsigned long flags;
	void (*restorer)(void);
	unsigned long mask;
};
__asm__(".text\nrestore: mov $15, %eax\n\tsyscall\n");
extern void restore(void);
static long by_instruction(int s, const struct action *a)
{
	long result;
	register long size __asm__("r10") = 8;
	__asm__ volatile("syscall" : "=a"(result) : "a"(SYS_rt_sigaction), "D"((long)s), "S"(a), "d"(0L), "r"(size)
			 : "rcx", "r11", "memory");
	return result;
}
static void set(const char *how, fn f)
{
	struct action raw = {f, 0x04000000, restore, 0};
	struct sigaction a = {.sa_handler = f};
	switch (how[0]) {
	case 's': signal(SIGTRAP, f); break;
	case 'a': sigaction(SIGTRAP, &a, 0); break;
	case 'b': bsd_signal(SIGTRAP, f); break;
	case 'v': __sysv_signal(SIGTRAP, f); break;
	case 't': sigset(SIGTRAP, f); break;
	case 'i': by_instruction(SIGTRAP, &raw); break;
	case 'n': syscall(SYS_rt_sigaction, SIGTRAP, &raw, (void *)0, 8); break;
	}
}
static void *raises(void *arg)
{
	raise(SIGTRAP); /* gate: RAISE */
	return 0;
}
int main(int argc, char **argv)
{
	struct sigaction old;
	pthread_t t;
	sigset_t traps;
	int status;
	sigemptyset(&traps);
	sigaddset(&traps, SIGTRAP);
	set(argv[1], argv[2][0] == 'i' ? SIG_IGN : handler);
	if (argv[2][0] == 'b') {
		sigprocmask(SIG_BLOCK, &traps, 0);
		raises(0);
		printf("%d ", (int)n);
		sigprocmask(SIG_UNBLOCK, &traps, 0);
	}
	raises(0);
	printf("%d ", (int)n);
	set(argv[1], argv[2][0] == 'i' ? SIG_IGN : handler);
	pthread_create(&t, 0, raises, 0);
	pthread_join(t, 0);
	printf("%d ", (int)n);
	fflush(stdout);
	set(argv[1], argv[2][0] == 'i' ? SIG_IGN : handler);
	if (!fork()) {
		raises(0);
		_exit(n);
	}
	wait(&status);
	sigaction(SIGTRAP, 0, &old);
	printf("%x %d\n", status, old.sa_handler == SIG_IGN ? 1 : old.sa_handler == handler ? 2 : 0);
	return 0;
}
"""
SETS = {"signal": "s", "sigaction": "a", "bsd_signal": "b", "sysv_signal": "v", "sigset": "t", "instruction": "i",
        "syscall": "n"}
VISITS = 'at("//RAISE"):run(function() end)\nat("//HANDLER", { optional = true }):run(function() end)\n'


@params(*[(name, flags) for name in SETS for flags in ("-O0", "-O2 -static")
          if name in ("signal", "instruction") or flags == "-O0"])
def test_action_set_by_any_call(t, case):
    """The kernel's action counts, whichever function of the C library leads there, or none."""
    name, flags = case
    program = compile_text("ways.c", WAYS, "-g -w -pthread " + flags)
    for use in ("handled", "ignored", "blocked"):
        if (name, use) == ("sysv_signal", "blocked"):
            continue  # handled once; the second one ends the program
        bare = t.run([program, SETS[name], use])
        r = t.run_gated(program, script=VISITS, args=(SETS[name], use), report=False)
        t.equal((r.status, r.stdout, r.err), (bare.status, bare.stdout, bare.err), use, r)


def test_handler_for_one_signal(t):
    """SA_RESETHAND: the second one finds the default, and ends the program."""
    program = compile_text("ways.c", WAYS, "-g -w -pthread -O0")
    t.equal(t.run([program, "v", "blocked"]).status, -5, "bare")
    r = t.run_gated(program, script=VISITS, args=("v", "blocked"), report=False)
    t.equal((r.status, r.stdout), (133, ""), "ends", r)
    t.check(r.first.startswith("gatectl: crashed: SIGTRAP in raises"), "by the signal", r)
