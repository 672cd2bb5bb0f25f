"""Memory that is given back while another thread may still use it."""

from harness import compile_text, params

# A pointer that is taken out before the block is freed; who has loaded it before uses it after all.
TAKEN = """#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct object { int a; char rest[60]; };
static _Atomic(struct object *) shared;
static void *use(void *arg)
{
	struct object *s = atomic_load(&shared);
	if (s)
		s->a++; //use
	return arg;
}
static void *drop(void *arg)
{
	struct object *s = atomic_exchange(&shared, NULL);
	free(s); //free
	return arg;
}
int main(void)
{
	pthread_t t[2];
	shared = calloc(1, sizeof(struct object));
	pthread_create(&t[0], 0, use, 0);
	pthread_create(&t[1], 0, drop, 0);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	return 0;
}
"""

# Clean: the last one frees it; another block has its memory then.
COUNTED = """#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct object { atomic_int count; int a[2]; };
static struct object *shared;
static void *use(void *which)
{
	shared->a[(long)which]++;
	if (atomic_fetch_sub(&shared->count, 1) == 1)
		free(shared);
	int *own = malloc(sizeof(struct object));
	*own = 1;
	free(own);
	return 0;
}
int main(void)
{
	pthread_t t[2];
	shared = calloc(1, sizeof(*shared));
	shared->count = 2;
	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], 0, use, (void *)i);
	for (long i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	return 0;
}
"""


def line(mark):
    return next(n for n, text in enumerate(TAKEN.split("\n"), 1) if text.endswith("//" + mark))


@params("gcc -O0", "gcc -O2", "clang -O2")
def test_found(t, how):
    compiler, level = how.split()
    r = t.gate("races", "--runs", "30", compile_text("taken.c", TAKEN, f"-g {level}", compiler))
    t.equal(r.status, 116, "status", r)
    t.check(r.first.startswith("gatectl: found: 1 race in "), "the first line", r)
    t.check("taken.c:%d: drop#1 frees it in drop" % line("free") in r.err, "who frees", r)
    t.check("taken.c:%d: use#1 " % line("use") in r.err, "who uses it", r)
    t.check(" byte" not in r.err, "no size of an access", r)


def test_sanitizer(t):
    """Whether a block is free is asked before it is used: there is a point, too, and the report comes."""
    program = compile_text("taken.c", TAKEN, "-g -O1 -fsanitize=address")
    r = t.gate("explore", "--runs", "100", "-o", t.path("found"), program)
    t.equal(r.status, 116, "status", r)
    t.check("the first: a sanitizer's report" in r.err, "what it says", r)


@params("-O0", "-O2")
def test_none(t, level):
    r = t.gate("races", "--runs", "30", compile_text("counted.c", COUNTED, f"-g {level}"))
    t.equal(r.status, 0, "status", r)


# Clean: each thread has memory of its own, and gives it back in some way; another one has it next.
GIVEN = r"""
#include <dirent.h>
#include <pthread.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
static pthread_key_t key;
static int order(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}
static void moved(int *p)
{
	p[0] = 1;
	free(realloc(p, 400000));
}
static void array(int *p)
{
	p[0] = 1;
	free(reallocarray(p, 100000, 4));
}
static void specific(int *p)
{
	p[0] = 1;
	pthread_setspecific(key, p);
}
static void tree(int *p)
{
	void *root = NULL;

	p[0] = 1;
	tsearch(p, &root, order);
	tdestroy(root, free);
}
static void lines(int *p)
{
	char *line = (char *)p, text[5000];
	size_t n = 4000;
	FILE *f;

	line[0] = 1;
	memset(text, 'a', sizeof(text));
	f = fmemopen(text, sizeof(text), "r");
	if (getline(&line, &n, f) > 0)
		line[1] = 2;
	free(line);
	fclose(f);
}
static void directory(int *p)
{
	DIR *d = opendir("/");

	free(p);
	readdir(d)->d_name[0] = 'a';
	closedir(d);
}
static void pages(int *p)
{
	int *own = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	free(p);
	*own = 1;
	own = mremap(own, 4096, 40960, MREMAP_MAYMOVE);
	*own = 2;
	munmap(own, 40960);
}
static void *work(void *arg)
{
	HOW(malloc(4000));
	return arg;
}
int main(void)
{
	pthread_t t[3];

	pthread_key_create(&key, free);
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], 0, work, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	return 0;
}
"""

# At -O2 the destructor jumps to operator delete: it looks as if libc called that.
DESTROYED = r"""
#include <thread>
struct holder {
	int *p;
	~holder() { delete p; }
};
static thread_local holder own;
static void work()
{
	own.p = new int;
	*own.p = 1;
}
int main()
{
	std::thread a(work), b(work), c(work);
	a.join();
	b.join();
	c.join();
}
"""


def has_none(t, program):
    r = t.gate("races", "--runs", "20", program)
    t.equal(r.status, 0, "status", r)
    t.check("no race" in r.err, "what it says", r)


@params("moved", "array", "specific", "tree", "lines", "directory", "pages")
def test_given_back(t, how):
    has_none(t, compile_text("given.c", GIVEN, f"-g -O0 -DHOW={how}"))


@params("moved", "specific", "pages")
def test_given_back_static(t, how):
    has_none(t, compile_text("given.c", GIVEN, f"-g -O0 -static -DHOW={how}"))


def test_given_back_by_jump(t):
    has_none(t, compile_text("destroyed.cc", DESTROYED, "-g -O2"))


@params("realloc(s, 4000)", "realloc(s, 0)")
def test_found_moved(t, how):
    """Who gives a block to realloc has it no more, wherever it is then."""
    text = TAKEN.replace("free(s);", f"s = {how};")
    r = t.gate("races", "--runs", "30", compile_text("taken.c", text, "-g -O0"))
    t.equal(r.status, 116, "status", r)
    t.check("taken.c:%d: drop#1 frees it in drop" % line("free") in r.err, "who frees", r)


# Whoever frees it does not wait for the other one to be done: both may see that the count is 0, or look at it when it
# is free.
COUNTED_TWICE = COUNTED.replace(
    "if (atomic_fetch_sub(&shared->count, 1) == 1)\n\t\tfree(shared);",
    "atomic_fetch_sub(&shared->count, 1);\n"
    "\tif (atomic_load(&shared->count) == 0) //use\n\t\tfree(shared); //free")
COUNTED_TWICE = COUNTED_TWICE[:COUNTED_TWICE.index("\tint *own")] + COUNTED_TWICE[COUNTED_TWICE.index("\treturn 0"):]

# The first one is between its two statements while the other one does all it does.
AFTERWARDS = """local dec, gone = SimpleGate "dec", SimpleGate "gone"
at("use;if (atomic_load", { thread = "use#1" }) :open(dec) :wait(gone)
on("thread-start", { thread = "use#2" }) :wait(dec)
on("thread-exit", { thread = "use#2" }) :open(gone)
"""


def line_twice(mark):
    lines = COUNTED_TWICE.split("\n")
    return next(n for n, text in enumerate(lines, 1) if text.endswith("//" + mark))


@params("-O0", "-O2", "-O0 -fsanitize=address")
def test_afterwards(t, how):
    """What is used after it was freed, too: that one has nothing to wait for."""
    program = compile_text("twice.c", COUNTED_TWICE, f"-g {how}")
    r = t.gate("races", "--runs", "5", "-g", t.file("after.lua", AFTERWARDS), program)
    t.equal(r.status, 116, "status", r)
    t.check("twice.c:%d: use#2 frees it in use" % line_twice("free") in r.err, "who frees", r)
    t.check("twice.c:%d: use#1 reads it" % line_twice("use") in r.err, "who uses it", r)


def test_afterwards_explored(t):
    """So the call and the access are points."""
    program = compile_text("twice.c", COUNTED_TWICE, "-g -O0")
    r = t.gate("explore", "--runs", "400", "-o", t.path("found"), program)
    t.equal(r.status, 116, "status", r)


# Clean: what one thread gives back another one has next, by each function that takes memory.
TAKEN_AGAIN = r"""
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
static int *take(void)
{
	void *p = NULL;

	HOW;
	return p;
}
static void *work(void *arg)
{
	for (int i = 0; i < 8; i++) {
		int *p = take(), *q = take();

		p[0] = q[0] = p[i] = q[i] = i;
		free(p);
		free(q);
	}
	return arg;
}
int main(void)
{
	pthread_t t[3];

	mallopt(M_ARENA_MAX, 1);
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], 0, work, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	return 0;
}
"""


@params("p = malloc(2000)", "p = calloc(5, 400)", "p = realloc(malloc(40), 2000)", "p = memalign(64, 2000)",
        "p = aligned_alloc(64, 2048)", "posix_memalign(&p, 64, 2000)", "p = valloc(2000)",
        "p = reallocarray(malloc(40), 5, 400)", "p = malloc(300000)")
def test_taken_again(t, how):
    has_none(t, compile_text("again.c", TAKEN_AGAIN.replace("HOW", how), "-g -O1 -fno-builtin"))


def test_taken_again_at_once(t):
    """The instruction that malloc returns to uses the block already."""
    text = TAKEN_AGAIN.replace("static int *take", "__attribute__((noinline)) static int *take")
    text = text.replace("void *p = NULL;", "volatile int *p = malloc(2000);").replace("HOW;", "*p = 1;")
    has_none(t, compile_text("once.c", text.replace("return p;", "return (int *)p;"), "-g -O1 -fno-builtin"))


@params("-static", "-fsanitize=address")
def test_taken_again_elsewhere(t, how):
    text = TAKEN_AGAIN.replace("HOW", "p = malloc(2000)")
    has_none(t, compile_text("again.c", text, f"-g -O1 -fno-builtin {how}"))


# The library's code frees and reads for the user: the code of a template.
THROUGH_LIBRARY = r"""
#include <cstdio>
#include <memory>
#include <mutex>
#include <thread>
struct connection { long id = 1; std::unique_ptr<long> rows = std::make_unique<long>(1); };
static std::unique_ptr<connection> owned = std::make_unique<connection>();
static std::mutex mutex;
static volatile long seen;
static void use()
{
	connection *c;
	{
		std::lock_guard<std::mutex> lock(mutex);
		c = owned.get();
	}
	if (c)
		seen = *c->rows; //use
}
static void drop()
{
	std::lock_guard<std::mutex> lock(mutex);
	owned.reset(); //free
}
int main()
{
	std::thread a(use), b(drop);
	a.join();
	b.join();
	return 0;
}
"""
LIBRARY_BUILDS = ("g++ -O0", "g++ -O2", "clang++ -O0", "clang++ -O2")


def line_of(text, mark):
    return next(n for n, line in enumerate(text.split("\n"), 1) if line.endswith("//" + mark))


@params(*LIBRARY_BUILDS)
def test_races_name_the_caller_of_library_code(t, how):
    compiler, level = how.split()
    program = compile_text("through.cc", THROUGH_LIBRARY, f"-g {level} -pthread", compiler)
    r = t.gate("races", "--runs", "40", program)
    t.equal(r.status, 116, "status", r)
    t.check("through.cc:%d: drop#1 frees it in drop" % line_of(THROUGH_LIBRARY, "free") in r.err, "free", r)
    t.check("through.cc:%d: use#1 " % line_of(THROUGH_LIBRARY, "use") in r.err, "use", r)
    for header in ("unique_ptr.h", "tuple", "std_thread.h"):
        t.check(header not in r.err, "no header of the library", r)


# A pointer that is read from the freed block, and followed.
FOLLOWED = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
struct node { struct node *next; char *text; };
static struct node *head;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct node *get(void)
{
	pthread_mutex_lock(&m);
	struct node *h = head;
	pthread_mutex_unlock(&m);
	return h;
}
static void *use(void *arg)
{
	struct node *h = get();
	if (h)
		printf("%c\n", *h->text); //use
	return arg;
}
static void *drop(void *arg)
{
	struct node *h = get();
	free(malloc(100));
	free(h); //free
	return arg;
}
int main(void)
{
	pthread_t a, b;
	head = malloc(sizeof(*head));
	head->text = "text";
	pthread_create(&a, NULL, use, NULL);
	pthread_create(&b, NULL, drop, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
"""


@params("gcc -O0", "gcc -O2", "clang -O0", "clang -O2", *LIBRARY_BUILDS)
def test_crash_names_the_thread_that_freed(t, how):
    """The report, the script and a replay name the call that freed the memory which the crash uses."""
    compiler, level = how.split()
    text = THROUGH_LIBRARY if "++" in compiler else FOLLOWED
    program = compile_text("freed." + ("cc" if "++" in compiler else "c"), text, f"-g {level} -pthread", compiler)
    r = t.gate("explore", "--strategy", "pos", "--runs", "400", "--verify", "5", "-o", t.path("found"), program)
    t.equal(r.status, 116, "status", r)
    who = "drop#1 freed it in drop at freed.%s:%d" % ("cc" if "++" in compiler else "c", line_of(text, "free"))
    t.check(who in r.err, "the message", r)
    script = " ".join(line.lstrip("- ") for line in open(t.path("found/1/gates.lua")).read().split("\n"))
    t.check("where it uses freed memory: " + who in script, script, r)
    again = t.gate("replay", t.path("found/1/schedule"))
    t.check(who in again.err, "the replay", again)
