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
