/* For tests of expressions: variables of all kinds, evaluated in this program itself. */
#ifndef TESTS_SYMBOLS_EVAL_H
#define TESTS_SYMBOLS_EVAL_H

#include "symbols_self.h"

#include "tracer/inspect/values/value_internal.h"

struct node {
	struct node *next;
	int value;
	unsigned flag : 3;
	signed delta : 5;
	char name[8];
};

struct queue {
	struct node *head, *tail;
	int count;
	double load;
	union {
		int whole;
		char part[4];
	};
	struct {
		int hidden;
	};
	int (*compare)(int, int);
};

enum state { STATE_IDLE, STATE_BUSY = 5, STATE_LOST = -1 };

typedef unsigned long word_t;

static int compare(int a, int b)
{
	return a - b;
}

struct pair {
	int a;
	char b;
};

static struct pair pairs[3] = {{1, 'x'}, {2, 'y'}, {3, 'z'}};
static struct node second = {NULL, 8, 5, -3, "second"};
static struct node first = {&second, 7, 2, 3, "first"};
struct queue eval_queue = {&first, &second, 2, 0.5, {0x01020304}, {9}, compare};
static int numbers[4] = {10, 20, 30, 40}, grid[2][3] = {{1, 2, 3}, {4, 5, 6}};
static enum state now = STATE_BUSY, lost = STATE_LOST;
static const char *text = "hello";
static char letters[8] = "letters";
static unsigned char byte = 200;
static signed char small = -5;
static short narrow = -300;
static unsigned short wide = 60000;
static int i = -7, j = 3, zero;
static unsigned u = 4000000000u, one = 1;
static long l = -5000000000;
static unsigned long ul = 0xfedcba9876543210, huge = 0xffffffffffffffff;
static float f = 1.5f, third = 1.0f / 3;
static double d = -2.25, tenth = 0.1;
static long double ld = 1.25L;
static _Bool yes = 1, no;
static __int128 giant = (__int128)1 << 100;
static void *null;
static word_t word = 77;

/* ---- the scope ------------------------------------------------------------------------------ */

struct place {
	struct self *self;
	struct inspect_call call;
};

/* The frame of the caller; valid until the caller returns. */
__attribute__((noinline)) static void take_place(struct place *p, const char *function)
{
	struct dwarf_frame here, caller;
	ERROR(err);

	self_frame(p->self, &here);
	if (dwarf_frame_up(&here, &caller, &err) != 1)
		fail_msg("%s", err.text);
	p->call = (struct inspect_call){.frame = caller, .function = function};
}

static void use_all(void)
{
	__asm__ volatile("" ::"r"(&first), "r"(numbers), "r"(grid), "r"(&now), "r"(&lost),
			 "r"(&text), "r"(letters), "r"(&byte));
	__asm__ volatile("" ::"r"(&small), "r"(&narrow), "r"(&wide), "r"(&i), "r"(&j), "r"(&zero),
			 "r"(&u), "r"(&one));
	__asm__ volatile("" ::"r"(&l), "r"(&ul), "r"(&huge), "r"(&f), "r"(&third), "r"(&d),
			 "r"(&tenth), "r"(&ld));
	__asm__ volatile("" ::"r"(&yes), "r"(&no), "r"(&giant), "r"(&null), "r"(&word),
			 "r"(&eval_queue), "r"(pairs));
}

static int set_up(void **state)
{
	struct place *p = base_alloc(1, sizeof(*p));

	use_all();
	p->self = self_new();
	*state = p;
	return 0;
}

static int tear_down(void **state)
{
	struct place *p = *state;

	self_free(p->self);
	base_free(p);
	return 0;
}

static struct inspect_value value_of(struct place *p, const char *expression)
{
	struct inspect_value v;
	ERROR(err);

	if (inspect_eval(&p->call, expression, &v, &err) < 0)
		fail_msg("%s", err.text);
	return v;
}

static int64_t number_of(struct place *p, const char *expression)
{
	struct inspect_value v = value_of(p, expression);
	struct inspect_plain plain;
	ERROR(err);

	if (inspect_plain(&v, &plain, &err) < 0)
		fail_msg("%s: %s", expression, err.text);
	if (plain.kind != INSPECT_INTEGER && plain.kind != INSPECT_BOOL &&
	    plain.kind != INSPECT_ENUM)
		fail_msg("%s: kind %d", expression, plain.kind);
	inspect_plain_fini(&plain);
	return plain.integer;
}

#endif
