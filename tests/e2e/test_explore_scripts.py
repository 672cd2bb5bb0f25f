"""gatectl explore: scripts of gates for failures of C++, of processes, and of loops on one line.

Quick: 20 runs each. Full: 200.
"""

import re

from harness import compile_text, params, timeout
from patience import wall

from test_explore_gates import expects

SECONDS = 110
VERIFY = 20

# Two threads put into one vector: what races is code of the library, called from one line.
VECTOR = """#include <vector>
#include <thread>
#include <cassert>
std::vector<int> v;
static void add(int x)
{
	v.push_back(x);
}
int main()
{
	std::thread a(add, 1), b(add, 2);
	a.join(); b.join();
	assert(v.size() == 2 && v[0] + v[1] == 3);
}
"""

# ... or copy a shared pointer that the other one writes.
SHARED = """#include <memory>
#include <thread>
#include <atomic>
#include <cassert>
struct Node { int v; explicit Node(int x) : v(x) {} ~Node() { v = -1; } };
std::shared_ptr<Node> cur = std::make_shared<Node>(0);
static void reader()
{
	std::shared_ptr<Node> p = cur;
	int v = p->v;
	assert(v >= 0);
}
static void writer()
{
	auto n = std::make_shared<Node>(1);
	cur = n;
}
int main()
{
	std::thread a(reader), b(writer);
	a.join(); b.join();
}
"""

# A whole loop on a line: how often it is come to there is not how often it calls.
SENT = """#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>
#include <string.h>
#include <assert.h>
static int s[2];
static void *send2(void *x)
{
	const char *p = x;
	send(s[0], p, 1, 0);
	send(s[0], p, 1, 0);
	return 0;
}
int main(void)
{
	pthread_t a, b; char buf[4]; int n = 0;
	socketpair(AF_UNIX, SOCK_STREAM, 0, s);
	pthread_create(&a, 0, send2, "a"); pthread_create(&b, 0, send2, "b");
	while (n < 4) n += (int)recv(s[1], buf + n, 4 - (size_t)n, 0);
	pthread_join(a, 0); pthread_join(b, 0);
	assert(buf[0] == buf[1] && buf[2] == buf[3]);
	return 0;
}
"""

# The child has the lock as it was when it was forked: taken, by a thread that it has not.
FORKED = """#include <pthread.h>
#include <unistd.h>
#include <sys/wait.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static int n;
static void *t1(void *x) { pthread_mutex_lock(&m); n++; pthread_mutex_unlock(&m); return x; }
int main(void)
{
	pthread_t t; int st;
	pthread_create(&t, 0, t1, 0);
	pid_t p = fork();
	if (p == 0) {
		pthread_mutex_lock(&m);
		n++;
		pthread_mutex_unlock(&m);
		_exit(0);
	}
	pthread_join(t, 0);
	waitpid(p, &st, 0);
	return WEXITSTATUS(st);
}
"""

# Nothing has come when the time is over. The lock is taken again before that is looked at.
TIMED = """#include <pthread.h>
#include <time.h>
#include <errno.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static pthread_cond_t c = PTHREAD_COND_INITIALIZER; static int *res;
static void *srv(void *x)
{
	int *p = malloc(sizeof *p); *p = 5;
	pthread_mutex_lock(&m); res = p; pthread_cond_signal(&c); pthread_mutex_unlock(&m);
	return x;
}
int main(void)
{
	pthread_t t; struct timespec ts; int r = 0, v = 0;
	clock_gettime(CLOCK_REALTIME, &ts); ts.tv_nsec += 50000000; if (ts.tv_nsec >= 1000000000) { ts.tv_sec++; ts.tv_nsec -= 1000000000; }
	pthread_create(&t, 0, srv, 0);
	pthread_mutex_lock(&m);
	while (!res && r != ETIMEDOUT)
		r = pthread_cond_timedwait(&c, &m, &ts);
	v = *res;
	pthread_mutex_unlock(&m);
	pthread_join(t, 0);
	return v == 5 || v == 0 ? 0 : 1;
}
"""

# The child comes to life in the middle of a line, and main passes those behind it, too.
SIGNAL = """#include <signal.h>
#include <unistd.h>
#include <assert.h>
static volatile int a, b; static volatile sig_atomic_t fired;
static void tick(int s) { (void)s; fired = 1; assert(a == b); }
int main(void)
{
	signal(SIGUSR1, tick);
	pid_t me = getpid();
	pid_t k = fork();
	if (k == 0) { kill(me, SIGUSR1); _exit(0); }
	for (int i = 0; i < 3; i++) {
		a++;
		usleep(1);
		b++;
	}
	while (!fired) usleep(10);
	return 0;
}
"""

# The process ends in its line: nobody ever leaves it.
DIED = """#include <pthread.h>
#include <errno.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <assert.h>
struct sh { pthread_mutex_t m; int a, b; };
int main(void)
{
	struct sh *s = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_t at; pthread_mutexattr_init(&at); pthread_mutexattr_setpshared(&at, 1); pthread_mutexattr_setrobust(&at, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&s->m, &at);
	pid_t p = fork();
	if (p == 0) { pthread_mutex_lock(&s->m); s->a++; _exit(0); }
	int r = pthread_mutex_lock(&s->m);
	if (r == EOWNERDEAD) {
		pthread_mutex_consistent(&s->m);
	}
	assert(s->a == s->b);
	pthread_mutex_unlock(&s->m);
	waitpid(p, 0, 0);
	return 0;
}
"""

# The child has the end of a pipe that was made between two points, before the fork.
LEAKED = """#include <pthread.h>
#include <unistd.h>
#include <sys/wait.h>
#include <fcntl.h>
#include <stdlib.h>
static void *spawner(void *x)
{
	pid_t p = fork();
	if (p == 0) { char c; int *r = x; read(r[0], &c, 1); _exit(0); }
	waitpid(p, 0, 0);
	return 0;
}
int main(void)
{
	int g[2], d[2]; char c; pthread_t t;
	pipe2(g, O_CLOEXEC);
	pthread_create(&t, 0, spawner, g);
	pipe(d);
	close(d[1]);
	read(d[0], &c, 1);
	write(g[1], "x", 1);
	pthread_join(t, 0);
	return 0;
}
"""

# What main does between its last point and its end has destroyed what the thread uses.
DESTROYED = """#include <thread>
#include <string>
#include <cstdlib>
#include <atomic>
struct Log { char *buf = (char *)malloc(8); ~Log() { free(buf); buf = nullptr; } void put(char c) { buf[0] = c; } };
static Log l;
static std::atomic<bool> done;
int main()
{
	std::thread t([] { l.put('x'); done = true; });
	t.detach();
	return 0;
}
"""

# ... or made it another object.
VIRTUAL = """#include <thread>
#include <atomic>
struct Base {
	std::thread t; std::atomic<bool> quit{false};
	virtual void step() = 0;
	void start() { t = std::thread([this] { while (!quit) { step(); quit = true; } }); }
	void finish() { if (t.joinable()) t.join(); }
	virtual ~Base() { finish(); }
};
struct Derived : Base {
	int n = 0;
	void step() override { n++; }
};
int main() { Derived d; d.start(); }
"""

# One call that waits, and one that does several things in the kernel.
WAITED = """#include <pthread.h>
#include <assert.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x = 1, y = 2, z = 4, balance;
static int did_deposit, did_withdraw;
static void *deposit(void *a)
{
	pthread_mutex_lock(&m);
	balance = balance + y;
	did_deposit = 1;
	pthread_mutex_unlock(&m);
	return a;
}
static void *withdraw(void *a)
{
	int seen = balance;
	pthread_mutex_lock(&m);
	balance = seen - z;
	did_withdraw = 1;
	pthread_mutex_unlock(&m);
	return a;
}
static void *check(void *a)
{
	pthread_mutex_lock(&m);
	if (did_deposit && did_withdraw)
		assert(balance == x + y - z);
	pthread_mutex_unlock(&m);
	return a;
}
int main(void)
{
	pthread_t t[3];
	balance = x;
	pthread_create(&t[0], 0, check, 0);
	pthread_create(&t[1], 0, deposit, 0);
	pthread_create(&t[2], 0, withdraw, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	return 0;
}
"""

# main waits for both children, whatever they do; the failure is that the second one comes first.
NEEDLESS = """#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
static char name[] = "/proc/self/fd/9";
static void take(int who)
{
	int fd = open(name, O_RDWR), first;
	flock(fd, LOCK_EX);
	pread(fd, &first, 4, 0);
	if (first == 0) pwrite(fd, &who, 4, 0);
	flock(fd, LOCK_UN);
	close(fd);
}
int main(void)
{
	int first = 0;
	int fd = dup2(memfd_create("n", 0), 9);
	pwrite(fd, &first, 4, 0);
	for (int i = 1; i <= 2; i++) if (fork() == 0) { take(i); _exit(0); }
	wait(0);
	wait(0);
	pread(fd, &first, 4, 0);
	return first == 1 ? 0 : 3;
}
"""

# Both have read before either writes, and what is read from a file is no step. LATE: the first one is slow to begin.
UNSEEN = NEEDLESS.replace("static void take(int who)", """static void add(int who)
{
	int fd = open(name, O_RDWR), v;
	if (who == 1 && getenv("LATE")) usleep(200000);
	pread(fd, &v, 4, 0);
	flock(fd, LOCK_EX);
	v++;
	pwrite(fd, &v, 4, 0);
	flock(fd, LOCK_UN);
	close(fd);
}
static void take(int who)""").replace("{ take(i);", "{ add(i);").replace("first == 1 ?", "first == 2 ?")

PROGRAMS = {
    "vector.cc": (VECTOR, 'signal = "SIGABRT"'),
    "shared.cc": (SHARED, 'signal = "SIGABRT"'),
    "sent.c": (SENT, 'signal = "SIGABRT"'),
    "forked.c": (FORKED, "deadlock = true"),
    "timed.c": (TIMED, 'signal = "SIGSEGV"'),
    "signal.c": (SIGNAL, 'signal = "SIGABRT"'),
    "died.c": (DIED, 'signal = "SIGABRT"'),
    "leaked.c": (LEAKED, "deadlock = true"),
    "destroyed.cc": (DESTROYED, 'signal = "SIGSEGV"'),
    "virtual.cc": (VIRTUAL, 'signal = "SIGABRT"'),
}


def read(path):
    with open(path) as f:
        return f.read()


def forced(t, name):
    """The program, and its script, which forces the failure."""
    runs = 200 if t.full else 20
    text, expected = PROGRAMS[name]
    program = compile_text(name, text, "-g -O0")
    r = t.gate("explore", "-j", "1", "--verify", str(VERIFY), "-o", t.path("found"), "--", program, seconds=SECONDS)
    t.check("\nthe script has forced it in %d of %d runs\n" % (VERIFY, VERIFY) in r.err, "there is a script", r)
    script = t.path("found/1/gates.lua")
    t.check(expects(expected, read(script)), "what it expects: " + read(script), r)
    again = t.gate("run", "--repeat", str(runs), "-g", script, "--", program)
    t.equal(again.status, 0, "as the script expects, in all runs: " + read(script), again)
    return program, read(script)


@timeout(150)
@params(*PROGRAMS)
def test_forced(t, name):
    forced(t, name)


@timeout(150)
def test_told_once(t):
    """A call that waits, or does several things in the kernel, is one call in the story."""
    PROGRAMS["waited.c"] = (WAITED, 'signal = "SIGABRT"')
    story = re.sub(r"\n--\s*", " ", forced(t, "waited.c")[1])
    # the function in which glibc 2.41 aborts has no name without debug symbols
    t.check(re.search(r"calls (assert_fail|into the kernel and signals) \(", story), "the assertion fails once: " + story)
    t.check(not re.search(r"locks( `m`)? \((waited.c:\d+)\), locks( `m`)? \(\2\)", story), "no lock is told twice: " + story)


@timeout(150)
def test_needless(t):
    """Gates that do not matter are left out: also an order that somebody waits first, and one that was tried when another was missing."""
    program = compile_text("needless.c", NEEDLESS, "-g -O0")
    r = t.gate("explore", "-j", "1", "--verify", "40", "--gates-for", wall(80), "-o", t.path("found"), "--", program, seconds=140)
    text = read(t.path("found/1/gates.lua"))
    t.equal(len(re.findall("^(?:at|on)\\b", text, re.M)), 2, "places: " + text, r)
    t.check("\norder " not in text, "no order: " + text, r)
    r = t.gate("run", "--repeat", "40", "-g", t.path("found/1/gates.lua"), "--", program)
    t.equal(r.status, 0, "as the script expects, in all runs", r)


@timeout(150)
def test_unseen(t):
    """What a thread does before its first step may matter: it is forced, too."""
    program = compile_text("unseen.c", UNSEEN, "-g -O0")
    r = t.gate("explore", "-j", "1", "--verify", "20", "--gates-for", wall(100), "-o", t.path("found"), "--", program, seconds=140)
    script = t.path("found/1/gates.lua")
    for late in ({}, {"LATE": "1"}):
        r = t.gate("run", "--repeat", "10", "-g", script, "--", program, env=late)
        t.equal(r.status, 0, "as the script expects, in all runs: " + read(script), r)
