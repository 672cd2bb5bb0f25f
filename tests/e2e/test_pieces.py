"""A statement that the compiler has made several pieces of, or whose end has the row of another: one execution is one arrival."""

from harness import check_counts, params


CASES = r"""
#include <stdio.h>
volatile int after, sink;
__attribute__((noinline)) static void ext(const char *s) { puts(s); }
__attribute__((noinline)) static void calls(int k)
{
	switch (k) {
	case 0: ext("zero"); break; /* gate: first 1 */
	case 1: ext("one"); break; /* gate: second 2 */
	default: ext("many"); /* gate: otherwise 4 */
	}
	after = k;
}
__attribute__((noinline)) static void stores(int k)
{
	switch (k) {
	case 4: sink = 7; after = 3; break; /* gate: four 1 */
	case 5: ext("five"); sink = k; break; /* gate: five 1 */
	case 6: ext("six"); if (sink) break; sink = 1; break; /* gate: six 1 */
	case 9: return;
	}
	ext("behind"); /* gate: behind 7 */
}
__attribute__((noinline)) static void round(int n)
{
	for (int i = 0; i < n; i++) {
		if (i == 1) { ext("skip"); continue; } /* gate: skip 5 */
		if (i == 4) { ext("end"); break; } /* gate: end 4 */
		ext("on"); /* gate: on 3 */
	}
	after = n;
}
int main(int argc, char **argv)
{
	int k = argc - 1;
	for (int i = 0; i < 7; i++, k++) {
		calls(k == 6 ? 1 : k);
		stores(k);
	}
	round(argc + 7);
	return 0;
}
"""


@params("gcc -O0", "gcc -Og", "gcc -O1", "gcc -O2", "gcc -O3", "g++ -O1", "clang -O0")
def test_break_on_the_line(t, build):
    """Where a `break` needs no jump, its row stands where the other cases go on: they are no executions of its line."""
    check_counts(t, build, "cases.c" + ("c" if "+" in build else ""), CASES)


ROUNDS = r"""
#include <cstdio>
#include <string>
volatile int sink;
__attribute__((noinline)) void see(const std::string &s) { sink = (int)s.size(); }
struct guard {
	int *p;
	~guard() { if (*p > 20) delete p; else sink = sink + 1; }
};
__attribute__((noinline)) void named(int n)
{
	for (int k = 0; k < n; k++) { // gate: head 31
		std::string key = std::to_string(k);
		see(key); // gate: body 30
	}
}
__attribute__((noinline)) void guarded(int n)
{
	for (int k = 0; k < n; k++) { // gate: guarded 31
		std::string key(k, 'x');
		guard g{new int(k)};
		see(key); // gate: inner 30
	}
}
int main(int argc, char **argv)
{
	named(argc * 30);
	guarded(argc * 30);
}
"""


@params("g++ -O0", "g++ -O2", "clang++ -O0", "clang++ -O1", "clang++ -O2", "clang++ -O3")
def test_body_ends_in_a_destructor(t, build):
    """clang marks no statement where the rounds end then; each look at the condition is an arrival all the same."""
    check_counts(t, build, "rounds.cc", ROUNDS)


SPLIT = r"""
static volatile unsigned g;
static unsigned depth;
static unsigned cells[4];
__attribute__((noinline)) static unsigned val(unsigned x) { g = x; return x; }
static inline void clear(unsigned x)
{
	g += val(cells[0]);
	cells[0] = x;
	cells[1] = g;
}
static inline unsigned half(unsigned a, unsigned b)
{
	if (depth > 2)
		return a;
	for (unsigned k = 1; k-- > 0;)
		g += val(k);
	clear(a); /* gate: clear 3 */
	g++;
	b ^= val(a);
	g += val(a & b) + val(a) + val(b);
	return b * 2;
}
int main(void)
{
	if (val(1) % 3 == 0)
		g = half(1, 2);
	g += half(val(2), 4);
	if (val(5) > 5)
		g += half(3, 7) + half(g, 1);
	g += half(9, g);
	g += half(g, 7);
	depth = 3;
	g += half(g, 7);
	return 0;
}
"""


@params("gcc -O0", "gcc -Og", "gcc -O2", "gcc -O3", "gcc -Os")
def test_call_in_a_half(t, build):
    """gcc has cut the function in two, and inlined the second half: what was inlined there stands on the whole's line."""
    check_counts(t, build, "split.c", SPLIT)


BEHIND_PADDING = r"""
#include <stdio.h>
volatile int sink;
int table[16];
__attribute__((noinline)) static int load(int i) { return sink + i; }
__attribute__((always_inline)) static inline int decode(int *dst, int n, const int *src, int fast)
{
	int *end = dst + n; /* gate: end 5 */
	int *last = end - 3;
	int s = 0;
	while (dst < last) {
		s += fast ? *src * 3 + load(*src) : load(*src) ^ 5;
		*dst++ = s;
		src++;
	}
	while (dst < end)
		*dst++ = fast ? s : load(s);
	return s;
}
__attribute__((noinline)) int either(int *dst, int n, const int *src, const short *mode)
{
	if (n > 15)
		return -1;
	if (mode[1])
		return decode(dst, n, src, 1);
	return decode(dst, n, src, 0);
}
int main(int argc, char **argv)
{
	int in[16] = {1, 2, 3}, r = 0;
	short mode[2] = {0, 0};
	for (int i = 0; i < 5; i++) {
		mode[1] = i & 1;
		r += either(table, 8 + i, in, mode);
	}
	printf("%d\n", r);
	return 0;
}
"""


@params("gcc -O0", "gcc -O2", "gcc -O3")
def test_mark_behind_padding(t, build):
    """Nops before a jump's target are no way to it: a row without code there is where the statement begins."""
    check_counts(t, build, "padding.c", BEHIND_PADDING)


WITHOUT_A_LOOP = r"""
#include <cstdio>
#include <cstddef>
struct Policy {
	virtual ~Policy() {}
	virtual size_t get() = 0;
};
class Bloom : public Policy {
public:
	explicit Bloom(int bits_per_key) : bits_(bits_per_key) {
		k_ = static_cast<size_t>(bits_per_key * 0.69); // gate: convert 10
		if (k_ < 1) k_ = 1;
		if (k_ > 30) k_ = 30;
	}
	size_t get() override { return k_; }
private:
	size_t bits_, k_;
};
__attribute__((noinline)) Policy *make(int b)
{
	return new Bloom(b); // gate: make 10
}
int main()
{
	size_t s = 0;
	for (int i = 0; i < 10; i++)
		s += make(i + 2)->get();
	std::printf("%zu\n", s);
}
"""


@params("clang++ -O0", "clang++ -O1", "clang++ -O2", "g++ -O2")
def test_pieces_without_a_loop(t, build):
    """Two pieces of a statement in a straight line, another between them: no loop is written around it, so they are no rounds."""
    check_counts(t, build, "pieces.cc", WITHOUT_A_LOOP)
