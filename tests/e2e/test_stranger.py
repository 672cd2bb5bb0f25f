"""What maintainers of other projects met: programs of tests/e2e/programs, each with the right answer."""

import os
import shutil
import signal
import subprocess
import time

from harness import COMPILERS, compile_text, line_of, params

HERE = os.path.join(os.path.dirname(__file__), "programs")
BUILDS = [(compiler.replace("gcc", "g++").replace("clang", "clang++"), level) for compiler in COMPILERS for level in ("-O0", "-O2")]


def build(name, compiler="g++", level="-O0", flags="-g", libs=""):
    with open(os.path.join(HERE, name + ".cc")) as f:
        return compile_text(name + ".cc", f.read(), "%s %s" % (flags, level), compiler, libs)


@params(*BUILDS)
def test_name_of_a_sanitizers_thread(t, case):
    """A start routine called BackgroundThreadMain makes no thread a sanitizer's."""
    r = t.run_gated(build("background_thread_name", *case), "expect { exit = 0 }\n")
    t.clean(r)
    t.equal(r.out, b"done 2\n", "output", r)


@params("g++", "clang++")
def test_thread_of_a_sanitizer(t, compiler):
    """The sanitizer's own thread keeps nobody from being deadlocked."""
    r = t.run_gated(build("attach_why", compiler, flags="-g -fsanitize=thread"), "limits { run = 30 }\n")
    t.verdict(r, 123)


@params(*BUILDS)
def test_limit_while_a_thread_writes(t, case):
    """Nobody expects a livelock: the run ends at its limit."""
    begun = time.monotonic()
    r = t.run_gated(build("time_limit_overrun", *case), "limits { run = 1 }\n")
    t.verdict(r, 124)
    seconds = time.monotonic() - begun
    busy = os.getloadavg()[0] / os.cpu_count()
    t.check(seconds < 3 + 3 * busy, "%.1f s for a limit of 1 s" % seconds, r)


@params(*[case[0] for case in BUILDS[::2]])
def test_lambda_of_another_instance(t, compiler):
    """The class that was written rules out a lambda of another instance in a library."""
    source, box = t.path("box.cc"), t.path("box")
    shutil.copy(os.path.join(HERE, "template_lambda_two_objects.cc"), source)
    subprocess.run([compiler, "-g", "-DLIB", "-fPIC", "-shared", source, "-o", t.path("libbox.so")], check=True)
    subprocess.run([compiler, "-g", source, "-L" + t.tmp, "-lbox", "-Wl,-rpath," + t.tmp, "-o", box], check=True)
    for name, sites in ("Box<int>::put;until(", 1), ("Box<double>::put;until(", 1), ("Box::put;until(", 2), ("Box<int>::put;items", 1):
        r = t.gate("lines", box, name)
        t.clean(r)
        t.equal(r.stdout.split("\n")[0], "%s: %d site%s" % (name, sites, "" if sites == 1 else "s"), "sites", r)
        t.check("operator()" not in r.stdout, "no lambda", r)


@params(*BUILDS)
def test_vector_instruction_without_a_loop(t, case):
    """Two words in one vector register are no loop."""
    r = t.run_gated(build("vectorised_without_a_loop", *case), 'at("Pool::put;q.emplace", { hit = 2 })\nexpect { exit = 0 }\n')
    t.clean(r)
    t.equal(r.err, "", "standard error", r)


ORDER = """local idle, queued = SimpleGate "idle", SimpleGate "queued"
at("main;p.put()") :wait(idle)
at("Pool::work;cv.wait") :open(idle) :wait(queued)
at("Pool::put;jobs++") :open(queued)
"""


@params(*[case[0] for case in BUILDS[::2]])
def test_lock_forbids_the_order(t, compiler):
    """A gate-deadlock can be expected: of any gate, or of one."""
    program = build("prove_gate_deadlock", compiler)
    for value, status in ("true", 0), ("queued", 0), ("idle", 122), ("false", 122):
        r = t.run_gated(program, ORDER + "expect { gate_deadlock = %s }\n" % value)
        t.equal(r.status, status, value, r)
    r = t.run_gated(program, ORDER + "expect { gate_deadlock = queued }\n", options=["--repeat", "5"], report=False)
    t.equal(r.status, 0, "each time", r)
    for more in "", "expect { gate_deadlock = queued }\n":
        script = t.file("order.lua", ORDER + more)
        r = t.gate("prove", "-n", "5", "-g", script, program)
        t.clean(r)
        t.check("all gates" in r.stdout and "5 of 5" in r.stdout.split("\n")[1], "counts", r)


FORBIDDEN = """
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static volatile int a, b;
static void *first(void *arg)
{
	pthread_mutex_lock(&m);
	a = 1; /* gate: one */
	b = 1; /* gate: two */
	pthread_mutex_unlock(&m);
	return arg;
}
static void *second(void *arg)
{
	pthread_mutex_lock(&m);
	a = 2; /* gate: three */
	pthread_mutex_unlock(&m);
	return arg;
}
int main(void)
{
	pthread_t x, y;
	pthread_create(&x, NULL, first, NULL);
	pthread_create(&y, NULL, second, NULL);
	pthread_join(x, NULL);
	pthread_join(y, NULL);
	return 0;
}
"""


@params(("//one -> //three, //three -> //two", 0), ("//one -> //two", 119))
def test_order_that_the_lock_forbids(t, case):
    """The order of --order is expected to be impossible; one that is possible is not as expected."""
    order, status = case
    program, script = compile_text("forbidden.c", FORBIDDEN), t.file("forbidden.lua", "expect { gate_deadlock = true }\n")
    r = t.gate("run", "--order", order, "-g", script, program)
    t.equal(r.status, status, "run", r)
    r = t.gate("run", "--repeat", "5", "--order", order, "-g", script, program)
    t.equal(r.status, status, "each time", r)
    r = t.gate("prove", "-n", "3", "--order", order, "-g", script, program)
    t.equal(r.status, status, "prove", r)
    t.check("%d of 3" % (0 if status else 3) in r.stdout.split("\n")[1], "counts", r)


STANDS = """
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static volatile int a, b;
static void *first(void *arg)
{
	pthread_mutex_lock(&m);
	a = 1; /* gate: one */
	pthread_mutex_unlock(&m);
	return arg;
}
static void *second(void *arg)
{
	b = 2; /* gate: before */
	pthread_mutex_lock(&m); /* gate: locks */
	a = 2; /* gate: three */
	pthread_mutex_unlock(&m);
	return arg;
}
int main(void)
{
	pthread_t x, y;
	pthread_create(&x, NULL, first, NULL);
	pthread_create(&y, NULL, second, NULL);
	pthread_join(x, NULL);
	pthread_join(y, NULL);
	return 0;
}
"""
# places, what the report says of the thread
STANDING = [
    ('at("//one"):open(two):wait(one)\nat("//before"):wait(two)\nat("//locks", { after = true }):open(one)\n',
     "gate one is opened at //locks: second#1 is at stands.c:15 and has not executed the statement to its end"),
    ('at("//one"):wait(one)\nat("//one"):open(two)\nat("//before"):wait(two):open(one)\n',
     "gate two is opened at //one: first#1 is held there at //one (gates1.lua:2), which comes before it"),
    ('at("//one"):wait(one)\nat("//one", { thread = "first" }):open(two)\nat("//before"):wait(two):open(one)\n',
     "gate two is opened at //one: first#1 is held there at //one (gates1.lua:2), which comes before it"),
    ('at("//one"):wait(one)\nat("//locks"):wait(one)\nat("//locks"):open(one)\n',
     "gate one is opened at //locks: second#1 is held there at //locks (gates1.lua:3), which comes before it"),
]


@params(*range(len(STANDING)))
def test_thread_that_stands_there(t, k):
    """A thread at the place, or in its statement, is not said to have not come there."""
    places, says = STANDING[k]
    r = t.run_gated(compile_text("stands.c", STANDS),
                    'local one, two = SimpleGate "one", SimpleGate "two"\n' + places)
    t.verdict(r, 122)
    t.check(says in r.err.replace(t.tmp + "/", ""), "where it is", r)
    t.check("has not reached the place" not in r.err and "name a line" not in r.err, "no contradiction", r)


def test_function_that_may_open(t):
    """A gate that a function of the script may open is not said to be opened by none of its places."""
    r = t.run_gated(compile_text("stands.c", STANDS),
                    'local one = SimpleGate "one"\nat("//one"):wait(one)\n'
                    'at("//three"):run(function() if one.is_open then one:open() end end)\n')
    t.verdict(r, 122)
    t.check("the function at //three may open gate one" in r.err, "it may", r)
    t.check("no place of the script opens" not in r.err, "no contradiction", r)


def test_gate_deadlock_that_does_not_come(t):
    r = t.run_gated(build("prove_gate_deadlock"), 'local g = SimpleGate "g"\nat("main;p.put()") :open(g)\nexpect { gate_deadlock = g }\n')
    t.verdict(r, 119)
    t.check("expected a deadlock with a gate in it" in r.first, "what was expected", r)


@params(*[(compiler, level, name) for (compiler, level), name in zip(BUILDS, 2 * ["{lambda()#1}"] + 2 * ["$_0"])])
def test_thread_of_an_inlined_lambda(t, case):
    """`until` waits for a thread whose lambda has no function of its own."""
    compiler, level, name = case
    program = build("until_lambda", compiler, level)
    r = t.gate("repl", program, stdin=b"until lib::Case::body()::%s#1 bump\nthreads\n" % name.encode())
    t.check("lib::Case::body()::%s#1 is stopped, in bump" % name in r.stdout, "it is there", r)


def test_saved_script_has_arguments(t):
    program = build("saved_without_arguments")
    saved = t.path("saved.lua")
    t.gate("repl", program, "fast", stdin=b"gate work wait g\nrun\nopen g\nsave %s\n" % saved.encode())
    with open(saved) as f:
        text = f.read()
    t.check('args { "fast" }\n' in text, "arguments", text)
    r = t.gate("run", "-g", saved, program)
    t.equal(r.out, b"fast\n", "output", r)


def test_attach_without_a_script(t):
    """What each thread waits for, the verdict, and the process is left as it is."""
    program = build("attach_why")
    for options, status in ([], 123), (["-g", t.file("empty.lua", "")], 123):
        p = subprocess.Popen([program], env=t.env)
        try:
            while sum(state == "S" for state in states(p.pid)) < 2:
                time.sleep(0.01)
            r = t.gate("attach", *options, str(p.pid), leftover=False)
            t.verdict(r, status)
            t.check("main waits for mutex cache" in r.err and "waits for mutex user" in r.err, "who waits for what", r)
            t.equal(p.poll(), None, "it goes on", r)
        finally:
            p.send_signal(signal.SIGKILL)
            p.wait()


def test_attach_to_one_that_sleeps(t):
    p = subprocess.Popen(["/bin/sleep", "100"], env=t.env)
    try:
        r = t.gate("attach", str(p.pid), leftover=False)
        t.equal(r.status, 0, "status", r)
        t.check("is not in a deadlock" in r.err and "main sleeps" in r.err, "what it does", r)
    finally:
        p.send_signal(signal.SIGKILL)
        p.wait()


def states(pid):
    """Of each thread of the process that waits in a futex."""
    for tid in os.listdir("/proc/%d/task" % pid):
        with open("/proc/%d/task/%s/wchan" % (pid, tid)) as f:
            yield "S" if "futex" in f.read() else "R"


def test_source_that_is_newer(t):
    """Texts are looked for in the source, lines in the program: it is said where the one is newer."""
    source = t.path("newer.cc")
    shutil.copy(os.path.join(HERE, "source_newer_than_program.cc"), source)
    program = t.path("newer")
    subprocess.run(["g++", "-g", source, "-o", program], check=True)
    os.utime(source, (time.time() - 10, time.time() - 10))  # the clock may have been set back meanwhile
    r = t.gate("lines", program, "twice;n += n")
    t.check("newer than" not in r.stdout, "as built", r)
    with open(source) as f:
        text = f.read()
    with open(source, "w") as f:
        f.write(text.replace("static int twice", "\n\nstatic int twice"))
    os.utime(source, (time.time() + 10, time.time() + 10))
    wanted = "newer.cc is newer than newer"
    t.check(wanted in t.gate("lines", program, "twice;n += n").stdout, "lines")
    t.check(wanted in t.gate("lines", program, "twice;nothing").err, "an error of lines")
    script = 'at("twice;n += n"):run(function() end)\nexpect { exit = 3 }\n'
    t.check(wanted in t.gate("check", "-g", t.file("x.lua", script), program).stdout, "check")
    r = t.run_gated(program, script)
    t.verdict(r, 119)
    t.equal(r.err.count(wanted), 2, "a note, and one in the verdict", r)


AGAIN = r"""#include <signal.h>
#include <stdlib.h>
static void handler(int s)
{
	signal(s, SIG_DFL);
	raise(s);
}
int main(int argc, char **argv)
{
	signal(SIGSEGV, handler);
	*(volatile int *)(long)(argc - 1) = 1; /* gate: here */
	return 0;
}
"""


@params(*[(compiler, level) for compiler in COMPILERS for level in ("-O0", "-O2")])
def test_handler_that_raises_the_signal_again(t, case):
    """The crash is the fault that the handler was called for."""
    compiler, level = case
    r = t.run_gated(compile_text("again.c", AGAIN, "-g " + level, compiler), 'at("main"):run(function() end)\n')
    t.equal(r.status, 139, "status", r)
    t.check("main writes NULL, and its own handler raises SIGSEGV again" in r.first, "the reason", r)


CASES = r"""#include <thread>
#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
struct Test { virtual void TestBody() = 0; };
#define TEST(SUITE, CASE) \
	struct SUITE##_##CASE##_Test : Test { void TestBody() override; static Test *made; }; \
	Test *SUITE##_##CASE##_Test::made = new SUITE##_##CASE##_Test; \
	void SUITE##_##CASE##_Test::TestBody()
static int registered, n;
struct Registrar { Registrar(const char *name) { registered += name[0] != 0; } };
#define NAMED(FUNCTION, NAME) \
	static void FUNCTION(); \
	static Registrar JOIN(FUNCTION, _registrar)(NAME); \
	static void FUNCTION()
#define TEST_CASE(NAME) NAMED(JOIN(C_A_S_E_, __COUNTER__), NAME)
TEST(GateRace, ReadAcrossFlush)
{
	std::thread reader([] { n++; });
	reader.join(); /* gate: reader */
}
TEST_CASE("log while rotating")
{
	std::thread writer([] { n++, registered++; });
	writer.join(); /* gate: writer */
}
TEST_CASE("other: one; two!") {
	n += 2; /* gate: other */
}
int main()
{
	GateRace_ReadAcrossFlush_Test::made->TestBody();
	C_A_S_E_0();
	C_A_S_E_1();
	return n == 4 ? 0 : 1;
}
"""


@params(*BUILDS)
def test_names_of_test_cases(t, case):
    """SUITE.CASE of GoogleTest, and the text of TEST_CASE("..."), stand for the function that the macro makes."""
    compiler, level = case
    program = compile_text("cases.cc", CASES, "-g " + level, compiler)
    for location, line in (("GateRace.ReadAcrossFlush;reader.join", "gate: reader"),
                           ('"log while rotating";writer.join', "gate: writer"), ('"other: one; two!";n += 2', "gate: other")):
        r = t.gate("lines", program, location)
        t.check("cases.cc:%d 0x" % line_of(CASES, line) in r.stdout, location, r)
    script = 'at("GateRace.ReadAcrossFlush"):run(function() end)\nat(%r):run(function() end)\nexpect { exit = 0 }\n' % '"log while rotating"'
    t.clean(t.run_gated(program, script))
    for location in "GateRace.Nothing", '"nothing"', '"log while rotating"::', '"log while rotating"::nothing':
        t.error(t.gate("lines", program, location))
    lambdas = [("GateRace.ReadAcrossFlush", "reader([]"), ('"log while rotating"', "writer([]")]
    if case == ("clang++", "-O2"):
        lambdas.pop()  # clang 14 writes a lambda of a function that was inlined as one of no function
    for name, line in lambdas:
        r = t.gate("lines", program, name + "::{unnamed}::operator();n++")
        t.check("cases.cc:%d 0x" % line_of(CASES, line) in r.stdout and "operator()" in r.stdout, "its lambda", r)
    if compiler == "g++":
        r = t.error(t.gate("lines", program, '"log while rotating"::{lambda()#1}'))
        t.check('write "log while rotating"::{unnamed}::operator(), ' in r.err, "lambdas without numbers", r)


# ---- a name alone decides nothing ----------------------------------------------------------------


NAMED = """
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t key;
__attribute__((noinline)) static void %(name)s(void *p)
{
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	__asm__ volatile("" : : "r"(p));
}
static void *%(start)s(void *arg)
{
	if (arg)
		pthread_setspecific(key, arg);
	else
		%(name)s(arg);
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_key_create(&key, %(name)s);
	pthread_mutex_lock(&m);
	pthread_create(&t, NULL, %(start)s, %(arg)s);
	pthread_join(t, NULL);
	return 0;
}
"""


@params("new_exit", "run_exit_handlers", "call_tls_dtors", "nptl_deallocate_tsd", "new_free", "libc_malloc", "pthread_mutex_lock_wrapper",
        "__tsan_mine", "main_loop", "sleep_nanosleep")
def test_function_called_like_one_of_libc(t, name):
    """A function of the program's own is none of libc, whatever its name."""
    program = compile_text("named_%s.c" % name, NAMED % {"name": name, "start": "work", "arg": "NULL"})
    r = t.verdict(t.run_gated(program), 123)
    t.check("work#1 waits for mutex m held by main (taken at " in r.err, "the mutex", r)
    t.check(not any(w in r.err for w in ("while", "malloc's lock", "stdio")), "no occasion", r)


@params("domain_loop", "main_loop", "BackgroundThread", "__tsan_mine", "execute_native_thread_routine")
def test_start_routine_called_like_another(t, start):
    """What a thread runs is no matter of its start routine's name."""
    program = compile_text("started_%s.c" % start, NAMED % {"name": "destroy", "start": start, "arg": "&key"})
    r = t.verdict(t.run_gated(program), 123)
    t.check("%s#1 waits for mutex m held by main (taken at" % start in r.err, "the mutex", r)
    t.check("while the destructors of its keys run" in r.err, "the occasion", r)


SLEEPS = """
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static volatile int n;
static void *work(void *arg)
{
	n = 1;
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, work, NULL);
	usleep(200000);
	printf("%d\\n", n);
	pthread_join(t, NULL);
	return 0;
}
"""


@params("/usr/src/stranger", "/usr/local/src/stranger", "/home/stranger")
def test_where_the_source_lies(t, directory):
    """Debian builds in /usr/src: that code is the tester's own."""
    source, program = t.file("sleeps.c", SLEEPS), t.path("sleeps")
    subprocess.run(["gcc", "-g", "-pthread", "-fdebug-prefix-map=%s=%s" % (t.tmp, directory), source, "-o", program], check=True)
    r = t.gate("convert", "-n", "2", "-o", t.path("sleeps.lua"), program)
    t.check("usleep of 200 ms: 1 order" in r.stdout, "the order that the sleep makes", r)


@params("libpthread_mock.so", "libc++mine.so")
def test_library_called_like_one_of_the_system(t, name):
    """A thread that a library of that name starts is called by the function that it was passed."""
    library, program = t.path(name), t.path("passes")
    build = ["gcc", "-g", "-O0", "-pthread"]
    subprocess.run([*build, "-fPIC", "-shared", t.file("mock.c", MOCK), "-o", library], check=True)
    subprocess.run([*build, t.file("passes.c", PASSES), library, "-Wl,-rpath," + t.tmp, "-o", program], check=True)
    r = t.run_gated(program)
    t.verdict(r, 123)
    t.check("mine (" not in r.err and "proxy#1 (job)" in r.err, "what it runs", r)


MOCK = """
#include <pthread.h>
#include <stdlib.h>
struct call { void (*f)(void); };
static void *proxy(void *arg)
{
	((struct call *)arg)->f();
	return NULL;
}
void start(pthread_t *t, void (*f)(void))
{
	struct call *c = malloc(sizeof(*c));
	c->f = f;
	pthread_create(t, NULL, proxy, c);
}
"""
PASSES = """
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void start(pthread_t *t, void (*f)(void));
static void job(void)
{
	pthread_mutex_lock(&m);
}
int main(void)
{
	pthread_t t;
	pthread_mutex_lock(&m);
	start(&t, job);
	pthread_join(t, NULL);
	return 0;
}
"""
