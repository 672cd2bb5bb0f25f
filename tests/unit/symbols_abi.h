/* Functions to call and values to pass, for tests of calls and return values. */
#ifndef TESTS_SYMBOLS_ABI_H
#define TESTS_SYMBOLS_ABI_H

#include "symbols_self.h"

#include "tracer/inspect/calls/calls.h"
#include "tracer/inspect/values/value_internal.h"

struct small {
	int a, b;
};
struct mixed {
	long a;
	double b;
};
struct floats {
	float x, y, z;
};
struct large {
	long a[3];
};
struct packed {
	char a;
	int b;
} __attribute__((packed));
struct nothing;
union both {
	double d;
	long l;
};
union odd {
	long double ld;
	double d;
};
struct wide {
	long double ld;
};
struct bits {
	unsigned a : 3, b : 20;
	float c;
};

enum colour { RED, GREEN = 5, BLUE = -1 };

typedef int operation(int, int);

static struct small here = {3, 4};
static struct mixed mix = {7, 0.25};
static operation *chosen;
static struct {
	operation *op;
} table;

/* Arguments that the functions received. */
static long seen[6];
static double seen_d;
static char seen_text[32];

__attribute__((noinline, used)) static int add(int a, int b)
{
	return a + b;
}

__attribute__((noinline, used)) long abi_six(long a, int b, short c, signed char d, _Bool e,
					     enum colour f);
long abi_six(long a, int b, short c, signed char d, _Bool e, enum colour f)
{
	seen[0] = a;
	seen[1] = b;
	seen[2] = c;
	seen[3] = d;
	seen[4] = e;
	seen[5] = f;
	return 42;
}

__attribute__((noinline, used)) double abi_floats(float f, double d, int i);
double abi_floats(float f, double d, int i)
{
	seen_d = f;
	return f + d + i;
}

__attribute__((noinline, used)) int abi_text(const char *text, struct small *s);
int abi_text(const char *text, struct small *s)
{
	snprintf(seen_text, sizeof(seen_text), "%s", text ? text : "NULL");
	return s ? s->a : -1;
}

__attribute__((noinline, used)) struct small abi_small(struct small s);
struct small abi_small(struct small s)
{
	return (struct small){s.b, s.a};
}

__attribute__((noinline, used)) struct mixed abi_mixed(struct mixed m);
struct mixed abi_mixed(struct mixed m)
{
	return (struct mixed){m.a + 1, m.b * 2};
}

__attribute__((noinline, used)) struct floats abi_three(float x);
struct floats abi_three(float x)
{
	return (struct floats){x, x + 1, x + 2};
}

__attribute__((noinline, used)) struct large abi_large(int x);
struct large abi_large(int x)
{
	return (struct large){{x, x, x}};
}

__attribute__((noinline, used)) long double abi_long_double(int x);
long double abi_long_double(int x)
{
	return x + 0.5L;
}

__attribute__((noinline, used)) void abi_void(void);
void abi_void(void)
{
	seen[0]++;
}

__attribute__((noinline, used)) signed char abi_char(int x);
signed char abi_char(int x)
{
	return (signed char)x;
}

__attribute__((noinline, used)) enum colour abi_enum(enum colour c);
enum colour abi_enum(enum colour c)
{
	return c == RED ? BLUE : GREEN;
}

__attribute__((noinline, used)) __int128 abi_giant(__int128 x);
__int128 abi_giant(__int128 x)
{
	return x * 3;
}

/* Variables that make the types known to the debug information. */
struct packed abi_packed;
union both abi_both;
union odd abi_odd;
struct wide abi_wide;
struct bits abi_bits;
struct large abi_big;
static struct nothing *opaque;

/* ---- set-up --------------------------------------------------------------------------------- */

struct place {
	struct self *self;
	struct inspect_call call;
	struct inspect_plain args[8];
	size_t count;
	struct inspect_entry entry;
	struct error err;
};

static int set_up(void **state)
{
	struct place *p = base_alloc(1, sizeof(*p));

	chosen = table.op = add;
	__asm__ volatile("" ::"r"(&chosen), "r"(&table), "r"(&here), "r"(&mix), "r"(&opaque));
	p->self = self_new();
	self_frame(p->self, &p->call.frame);
	p->call.function = "set_up";
	*state = p;
	return 0;
}

static int tear_down(void **state)
{
	struct place *p = *state;

	self_free(p->self);
	error_fini(&p->err);
	base_free(p);
	return 0;
}

static int64_t whole(const struct inspect_value *v)
{
	struct inspect_plain plain;
	ERROR(err);

	if (inspect_plain(v, &plain, &err) < 0)
		fail_msg("%s", err.text);
	if (plain.kind == INSPECT_FLOAT)
		fail_msg("a float: %g", plain.number);
	inspect_plain_fini(&plain);
	return plain.integer;
}

static int64_t member(const struct inspect_value *v, const char *name)
{
	struct inspect_value m;
	ERROR(err);

	if (inspect_field(v, name, &m, &err) < 0)
		fail_msg("%s", err.text);
	return whole(&m);
}

#endif
