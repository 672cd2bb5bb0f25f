/* Variables of all kinds; see vars.h. */
#include <complex.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <uchar.h>
#include <wchar.h>
#undef I /* of complex.h */

#include "vars.h"

enum color { RED, GREEN = 5, BLUE = 4000000000u };
enum level { LOW = -3, MID = 0, HIGH = 300 };
enum flags { READ = 1, WRITE = 2, EXEC = 4 };

static const char *enumerator(long long v, size_t size)
{
	switch (v) {
	case RED: return "RED";
	case GREEN: return "GREEN";
	case BLUE: return "BLUE";
	case LOW: return "LOW";
	case HIGH: return "HIGH";
	default: return "-";
	}
	(void)size;
}

struct point {
	int x, y;
};
struct pair {
	int first;
	short second;
};
struct doubles {
	double a, b;
};
struct mixed {
	double d;
	int i;
};
struct big {
	long v[5];
};
struct node {
	int value;
	struct node *next;
	struct {
		char tag;
		union {
			int as_int;
			float as_float;
		};
	};
	union {
		unsigned raw;
		struct {
			unsigned low : 12, high : 20;
		};
	};
};
struct bits {
	unsigned a : 3;
	int b : 5;
	unsigned c : 11;
	int d : 13;
	unsigned long long e : 40;
	signed char f : 2;
	_Bool g : 1;
	enum flags h : 3;
	long long i : 63;
};
struct __attribute__((packed)) packed {
	char c;
	int i;
	short s;
	double d;
	unsigned b1 : 7, b2 : 13, b3 : 31;
};
struct flexible {
	int n;
	short items[];
};
union number {
	int i;
	float f;
	unsigned char bytes[8];
};
struct deep {
	struct {
		struct {
			struct point corner[2];
		} inner;
	} outer;
	int (*op)(int);
	struct deep *self;
};
typedef unsigned int u32;
typedef u32 counter_t;
typedef const volatile counter_t watched_t;
typedef struct point point_t, *point_ptr;
typedef int row_t[3];

extern int extern_global;
extern __thread long extern_tls;
extern int lib_global;
extern __thread int lib_tls;
struct hidden;
extern struct hidden hidden_object;
int second_sum(void);
int lib_bump(int by);

static volatile int zero;
volatile int one = 1;
static int same_name = 111;
static int file_static = -9;
int global = 123456789;
const int global_const = 77;
static const char *const words[] = { "zero", "one", "two", NULL };
__thread int own_tls = 21;
static __thread struct point own_tls_point = { 3, 4 };
struct node tail = { .value = 2, .next = NULL }, head = { .value = 1, .next = &tail };
static _Atomic int atomic_global = 5;

static KEEP int negate(int x)
{
	return -x - zero;
}

static KEEP void integers(void)
{
	int8_t s8 = INT8_MIN + zero;
	uint8_t u8 = UINT8_MAX - zero;
	int16_t s16 = INT16_MIN + zero;
	uint16_t u16 = UINT16_MAX - zero;
	int32_t s32 = INT32_MIN + zero;
	uint32_t u32_max = UINT32_MAX - zero;
	int64_t s64 = INT64_MIN + zero, s64_max = INT64_MAX - zero;
	uint64_t u64 = UINT64_MAX - zero;
	unsigned long long half = 0x8000000000000000ull + zero;
	__int128 wide = -5 + zero;
	unsigned __int128 uwide = 1234567 + zero;
	bool yes = one, no = zero;
	char letter = 'q' + zero;
	signed char minus = -100 + zero;
	unsigned char plus = 200 + zero;
	wchar_t wide_char = 0x20ac + zero;
	char16_t c16 = 0xfffe - zero;
	char32_t c32 = 0x1f600 + zero;
	size_t size = sizeof(struct node) + zero;
	ptrdiff_t diff = -4096 + zero;
	const int constant = 4711;
	volatile long changing = -1l - zero;
	register int in_register = 99 + zero;
	_Atomic int atomic = 17 + zero;
	_Atomic(unsigned long) atomic_long = ~0ul - 1;
	int folded = 6 * 7;
	int dropped = zero + 43;
	long dropped_too = zero - 44;
	counter_t counter = 4000000001u + zero;
	watched_t watched = 8 + zero;

	gate("integers"); /* gate: integers */
	I(s8);
	I(u8);
	I(s16);
	I(u16);
	I(s32);
	I(u32_max);
	I(s64);
	I(s64_max);
	U(u64);
	U(half);
	I(wide);
	I(uwide);
	B(yes);
	B(no);
	I(letter);
	I(minus);
	I(plus);
	I(wide_char);
	I(c16);
	I(c32);
	I(size);
	I(diff);
	I(constant);
	I(changing);
	I(in_register);
	I(atomic);
	U(atomic_long);
	I(folded);
	D(dropped, 43);
	D(dropped_too, -44);
	I(counter);
	I(watched);
}

static KEEP void floats(void)
{
	float f = 1.5f + zero, tiny = 1e-45f, third = 1.0f / (one + 2);
	double d = -2.25 + zero, huge = 1.7976931348623157e308 - zero, eighth = 0.1 + zero;
	long double ld = 3.0625L + zero, ldthird = -1024.5L - zero;
	double infinite = 1.0 / zero, minus_zero = -0.0;
	double _Complex z = 1.5 + zero - 2.5 * _Complex_I;
	float _Complex zf = 4.0f + one * 0.125f * _Complex_I;

	gate("floats"); /* gate: floats */
	F(f);
	F(tiny);
	F(third);
	F(d);
	F(huge);
	F(eighth);
	F(ld);
	F(ldthird);
	F(infinite);
	F(minus_zero);
	F(creal(z)); /* lua: z.real gdb: $_creal(z) */
	F(cimag(z)); /* lua: z.imag gdb: $_cimag(z) */
	F(crealf(zf)); /* lua: zf.real gdb: $_creal(zf) */
	F(cimagf(zf)); /* lua: zf.imag gdb: $_cimag(zf) */
}

static KEEP void enums(void)
{
	enum color red = RED + zero, blue = BLUE - zero;
	enum level low = LOW + zero, high = HIGH + zero, unknown_level = 17 + zero;
	enum color unknown = 6 + zero;
	enum color array[3] = { GREEN, RED, BLUE };

	gate("enums"); /* gate: enums */
	E(red);
	E(blue);
	E(low);
	E(high);
	E(unknown);
	E(unknown_level);
	E(array[0]);
	E(array[2]);
}

static KEEP void pointers(int number)
{
	int *p = &number, **pp = &p, *null = zero ? &number : NULL;
	void *untyped = pp;
	const char *text = words[one], *empty = "" + zero, *no_text = words[3];
	char buffer[16] = "inside", full[4] = { 'f', 'u', 'l', 'l' };
	wchar_t wide_text[] = L"wide";
	struct node *list = &head, **slot = &head.next;
	struct node local = { .value = 7 + zero, .next = list, .tag = 'T', .as_int = 42, .raw = 0xabcde123 };
	int (*function)(int) = negate;
	int grid[2][3] = { { 1, 2, 3 }, { 4, 5, 6 + zero } };
	int (*rows)[3] = grid;
	row_t *typed_rows = grid;
	int cube[2][2][2] = { { { 1, 2 }, { 3, 4 } }, { { 5, 6 }, { 7, 8 + zero } } };
	char const *const *strings = words;
	int *restrict strict = &grid[1][1];
	int *behind = grid[0] + 6;

	buffer[0] += zero;
	gate("pointers"); /* gate: pointers */
	P(p);
	I(*p); /* lua: p[0] */
	P(pp);
	I(**pp); /* lua: pp[0][0] */
	N(null);
	P(untyped);
	S(text);
	S(empty);
	N(no_text);
	S(buffer);
	T(full);
	I(wide_text[3]);
	I(list->value);
	I(list->next->value);
	N(list->next->next);
	I((*slot)->value); /* lua: slot[0].value */
	I(local.value);
	I(local.tag);
	I(local.as_int);
	I(local.raw);
	I(local.low);
	I(local.high);
	I(local.next->next->value);
	P(function);
	I(grid[0][0]);
	I(grid[1][2]);
	I(rows[1][0]);
	I(typed_rows[0][2]);
	I(cube[1][0][1]);
	I(cube[1][1][1]);
	S(strings[2]);
	I(*strict); /* lua: strict[0] */
	P(behind);
	S(words[0]);
	N(words[3]);
}

static KEEP void structs(int n)
{
	struct point point = { n, -n }, points[3] = { { 1, 2 }, { 3, 4 }, { 5, n } };
	point_ptr ptr = &points[1];
	point_t unused_address = { n + 1, n + 2 };
	struct bits bits = { 5, -16, 2047, -4096, 0xffeeddccbb, -2, 1, WRITE | zero, LLONG_MIN / 2 };
	struct packed packed = { 'p', -70000 + zero, -3, 2.5, 100, 8000, 2000000000 };
	struct flexible *flexible = malloc(sizeof(*flexible) + 4 * sizeof(short));
	union number number = { .i = 0x40490fdb };
	struct deep deep = { .op = negate };
	const struct big big = { { 1, -2, 3, -4, n } };
	int vla[n + 1];
	int matrix[n][2];
	static int counted = 50;
	static struct point kept = { 8, 9 };
	struct doubles doubles = { 0.5 + zero, -0.5 };

	for (int i = 0; i <= n; i++)
		vla[i] = i * i;
	for (int i = 0; i < n; i++)
		matrix[i][0] = i, matrix[i][1] = -i;
	flexible->n = 4;
	for (int i = 0; i < 4; i++)
		flexible->items[i] = i - 2;
	deep.outer.inner.corner[1].y = n * 100;
	deep.self = &deep;
	counted += n;
	kept.x += n;
	own_tls += n;
	own_tls_point.y -= n;
	file_static -= n;
	lib_bump(n);
	gate("structs"); /* gate: structs */
	I(point.x);
	I(point.y);
	I(points[0].y);
	I(points[2].y);
	I(ptr->x);
	I(ptr[1].x);
	I(unused_address.x);
	I(unused_address.y);
	I(bits.a);
	I(bits.b);
	I(bits.c);
	I(bits.d);
	U(bits.e);
	I(bits.f);
	B(bits.g);
	I(bits.h);
	I(bits.i);
	I(packed.c);
	I(packed.i);
	I(packed.s);
	F(packed.d);
	I(packed.b1);
	I(packed.b2);
	I(packed.b3);
	I(flexible->n);
	I(flexible->items[3]);
	I(number.i);
	F(number.f);
	I(number.bytes[3]);
	I(deep.outer.inner.corner[1].y);
	I(deep.self->self->outer.inner.corner[1].y);
	P(deep.op);
	I(big.v[1]);
	I(big.v[4]);
	I(vla[0]);
	I(vla[n]); /* lua: vla[hit.var.n] */
	I(matrix[2][1]);
	I(counted);
	I(kept.x);
	I(kept.y);
	F(doubles.a);
	F(doubles.b);
	I(file_static);
	I(same_name);
	I(global);
	I(global_const);
	I(extern_global);
	I(own_tls);
	I(own_tls_point.y);
	I(extern_tls);
	I(lib_global);
	I(lib_tls);
	I(head.next->value);
	I(atomic_global);
	I(one);
	I(zero);
	free(flexible);
}

KEEP long arguments(int a0, long a1, char a2, unsigned short a3, int *a4, struct pair a5, double a6,
		    float a7, int a8, long a9, struct big a10, long double a11, const char *a12,
		    bool a13, enum level a14, struct doubles a15, struct mixed a16)
{
	gate("arguments"); /* gate: arguments */
	I(a0);
	I(a1);
	I(a2);
	I(a3);
	I(*a4); /* lua: a4[0] */
	I(a5.first);
	I(a5.second);
	F(a6);
	F(a7);
	I(a8);
	I(a9);
	I(a10.v[0]);
	I(a10.v[4]);
	F(a11);
	S(a12);
	B(a13);
	E(a14);
	F(a15.a);
	F(a15.b);
	F(a16.d);
	I(a16.i);
	return a0 + a1 + a8;
}

static KEEP void scopes(int value)
{
	int outer = value + 1;

	gate("scopes"); /* gate: scopes */
	I(value);
	I(outer);
	for (int i = 0; i < 2 + zero; i++) {
		int value = i * 10 + 1;
		int doubled = value * 2 + one;

		gate("shadow"); /* gate: shadow */
		I(value);
		I(doubled);
		I(i);
		I(outer);
		{
			const char *outer = words[i];

			gate("inner"); /* gate: inner */
			S(outer);
			I(value);
			I(doubled);
		}
	}
	gate("after"); /* gate: after */
	I(value);
	I(outer);
}

ALWAYS int copied(int k, int seed)
{
	int local = k * 3 + seed;
	struct point pair = { local, k };

	gate("copied"); /* gate: copied */
	I(k);
	I(local);
	I(pair.x);
	I(pair.y);
	return local;
}

static KEEP void copies(int seed)
{
	int sum;

	gate("before"); /* gate: before */
	I(seed);
	sum = copied(4, seed);
	sum += copied(sum, one);
	gate("copies"); /* gate: copies */
	I(sum);
	I(seed);
}

static KEEP int recursion(int depth, int *up)
{
	int here = depth * 7 + *up;
	int below;

	gate("recursion"); /* gate: recursion */
	I(depth);
	I(here);
	I(*up); /* lua: up[0] */
	below = depth ? recursion(depth - 1, &here) : 0;
	gate("back"); /* gate: back */
	I(depth);
	I(here);
	I(below);
	return below + here;
}

static void *in_thread(void *arg)
{
	int *mine = arg;

	own_tls = 1000 + *mine;
	extern_tls = -1;
	lib_bump(3);
	gate("thread"); /* gate: thread */
	I(*mine); /* lua: mine[0] */
	I(own_tls);
	I(own_tls_point.x);
	I(extern_tls);
	I(lib_tls);
	return NULL;
}

int main(int argc, char **argv)
{
	int five = 5 + zero, ret;
	pthread_t thread;
	struct big big = { { 10, 20, 30, 40, 50 } };

	integers();
	floats();
	enums();
	pointers(77 + zero);
	structs(3 + zero);
	arguments(-1, 0x123456789ab, 'c', 65535, &five, (struct pair){ 6, -7 }, 0.25, -0.75f, 88, -99,
		  big, 2.5L, "hello", one, LOW, (struct doubles){ 1.25, -8 },
		  (struct mixed){ 3.5, 33 });
	scopes(40);
	copies(2 + zero);
	ret = recursion(2, &five);
	pthread_create(&thread, NULL, in_thread, &five);
	pthread_join(thread, NULL);
	gate("main"); /* gate: main */
	I(argc);
	S(argv[1]);
	N(argv[argc]); /* lua: argv[hit.var.argc] */
	I(five);
	I(ret);
	I(big.v[2]);
	return 0;
}
