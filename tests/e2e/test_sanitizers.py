"""Programs built with sanitizers run under gates, and what these find comes out as it does bare."""

import os
import shutil
import subprocess

from harness import COMPILERS, Skip, compile_text, params

CLEAN = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static volatile int n;
static void *worker(void *arg)
{
	char *p = (char *)malloc(10);
	p[0] = 1;
	n += p[0]; /* gate: here */
	free(p);
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, worker, NULL);
	pthread_join(t, NULL);
	printf("n %d\n", n);
	return 0;
}
"""

RACE = r"""
#include <pthread.h>
#include <stdio.h>
static int plain;
static volatile int n;
static void *one(void *arg)
{
	plain++; /* gate: first */
	n++; /* gate: first-done */
	return arg;
}
static void *two(void *arg)
{
	n++; /* gate: second */
	plain++;
	return arg;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, one, NULL);
	pthread_create(&b, NULL, two, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("plain %d\n", plain);
	return 0;
}
"""

# bare the reader nearly always comes first; a gate makes the other one free the memory before
FREED = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static char *shared;
static void *reader(void *arg)
{
	printf("read %d\n", shared[1]); /* gate: read */
	return arg;
}
static void *freer(void *arg)
{
	usleep(200000);
	free(shared);
	fflush(stdout); /* gate: freed */
	return arg;
}
int main(void)
{
	pthread_t a, b;
	shared = calloc(2, 1);
	pthread_create(&a, NULL, reader, NULL);
	pthread_create(&b, NULL, freer, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
"""

CHILD = r"""
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int status = 99;
	if (fork() == 0) {
		execv(argv[1], argv + 1);
		_exit(98);
	}
	wait(&status);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 97;
}
"""

# what exec leaves behind: the options, and that nothing else has changed
SHOW = r"""
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <unistd.h>
extern char **environ;
int main(int argc, char **argv)
{
	char name[17] = "";
	sigset_t set;
	for (char **e = environ; *e; e++)
		if (!strstr(*e, "SAN_OPTIONS="))
			puts(*e);
	for (int i = 0; i < argc; i++)
		puts(argv[i]);
	prctl(PR_GET_NAME, name);
	sigprocmask(SIG_SETMASK, NULL, &set);
	printf("%s %s", name, (const char *)getauxval(AT_EXECFN));
	for (int i = 1; i < 65; i++)
		if (sigismember(&set, i))
			printf(" blocked %d", i);
	for (int i = 3; i < 20; i++)
		if (fcntl(i, 1) >= 0)
			printf(" fd %d", i);
	puts("");
	return 0;
}
""".replace("#include <signal.h>", "#include <fcntl.h>\n#include <signal.h>")

BLOCKS = r"""
#include <signal.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_SETMASK, &set, NULL);
	execv(argv[1], argv + 1);
	return 98;
}
"""

HERE = 'at "//here":run(function() end)\n'

LEAK_BUILDS = ("gcc address", "gcc address -static-libasan", "gcc leak", "clang address",
               "clang address -shared-libasan", "clang leak", "g++ address")
OTHER_BUILDS = ("gcc thread", "gcc undefined", "clang thread", "clang undefined", "clang memory")


def build(name, text, how):
    """`how`: COMPILER SANITIZER [FLAGS]"""
    compiler, kind, *more = how.split()
    flags = "-g -O1 -fsanitize=" + " ".join([kind] + more)
    if compiler == "clang" and "-shared-libasan" in more:
        path = subprocess.run(["clang", "-print-file-name=libclang_rt.asan-x86_64.so"],
                              capture_output=True, text=True).stdout.strip()
        flags += " -Wl,-rpath," + os.path.dirname(path)
    if "++" in compiler:
        name = name.replace(".cc", ".c").replace(".c", ".cc")
    return compile_text(name, text, flags, compiler=compiler)


def note(t, r, variable, count=1):
    lines = [l for l in r.err.splitlines() if l.startswith("gatectl:") and "agreed" not in l]
    t.equal(len(lines), count, "lines of gatectl", r)
    if count:
        t.check("detect_leaks=0" in lines[0] and " %s" % variable in lines[0], "the note", r)


def variable_of(how):
    return "LSAN_OPTIONS" if " leak" in how else "ASAN_OPTIONS"


@params(*LEAK_BUILDS)
def test_leak_sanitizer(t, how):
    """It refuses to run under a tracer: the clean program comes out clean, one line says how."""
    program = build("clean.c", CLEAN, how)
    t.equal(t.run_bare(program).status, 0, "bare")
    r = t.run_gated(program, script=HERE)
    t.equal((r.status, r.stdout), (0, "n 1\n"), "outcome", r)
    note(t, r, variable_of(how))
    t.arrivals(r, "//here", 1)


@params(*OTHER_BUILDS)
def test_other_sanitizers(t, how):
    program = build("clean.c", CLEAN, how)
    bare = t.run_bare(program)
    if bare.status:
        raise Skip("%s does not run on this machine: %s" % (how, bare.err[:80]))
    r = t.run_gated(program, script=HERE)
    t.clean(r)
    t.equal(r.stdout, "n 1\n", "output", r)
    t.arrivals(r, "//here", 1)


@params(*LEAK_BUILDS)
def test_stripped(t, how):
    """Nothing but the code itself tells what is in it."""
    program = t.path("stripped")
    subprocess.run(["strip", "-o", program, build("clean.c", CLEAN, how)], check=True)
    r = t.run_gated(program)
    t.equal((r.status, r.stdout), (0, "n 1\n"), "outcome", r)
    note(t, r, variable_of(how))


@params(*LEAK_BUILDS)
def test_child(t, how):
    """The program under test starts it: a test driver, a shell."""
    program, driver = build("clean.c", CLEAN, how), compile_text("driver.c", CHILD)
    place = os.path.basename(program) + "!//here"
    r = t.run_gated(driver, args=(program,), script='at("%s"):run(function() end)\n' % place)
    t.equal((r.status, r.stdout), (0, "n 1\n"), "outcome", r)
    note(t, r, variable_of(how))
    t.arrivals(r, place, 1)


def test_child_of_shell_without_environment(t):
    program = build("clean.c", CLEAN, "gcc address")
    r = t.run_gated("sh", args=("-c", "env -i %s && %s" % (program, program)))
    t.equal((r.status, r.stdout), (0, "n 1\nn 1\n"), "outcome", r)
    note(t, r, "ASAN_OPTIONS")


def test_said_once(t):
    program = build("clean.c", CLEAN, "gcc address")
    r = t.run_gated(program, options=["--repeat", "3"])
    t.equal((r.status, r.stdout), (0, "n 1\n" * 3), "outcome", r)
    note(t, r, "ASAN_OPTIONS")
    r = t.run_gated(program, options=["--quiet"])
    t.equal((r.status, r.stdout, r.err), (0, "n 1\n", ""), "outcome", r)


@params(("ASAN_OPTIONS", "verbosity=0:exitcode=7", 1), ("ASAN_OPTIONS", "detect_leaks=0", 0),
        ("ASAN_OPTIONS", "detect_leaks=0:detect_leaks=1", 1), ("ASAN_OPTIONS", "detect_leaks=false", 0),
        ("LSAN_OPTIONS", "detect_leaks=1", 1), ("ASAN_OPTIONS", "", 1))
def test_options_already_there(t, case):
    """What the user has set stays, but for the leaks."""
    name, value, lines = case
    program = build("freed.c", FREED, "gcc address")
    r = t.run_gated(program, env={name: value})
    t.equal((r.status, r.stdout), (0, "read 0\n"), "outcome", r)
    note(t, r, name, lines)
    r = t.run_gated(program, env={name: value}, script='''
local g = SimpleGate "freed"
at "//read":wait(g)
at "//freed":open(g)
expect { exit = %d }
''' % (7 if "exitcode" in value else 1))
    t.equal(r.status, 0, "status", r)


NAMES = r"""
#include <pthread.h>
#include <thread>
static volatile int n;
static void *worker(void *arg)
{
	n++; // gate: plain
	return arg;
}
static void user(int by)
{
	n += by; // gate: user
}
int main()
{
	pthread_t t;
	pthread_create(&t, nullptr, worker, nullptr);
	pthread_join(t, nullptr);
	std::thread u(user, 2);
	u.join();
	return n != 3;
}
"""


@params("g++ address", "clang++ address", "g++ address -static-libasan", "g++ thread",
        "clang++ thread", "g++ leak", "clang++ memory", "g++ undefined")
def test_threads_have_their_names(t, how):
    """The sanitizer's own start routine is not what the user has passed."""
    program = build("names.cc", NAMES, how)
    r = t.run_gated(program, options=["-q"], script='''
at("//plain", {thread = "worker#1"}):run(function() end)
at("//user", {thread = "user#1"}):run(function() end)
''')
    t.clean(r)
    t.arrivals(r, "//plain", 1)
    t.arrivals(r, "//user", 1)


@params("gcc address", "clang address")
def test_forced_use_after_free(t, how):
    """A gate makes the bug happen; the report and the status are AddressSanitizer's."""
    program = build("freed.c", FREED, how)
    bare = t.run_bare(program)
    t.equal((bare.status, bare.stdout), (0, "read 0\n"), "bare", bare)
    r = t.run_gated(program, script='''
local g = SimpleGate "freed"
at "//read":wait(g)
at "//freed":open(g)
expect { exit = 1, stderr = "heap-use-after-free" }
''')
    t.equal(r.status, 0, "as expected", r)
    # clang's runtime names lines where llvm-symbolizer is installed
    named = "freed.c:" in r.err or how.startswith("clang") and not shutil.which("llvm-symbolizer")
    t.check("heap-use-after-free" in r.err and named, "the report", r)


@params("gcc thread", "clang thread")
def test_race_is_reported(t, how):
    program = build("race.c", RACE, how)
    bare = t.run_bare(program)
    t.check("ThreadSanitizer: data race" in bare.err, "the race, bare", bare)
    r = t.run_gated(program, script='''
local g = SimpleGate "first"
at "//first-done":open(g)
at "//second":wait(g)
expect { exit = %d }
''' % bare.status)
    t.equal((r.status, r.stdout), (0, "plain 2\n"), "as bare", r)
    t.check("ThreadSanitizer: data race" in r.err, "the race", r)
    t.check("gatectl:" not in r.err, "gatectl is silent", r)
    t.arrivals(r, "//second", 1)


@params("gcc thread", "clang thread")
def test_thread_sanitizer_executes_itself(t, how):
    """Without a limit of the stack it sets one and execs itself: the gates are found again."""
    import resource
    if resource.getrlimit(resource.RLIMIT_STACK)[1] != resource.RLIM_INFINITY:
        raise Skip("no unlimited stack here")

    def unlimited():
        resource.setrlimit(resource.RLIMIT_STACK, (resource.RLIM_INFINITY,) * 2)
    program = build("race.c", RACE, how)
    r = t.run_gated(program, preexec=unlimited, script='''
local g = SimpleGate "first"
at "//first-done":open(g)
at "//second":wait(g)
on("exec"):log("again")
expect { exit = 66 }
''')
    t.equal((r.status, r.stdout), (0, "plain 2\n"), "outcome", r)
    t.check("again" in r.err, "it has executed itself", r)
    t.arrivals(r, "//second", 1)


def test_undefined_behaviour_is_reported(t):
    program = build("ub.c", "#include <limits.h>\nint main(int argc, char **argv)\n{\n"
                    "\tint n = INT_MAX;\n\tn += argc; /* gate: here */\n\treturn n > 0;\n}\n",
                    "gcc undefined")
    bare, r = t.run_bare(program), t.run_gated(program, script=HERE)
    t.equal((r.status, r.err), (bare.status, bare.err), "as bare", r)
    t.check("signed integer overflow" in r.err, "the report", r)


@params("path", "relative", "search", "script", "descriptor")
def test_exec_again_leaves_no_trace(t, how):
    """It is exec'ed twice; names, arguments, environment, signals, descriptors are as bare."""
    program = build("show.c", SHOW, "gcc address -static-libasan")
    blocks = compile_text("blocks.c", BLOCKS)
    env, cwd, command = {}, None, [blocks, program, "a b", ""]
    if how == "relative":
        cwd, command = os.path.dirname(program), [blocks, "./show", "x"]
    elif how == "search":
        env, command = {"PATH": os.path.dirname(program) + ":" + t.env["PATH"]}, ["show", "1", "2"]
    elif how == "script":
        path = t.file("script", "#!%s word\n" % program)
        os.chmod(path, 0o755)
        command = [path, "y"]
    elif how == "descriptor":
        command = ["sh", "-c", 'exec 9<%s; exec /proc/self/fd/9 z' % program]
    bare = t.run(command, env=env, cwd=cwd)
    r = t.gate("run", "-q", "--", *command, env=env, cwd=cwd)
    got, want = r.stdout, bare.stdout
    if how in ("script", "descriptor"):  # named "exe", as by any exec of /proc/self/exe
        got, want = (x.rsplit("\n", 2)[0] for x in (got, want))
    t.equal((r.status, got), (bare.status, want), "as bare", r)
    t.check("blocked 10 blocked 15" in want or how in ("search", "script", "descriptor"), "signals", bare)
