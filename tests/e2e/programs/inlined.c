/* Statements that make calls which compilers inline; each marked line says how often it is executed. */
#include <stdio.h>
volatile int sink, zero;
struct list { struct list *next; int v; };
static inline int check(int i)
{
	return i % 3 == 0;
}
static inline int big(int i)
{
	if (i > 5)
		return 2;
	return sink & 0;
}
static inline int scan(const char *s)
{
	int n = 0;
	while (*s)
		n += *s++ == 'a';
	return n;
}
static inline int find(const int *a, int n, int x)
{
	for (int i = 0; i < n; i++)
		if (a[i] == x)
			return i;
	return -1;
}
static inline void set(int v)
{
	sink = v;
}
static inline struct list *next(struct list *l)
{
	return l->next;
}
static inline int add(int a, int b)
{
	set(a);
	return a + b;
}
static inline int twice(int a)
{
	return add(a, add(a, zero));
}
static inline int clamp(int v, int lo, int hi)
{
	if (v < lo)
		return lo;
	if (v > hi)
		return hi;
	return v;
}
__attribute__((noinline)) void g(int i) { sink = i; }
__attribute__((noinline)) int h(int i) { sink = i; return i; }
__attribute__((noinline)) int returns(int i)
{
	if (check(i)) /* gate: c20 9 */
		return add(i, 1); /* gate: c21 3 */
	return big(i) ? twice(i) : clamp(i, 2, 7); /* gate: c22 6 */
}
__attribute__((noinline)) int walk(struct list *l)
{
	int n = 0;
	for (struct list *p = l; p; p = next(p))
		n += p->v; /* gate: c23 5 */
	while (l && !check(l->v))
		l = next(l); /* gate: c24 2 */
	return n; /* gate: c25 1 */
}
int main(int argc, char **argv)
{
	static const int table[] = {5, 3, 8, 1, 9, 2, 7, 4, 6};
	struct list l[5];
	int x = 0;
	(void)argv;
	for (int i = 0; i < 5; i++) {
		l[i].next = i < 4 ? &l[i + 1] : NULL; /* gate: c1 5 */
		l[i].v = i + 1; /* gate: c2 5 */
	}
	for (int i = 1; i <= 9; i++) {
		if (check(i)) g(i); /* gate: c3 9 */
		sink = i; /* gate: c4 9 */
		if (check(i + argc - 1) && check(i + zero)) g(i + 1); /* gate: c5 9 */
		if (scan(&"aabababa"[i - 1]) > 2) g(i); /* gate: c6 9 */
		x = find(table, 9, i); /* gate: c7 9 */
		if (find(table, 9, i + 1) < 0) g(0); /* gate: c8 9 */
		set(i); /* gate: c9 9 */
		x += add(i, x) + add(x, i); /* gate: c10 9 */
		g(twice(x)); /* gate: c11 9 */
		sink = clamp(x, 3, 100) + clamp(i, 2, 5); /* gate: c12 9 */
		if (big(i) == 2) { /* gate: c13 9 */
			set(3); /* gate: c14 4 */
			g(clamp(i, 0, 7)); /* gate: c15 4 */
		} else if (check(i)) { /* gate: c16 5 */
			set(h(i)); /* gate: c17 1 */
		}
		switch (big(i)) { /* gate: c18 9 */
		case 2:
			set(9); /* gate: c19 4 */
		}
		x += returns(i);
		set(h(i) + check(i)); /* gate: c26 9 */
		sink = check(h(i)) ? add(i, 2) : h(i + 1); /* gate: c27 9 */
		while (!check(x)) x++;
		do { set(x); } while (0); /* gate: c28 9 */
		if (check(h(i)) || big(i)) set(0); /* gate: c29 9 */
	}
	x += walk(l); /* gate: c30 1 */
	printf("%d\n", x > 0);
	return 0;
}
