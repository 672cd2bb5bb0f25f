/* The number of harnesses: counted one by one, and by the formula of model.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tracer/harness/model/model.h"

enum { VALUES = 3, THREADS = 3, CALLS = 6 };

/* Number of operations with and without a value, and of those that only read. */
struct operations {
	unsigned taking, plain, reading_taking, reading_plain;
};

/* ---- counted --------------------------------------------------------------------------------- */

static void add_op(struct harness_object *o, unsigned values, bool reads)
{
	struct harness_op *op = array_add(&o->ops);
	struct harness_argument *a;

	op->function = base_strdup("f");
	op->name = base_strdup("f");
	op->result = base_strdup("int");
	op->reads = reads;
	if (!values)
		return;
	a = array_add(&op->arguments);
	a->type = base_strdup("int");
	a->renames = true;
	for (unsigned i = 0; i < values; i++)
		*array_add(&a->values) = base_strdup((const char *[]){"1", "2", "3"}[i]);
}

static unsigned long counted(const struct operations *ops, unsigned values, unsigned threads,
			     unsigned size)
{
	struct harness_object o = {.type = base_strdup("struct o")};
	struct enumeration e;
	struct schema s;
	unsigned long count = 0;

	for (unsigned i = 0; i < ops->taking; i++)
		add_op(&o, values, i < ops->reading_taking);
	for (unsigned i = 0; i < ops->plain; i++)
		add_op(&o, 0, i < ops->reading_plain);
	harness_calls(&o);
	enumerate_begin(&e, &o, threads, size, ENUMERATE_ALL);
	while (enumerate_next(&e, &s))
		count++;
	enumerate_fini(&e);
	harness_object_fini(&o);
	return count;
}

/* ---- by the formula -------------------------------------------------------------------------- */

static unsigned long power(unsigned long base, unsigned n)
{
	unsigned long product = 1;

	while (n--)
		product *= base;
	return product;
}

/* The k-th of the n^n maps of n things to n things. Returns false if it is no permutation. */
static bool permutation(unsigned long k, unsigned n, unsigned *to)
{
	unsigned seen = 0;

	for (unsigned i = 0; i < n; i++, k /= n) {
		to[i] = (unsigned)(k % n);
		seen |= 1u << to[i];
	}
	return seen == (1u << n) - 1;
}

/* Number of things that are at their place again after `times` permutations. */
static unsigned fixed(const unsigned *to, unsigned n, unsigned times)
{
	unsigned count = 0;

	for (unsigned i = 0; i < n; i++) {
		unsigned at = i;

		for (unsigned k = 0; k < times; k++)
			at = to[at];
		count += at == i;
	}
	return count;
}

/* True if threads that change places make equally many calls. */
static bool keeps_counts(const unsigned *to, const unsigned *counts, unsigned threads)
{
	for (unsigned t = 0; t < threads; t++)
		if (counts[to[t]] != counts[t])
			return false;
	return true;
}

/* Number of harnesses that remain equal under this permutation of threads and values. */
static unsigned long same_after(unsigned taking, unsigned plain, const unsigned *renaming,
				unsigned values, const unsigned *swap, const unsigned *counts,
				unsigned threads)
{
	unsigned long product = 1;
	unsigned seen = 0;

	for (unsigned t = 0; t < threads; t++) {
		unsigned length = 0;

		for (unsigned u = t; !(seen >> u & 1); u = swap[u], length++)
			seen |= 1u << u;
		if (length)
			product *=
				power(plain + taking * fixed(renaming, values, length), counts[t]);
	}
	return product;
}

/* Burnside's lemma, for one distribution of the calls among the threads. */
static unsigned long orbits(unsigned taking, unsigned plain, unsigned values,
			    const unsigned *counts, unsigned threads)
{
	unsigned long sum = 0, group = 0;
	unsigned renaming[VALUES], swap[THREADS];

	for (unsigned long v = 0; v < power(values, values); v++)
		for (unsigned long t = 0; t < power(threads, threads); t++)
			if (permutation(v, values, renaming) && permutation(t, threads, swap) &&
			    keeps_counts(swap, counts, threads)) {
				sum += same_after(taking, plain, renaming, values, swap, counts,
						  threads);
				group++;
			}
	return sum / group;
}

/* Sums over the distributions of calls from thread `at` on, in descending order. */
static unsigned long shared(const struct operations *ops, unsigned values, unsigned *counts,
			    unsigned threads, unsigned at, unsigned left)
{
	unsigned long sum = 0;

	if (at == threads)
		return left ? 0
			    : orbits(ops->taking, ops->plain, values, counts, threads) -
				       orbits(ops->reading_taking, ops->reading_plain, values,
					      counts, threads);
	for (counts[at] = 1; counts[at] <= left && (!at || counts[at] <= counts[at - 1]);
	     counts[at]++)
		sum += shared(ops, values, counts, threads, at + 1, left - counts[at]);
	return sum;
}

static unsigned long formula(const struct operations *ops, unsigned values, unsigned threads,
			     unsigned size)
{
	unsigned counts[THREADS];

	return shared(ops, values, counts, threads, 0, size);
}

/* ---- comparison ------------------------------------------------------------------------------ */

/* push, pop, size with three values: counted by hand for two calls. */
static void of_a_queue(void **state)
{
	static const struct operations queue = {1, 2, 0, 1};

	(void)state;
	assert_int_equal(formula(&queue, 3, 2, 2), 6);
	assert_int_equal(formula(&queue, 3, 2, 3), 36);
	assert_int_equal(formula(&queue, 3, 2, 4), 232);
	assert_int_equal(formula(&queue, 3, 2, 5), 1304);
}

static void as_many_as_the_formula_says(void **state)
{
	static const struct operations all[] = {
		{1, 1, 0, 0}, {1, 2, 0, 1}, {2, 1, 1, 0}, {2, 2, 1, 1}, {0, 2, 0, 1}};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		for (unsigned values = 1; values <= VALUES; values++)
			for (unsigned threads = 2; threads <= THREADS; threads++)
				for (unsigned size = threads; size <= CALLS; size++)
					assert_int_equal(counted(&all[i], values, threads, size),
							 formula(&all[i], values, threads, size));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_a_queue),
		cmocka_unit_test(as_many_as_the_formula_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
