/* Loops of every kind. T(k) counts executions of the statement it stands in, in a build with -DCOUNT;
   in the builds that are looked at it is nothing. The line of each is marked with its number. */
#include <stdio.h>
#include <string.h>

#ifdef COUNT
static long counts[100];
#define T(k) counts[k]++,
#else
#define T(k)
#endif
#define LOOP __attribute__((noinline, noclone)) static void

static volatile int sink;
static int data[1024], other[1024];
static unsigned char bytes[1024];
static double reals[1024];
static volatile int hundred = 100, seven = 7, zero;

__attribute__((noinline)) static int call(int x)
{
	return x + seven;
}

static inline void inlined(int x)
{
	T(1) sink = x; /* gate: l1 */
}

static inline int inlined_loop(int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++)
		T(2) sum += call(i); /* gate: l2 */
	return sum;
}

LOOP plain(int n)
{
	for (int i = 0; i < n; i++)
		T(3) sink = i; /* gate: l3 */
}

LOOP constant(void)
{
	for (int i = 0; i < 2; i++)
		T(4) sink = i; /* gate: l4 */
	for (int i = 0; i < 8; i++)
		T(5) sink = i * i; /* gate: l5 */
	for (int i = 0; i < 1000; i++)
		T(6) sink += i; /* gate: l6 */
}

LOOP whiles(int n)
{
	int k = n;
	while (k > 0) {
		T(7) sink = k; /* gate: l7 */
		k--;
	}
	k = n;
	do {
		T(8) sink = k; /* gate: l8 */
	} while (--k > 0);
	k = n;
	while (k--)
		T(9) sink = call(k); /* gate: l9 */
}

LOOP nested(int n)
{
	for (int i = 0; i < n; i++) {
		T(10) sink = i; /* gate: l10 */
		for (int k = 0; k < 3; k++)
			T(11) sink = i + k; /* gate: l11 */
		T(12) sink = -i; /* gate: l12 */
	}
}

LOOP jumps(int n)
{
	for (int i = 0; i < n; i++) {
		if (i % 3 == 0)
			continue;
		T(13) sink = i; /* gate: l13 */
		if (i == n - 5)
			break;
		T(14) sink = -i; /* gate: l14 */
	}
}

LOOP two_on_a_line(int n)
{
	int a = 0, b = 0;
	for (int i = 0; i < n; i++) {
		T(15) a += data[i]; b ^= a; /* gate: l15 */
	}
	sink = a + b;
}

LOOP bodies(int n)
{
	for (int i = 0; i < n; i++)
		inlined(i);
	for (int i = 0; i < 4; i++) {
		T(16) inlined(i); /* gate: l16 */
	}
	T(17) sink = inlined_loop(n); /* gate: l17 */
	T(18) sink = inlined_loop(3); /* gate: l18 */
}

LOOP reductions(int n)
{
	int sum = 0, most = 0;
	double total = 0;
	unsigned hash = 5381;
	for (int i = 0; i < n; i++)
		T(19) sum += data[i]; /* gate: l19 */
	for (int i = 0; i < n; i++)
		if (data[i] > most)
			T(20) most = data[i]; /* gate: l20 */
	for (int i = 0; i < n; i++)
		T(21) total += reals[i]; /* gate: l21 */
	for (int i = 0; i < n; i++) {
		T(22) hash = hash * 33 + bytes[i]; /* gate: l22 */
	}
	sink = sum + most + (int)total + (int)hash;
}

LOOP peeled(int n)
{
	int last = -1;
	for (int i = 0; i < n; i++) {
		if (i == 0)
			T(23) sink = 77; /* gate: l23 */
		T(24) sink = last; /* gate: l24 */
		last = data[i];
	}
}

LOOP unswitched(int n, int flag)
{
	for (int i = 0; i < n; i++) {
		if (flag)
			T(25) sink = i; /* gate: l25 */
		else
			T(26) sink = -i; /* gate: l26 */
		T(27) other[i] = data[i] + flag; /* gate: l27 */
		sink = other[i];
	}
}

LOOP calls(int n)
{
	for (int i = 0; i < n; i++) {
		T(28) call(i); /* gate: l28 */
		T(29) sink = call(i) + call(-i); /* gate: l29 */
	}
	for (int i = 0; i < n; i++)
		if (call(i) % 2)
			T(30) call(-i); /* gate: l30 */
}

LOOP switches(int n)
{
	for (int i = 0; i < n; i++) {
		switch (i % 5) {
		case 0:
			T(31) sink = 0; /* gate: l31 */
			break;
		case 1:
			T(32) sink = call(i); /* gate: l32 */
			/* fall through */
		case 2:
			T(33) sink = 2; /* gate: l33 */
			break;
		default:
			T(34) sink = i; /* gate: l34 */
		}
	}
}

LOOP gotos(int n)
{
	int i = 0;
again:
	T(35) sink = i; /* gate: l35 */
	if (++i < n)
		goto again;
}

LOOP pointers(const char *s)
{
	int n = 0;
	for (const char *p = s; *p; p++) {
		T(36) n += *p == 'a'; /* gate: l36 */
		sink = n;
	}
	while (*s) {
		T(37) sink = *s++; /* gate: l37 */
	}
}

LOOP arrays(int n)
{
	for (int i = 0; i < n; i++)
		T(38) other[i] = data[i] * 3; /* gate: l38 */
	for (int i = n - 1; i >= 0; i--)
		T(39) other[i] += i; /* gate: l39 */
	for (int i = 1; i < n; i++)
		T(40) other[i] = other[i - 1] + data[i]; /* gate: l40 */
}

LOOP search(int what)
{
	int i;
	for (i = 0; i < 100; i++) {
		if (T(41) data[i] == what) /* gate: l41 */
			break;
	}
	sink = i;
}

LOOP triangle(int n)
{
	for (int i = 0; i < n; i++)
		for (int k = i; k < n; k++)
			T(42) sink += k; /* gate: l42 */
}

LOOP several_lines(int n)
{
	for (int i = 0; i < n; i++) {
		T(43) sink = call(i) + /* gate: l43 */
			     data[i] *
				     call(n);
		T(44) sink = data[i] + /* gate: l44 */
			     other[i] -
				     n;
	}
}

LOOP steps(int n)
{
	for (int i = 0, k = n; i < k; i += 2, k--)
		T(45) sink = i * k; /* gate: l45 */
	for (unsigned u = 1; u < (unsigned)n; u *= 2)
		T(46) sink = (int)u; /* gate: l46 */
}

LOOP early(int n)
{
	for (int i = 0; i < n; i++) {
		if (T(47) call(i) < 0) /* gate: l47 */
			return;
		T(48) sink = i; /* gate: l48 */
	}
}

LOOP fixed(void)
{
	int a[4];
	for (int i = 0; i < 4; i++)
		T(49) a[i] = call(i); /* gate: l49 */
	for (int i = 0; i < 4; i++)
		T(50) sink = a[i]; /* gate: l50 */
	for (int i = 0; i < 4; i++)
		for (int k = 0; k < 2; k++)
			T(51) sink = a[i] + k; /* gate: l51 */
}

LOOP mixed(int n)
{
	int odd = 0;
	for (int i = 0; i < n; i++) {
		T(52) odd = !odd; /* gate: l52 */
		if (odd)
			T(53) sink = i; /* gate: l53 */
	}
}

int main(void)
{
	for (int i = 0; i < 1024; i++) {
		data[i] = i * 7 % 101;
		bytes[i] = (unsigned char)i;
		reals[i] = i;
	}
	plain(hundred);
	plain(zero + 1);
	constant();
	whiles(hundred);
	whiles(seven);
	nested(seven);
	jumps(hundred);
	two_on_a_line(hundred);
	bodies(hundred);
	reductions(hundred);
	reductions(seven);
	peeled(hundred);
	unswitched(hundred, 0);
	unswitched(seven, 1);
	calls(hundred);
	switches(hundred);
	gotos(hundred);
	pointers("abracadabra, a cat");
	arrays(hundred);
	search(50);
	search(1000);
	triangle(seven);
	several_lines(hundred);
	steps(hundred);
	early(hundred);
	fixed();
	mixed(hundred);
#ifdef COUNT
	for (int i = 1; i < 100; i++)
		if (counts[i])
			printf("l%d %ld\n", i, counts[i]);
#endif
	return 0;
}
