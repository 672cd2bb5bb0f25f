"""Before and after a statement, where a compiler has moved parts of it, or leaves its code before it has been executed."""
import re

from harness import compile_text, params, timeout

BUILDS = ("gcc -O0", "gcc -O1", "gcc -O2", "clang -O0", "clang -O1", "clang -O2")

SWITCH = """\
#include <stdio.h>
static int x = 3;
static volatile int in = 4;
static inline __attribute__((always_inline)) void step(int op)
{
	switch (op) {
	case 0: x += 1; break;
	case 1: x *= 7; break;
	case 2: x -= 3; break;
	case 3: x ^= 9; break;
	case 4: x <<= 2; break;
	case 5: puts("5"); break;
	case 6: x = 0; break;
	}
}
__attribute__((noinline)) static int run(int n)
{
	for (int i = 0; i < n; i++) {
		step(in);
		in = in - 1;
	}
	return n;
}
int main(void)
{
	run(2);
	printf("x %d\\n", x);
	return 0;
}
"""

LAST = """\
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int data;
__attribute__((noinline)) static void publish(int v)
{
	pthread_mutex_lock(&m);
	data = v;
	pthread_mutex_unlock(&m);
}
static void *writer(void *arg)
{
	publish(*(int *)arg);
	return NULL;
}
static void *reader(void *arg)
{
	*(int *)arg = pthread_mutex_trylock(&m);
	return NULL;
}
int main(void)
{
	pthread_t w, r;
	int v = 7, busy = -1;
	pthread_create(&w, NULL, writer, &v);
	pthread_create(&r, NULL, reader, &busy);
	pthread_join(w, NULL);
	pthread_join(r, NULL);
	printf("busy %d\\n", busy);
	return busy != 0;
}
"""

MIXED = """\
#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>
static std::vector<int> v;
static std::string text;
static std::mutex m;
static std::atomic<int> runs;
static int x;
extern "C" __attribute__((noinline, used)) long sizes()
{
	asm volatile("");
	return v.size() * 1000 + text.size() * 100 + runs * 10 + m.native_handle()->__data.__lock;
}
__attribute__((noinline)) static int add(int n)
{
	int before = n * 3;
	v.push_back(n);
	return before + n;
}
__attribute__((noinline)) static int append(int n)
{
	int before = n * 3;
	text += "abc";
	return before + n;
}
__attribute__((noinline)) static int start(int n)
{
	int before = n * 3;
	std::thread([] { runs++; }).join();
	return before + n;
}
__attribute__((noinline)) static int enter(int n)
{
	int before = n * 3;
	std::lock_guard<std::mutex> guard(m);
	x += n;
	return before + n;
}
int main(int argc, char **argv)
{
	int s = 0;
	for (int i = 0; i < 2; i++)
		s += add(i + argc) + append(i + argc) + start(i + argc) + enter(i + argc);
	return s == 0;
}
"""

INLINED = """\
#include <pthread.h>
#include <stdio.h>
#define CAP 4
struct queue { pthread_mutex_t lock; pthread_cond_t ne, nf; int items[CAP]; int head, count; unsigned long puts; };
static struct queue q = { .lock = PTHREAD_MUTEX_INITIALIZER, .ne = PTHREAD_COND_INITIALIZER, .nf = PTHREAD_COND_INITIALIZER };
static void put(struct queue *queue, int item)
{
	pthread_mutex_lock(&queue->lock);
	while (queue->count == CAP)
		pthread_cond_wait(&queue->nf, &queue->lock);
	int slot = (queue->head + queue->count) % CAP;
	queue->items[slot] = item;
	queue->count++;
	queue->puts++;
	pthread_cond_broadcast(&queue->ne);
	pthread_mutex_unlock(&queue->lock);
}
static void *producer(void *arg)
{
	int n = *(int *)arg;
	for (int i = 1; i <= n; i++)
		put(&q, i * 10);
	return NULL;
}
int main(void)
{
	pthread_t p;
	int n = 2;
	pthread_create(&p, NULL, producer, &n);
	pthread_join(p, NULL);
	printf("puts %lu\\n", q.puts);
	return 0;
}
"""

FIRST = """\
#include <cstdlib>
#include <thread>
static volatile int made;
void *operator new(std::size_t size) { made = made + 1; return malloc(size); }
void operator delete(void *p) noexcept { free(p); }
static void work() {}
__attribute__((noinline)) static void start()
{
	std::thread(work).join(); // gate: first
	made = made + 10;
}
int main()
{
	start();
	start();
	return 0;
}
"""

COPIES = """\
#include <stdio.h>
#define INLINED static inline __attribute__((always_inline))
static volatile int begun, ended, behind, in = 3;
INLINED void straight(int n)
{
	begun = n;
	puts("straight");
	ended = n;
}
INLINED void early(int n)
{
	begun = n;
	if (n & 1) {
		ended = n;
		return;
	}
	puts("early");
	ended = n;
}
INLINED int loops(int n)
{
	while (in < n)
		in = in + 1;
	begun = n;
	ended = n;
	return n * 3;
}
INLINED int picks(int n)
{
	begun = n;
	for (int i = 0; i < n; i++)
		switch (in + i) {
		case 0: puts("0"); break;
		case 3: in = in + 2; break;
		case 4: puts("4"); break;
		case 7: in = in - 1; break;
		case 9: puts("9"); break;
		}
	ended = n;
	return in;
}
INLINED void waits(int n)
{
	while (in < 100)
		in = in + 50;
	in = 3;
	begun = n;
	ended = n;
}
int main(void)
{
	int sum = 0;
	for (int i = 1; i <= 6; i++) {
		straight(i);
		behind = 10 * i + 1;
		early(i);
		behind = 10 * i + 2;
		sum += loops(i);
		behind = 10 * i + 3;
		sum += picks(i);
		behind = 10 * i + 4;
		waits(i);
		behind = 10 * i + 5;
	}
	printf("%d\\n", sum);
	return 0;
}
"""

OVER = """\
local behind = {straight = 0, early = 1, loops = 2, picks = 3, waits = 4}
local count = 0
for name, before in pairs(behind) do
	at(name, { after = true }):run(function(hit)
		local n = program.var.ended
		local due = before > 0 and 10 * n + before or n > 1 and 10 * (n - 1) + 5 or 0
		count = count + 1
		if n ~= program.var.begun or n ~= hit.count or program.var.behind ~= due then
			fail(("%s: call %d, begun %d, ended %d, behind %d"):format(name, hit.count, program.var.begun, n, program.var.behind))
		end
	end)
end
expect(function() return count == 30 end, "each call is over once")
"""

SIZES = """
local function p(h) print(h:call("sizes")) end
at("add;push_back", {after=true}):run(p)
at("append;text", {after=true}):run(p)
at("start;std::thread", {after=true}):run(p)
at("enter;guard", {after=true}):run(p)
"""


@params(*BUILDS)
def test_switch(t, build):
    """A jump table of a function that is inlined into the statement."""
    compiler, optimised = build.split()
    program = compile_text("swtch.c", SWITCH, "-g " + optimised, compiler=compiler)
    r = t.clean(t.run_gated(program, 'at("run;step(in)", {after=true}):run(function() print("x is", program.var.x) end)\n'))
    t.equal(re.findall(r"x is\t?\s*(\d+)", r.err), ["12", "5"], "what was executed", r)


@timeout(60)
@params(*BUILDS)
def test_last_call(t, build):
    """In optimised builds it is a jump, and what is called returns to the caller's caller."""
    compiler, optimised = build.split()
    program = compile_text("last.c", LAST, "-g " + optimised, compiler=compiler)
    r = t.gate("run", "--repeat", "20", "--order", "publish;pthread_mutex_unlock -> reader;pthread_mutex_trylock", program)
    t.equal((r.status, set(r.out.splitlines())), (0, {b"busy 0"}), "the lock is free", r)


@params("g++ -O0", "g++ -O1", "g++ -O2", "clang++ -O0", "clang++ -O1", "clang++ -O2")
def test_mixed(t, build):
    """Parts of the prologue among the statement's instructions, line 0, and last calls."""
    compiler, optimised = build.split()
    program = compile_text("mixed.cc", MIXED, "-g " + optimised, compiler=compiler)
    r = t.clean(t.run_gated(program, SIZES))
    t.equal(re.findall(r"^(\d+)$", r.err, re.M), "1000 1300 1310 1311 2310 2610 2620 2621".split(), "what was executed", r)


@params(*BUILDS)
def test_before_its_call(t, build):
    """gcc -O2 has the mark behind it."""
    compiler, optimised = build.split()
    program = compile_text("inlined.c", INLINED, "-g " + optimised, compiler=compiler)
    r = t.clean(t.run_gated(program, 'at("put;pthread_mutex_lock"):run(function() print("locked", program.var.q.lock.__data.__lock) end)\n'))
    t.equal(re.findall(r"locked\s+(\d+)", r.err), ["0", "0"], "the lock is free", r)


@params("g++ -O0", "g++ -O2", "clang++ -O0", "clang++ -O2")
def test_first_of_its_function(t, build):
    """clang has the function's own beginning, and pieces behind its end, in the inlined call that the statement begins with."""
    compiler, optimised = build.split()
    program = compile_text("first.cc", FIRST, "-g " + optimised, compiler=compiler)
    r = t.clean(t.run_gated(program, 'at("//first"):run(function() print("made", program.var.made) end)\n'))
    t.equal(re.findall(r"made\s+(\d+)", r.err), ["0", "11"], "threads before", r)


@params(*[f"{c} {o}" for c in ("gcc", "clang") for o in ("-O0", "-O1", "-O2", "-O3")])
def test_copy_of_a_function_is_over(t, build):
    """`after` a function that was inlined: all of the copy has been executed, and nothing behind it."""
    compiler, level = build.split()
    t.clean(t.run_gated(compile_text("copies.c", COPIES, "-g " + level, compiler), script=OVER))
