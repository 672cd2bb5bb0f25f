/* Malformed line programs: an error with its position, never a crash or a huge table. */
#include "tests/unit/line_maker.h"

#include <time.h>

/* ---- malformed input ------------------------------------------------------------------------- */

/* The bytes in f->line are rejected, by the header or the program pass, with these words. */
static void expect_broken(struct fixture *f, const char *words)
{
	struct line_table *t = table(f);
	int failed = t ? 0 : -1;

	if (t) {
		array_each(struct line_unit, u, &t->units)
			if (failed == 0)
				failed = lines_decode(f->m, u, &f->err);
	}
	assert_int_equal(failed, -1);
	assert_int_equal(f->err.code, ERROR_OBJECT);
	if (!strstr(f->err.text, words))
		fail_msg("'%s' is not in '%s'", words, f->err.text);
	assert_non_null(strstr(f->err.text, "0x"));
}

static void good_unit(struct fixture *f, struct unit *u)
{
	f->line.b.count = 0;
	begin(f, u);
	one_of_each(f);
	finish(f, u);
}

static void test_broken_headers(void **state)
{
	struct fixture *f = *state;
	struct unit u = {.version = 4}, five = {.version = 5, .tables = described_files};

	good_unit(f, &u);
	patch(&f->line, 4, 6, 2);
	expect_broken(f, "version 6");
	patch(&f->line, 4, 1, 2);
	expect_broken(f, "version 1");
	good_unit(f, &u);
	patch(&f->line, 0, f->line.b.count - 3, 4);
	expect_broken(f, "beyond the end of the section");
	patch(&f->line, 0, 0xfffffff1, 4);
	expect_broken(f, "reserved");
	good_unit(f, &u);
	patch(&f->line, u.header, 0x7fffffff, 4);
	expect_broken(f, "header extends beyond");
	good_unit(f, &u);
	patch(&f->line, u.header, 20, 4);
	expect_broken(f, "file table extends beyond");
	good_unit(f, &u);
	patch(&f->line, u.header + 4 + 4, 0, 1);
	expect_broken(f, "line range");
	good_unit(f, &five);
	f->line_str.b.count = 3;
	expect_broken(f, "section of strings");
}

/* Counts that would exhaust memory or time are rejected at once. */
static void test_huge_tables(void **state)
{
	struct fixture *f = *state;
	struct unit u = {.version = 5, .tables = inline_files};
	size_t dirs;

	good_unit(f, &u);
	dirs = u.header + 4 + 6 + 12;
	assert_int_equal(f->line.b.items[dirs], 1);
	f->line.b.items[dirs + 3] = 0x7f;
	expect_broken(f, "beyond the end");
	good_unit(f, &u);
	f->line.b.items[dirs] = 0; /* entries without a form */
	expect_broken(f, "beyond the end");
	good_unit(f, &u);
	f->line.b.items[dirs + 2] = 0x19; /* DW_FORM_flag_present, which has no bytes */
	expect_broken(f, "form");
}

static void test_broken_programs(void **state)
{
	struct fixture *f = *state;
	struct unit u = {.version = 4};

	f->line.b.count = 0;
	begin(f, &u);
	op_address(f, f->code);
	op(f, 1);
	finish(f, &u);
	expect_broken(f, "no end");

	f->line.b.count = 0;
	begin(f, &u);
	put(&f->line, 0x0000, 2);
	finish(f, &u);
	expect_broken(f, "wrong length");

	f->line.b.count = 0;
	begin(f, &u);
	put(&f->line, 0x7f00, 2);
	finish(f, &u);
	expect_broken(f, "wrong length");

	f->line.b.count = 0;
	begin(f, &u);
	put(&f->line, 0x020a00, 3);
	put(&f->line, 0, 9);
	finish(f, &u);
	expect_broken(f, "more than 8 bytes");

	f->line.b.count = 0;
	begin(f, &u);
	put(&f->line, 0xffff02, 3);
	finish(f, &u);
	expect_broken(f, "extends beyond");
}

/* A truncated section: an error or a table, and no read after the end (checked by ASan). */
static void test_cut_anywhere(void **state)
{
	struct fixture *f = *state;
	struct unit u = {.version = 5, .tables = described_files};
	size_t whole, refused = 0;

	good_unit(f, &u);
	whole = f->line.b.count;
	for (size_t cut = 1; cut < whole; cut++) {
		struct bytes saved = f->line, shorter = {0};

		for (size_t i = 0; i < cut; i++)
			put(&shorter, saved.b.items[i], 1);
		f->line = shorter;
		refused += table(f) == NULL;
		cleanups_run(&f->m->cleanups);
		f->m->lines = NULL;
		array_fini(&f->line.b);
		f->line = saved;
	}
	assert_int_equal(refused, whole - 1);
}

static void test_padding(void **state)
{
	struct fixture *f = *state;
	struct unit u = {.version = 3};

	good_unit(f, &u);
	put(&f->line, 0, 7);
	decoded(f);
	assert_int_equal(f->m->lines->units.count, 1);
	f->line.b.count = 0;
	assert_int_equal(table(f)->units.count, 0);
}

/* ---- fuzz ----------------------------------------------------------------------------------- */

static uint32_t random_state = 20240229;

static uint32_t next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 17;
	random_state ^= random_state << 5;
	return random_state;
}

static size_t try_all(struct fixture *f)
{
	struct line_table *t = table(f);
	size_t good = 0;

	if (!t) {
		assert_int_equal(f->err.code, ERROR_OBJECT);
		return 0;
	}
	array_each(struct line_unit, u, &t->units) {
		if (lines_decode(f->m, u, &f->err) < 0)
			continue;
		good++;
		for (unsigned i = 0; i < u->files.count; i++)
			lines_file(u, i);
		lines_find_file(u, "head.h", 0);
		lines_row_at(u, f->code + 3);
		array_each(struct line_sequence, s, &u->sequences)
			assert_true(s->low < s->high);
	}
	return good;
}

static void flip_byte(struct bytes *b)
{
	static const uint8_t nasty[] = {0, 1, 0x7f, 0x80, 0xff};
	uint32_t r = next_random();

	b->b.items[r % b->b.count] = r & 0x100000 ? nasty[(r >> 21) % 5] : (uint8_t)(r >> 24);
}

/* Ten thousand rounds: each corrupts a few more bytes, and at times the section is made anew. */
static void test_fuzz(void **state)
{
	struct fixture *f = *state;
	struct unit units[] = {{.version = 2},
			       {.version = 5, .tables = described_files},
			       {.version = 4, .max_ops = 2},
			       {.version = 5, .tables = inline_files, .wide = true}};
	clock_t limit = clock() + 3 * CLOCKS_PER_SEC;
	size_t good = 0, rounds = 0;

	while (rounds < 10000 && clock() < limit) {
		f->line.b.count = f->line_str.b.count = f->str.b.count = 0;
		for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
			begin(f, &units[i]);
			one_of_each(f);
			finish(f, &units[i]);
		}
		for (int i = 0; i < 10; i++, rounds++) {
			flip_byte(i % 4 == 3 ? &f->line_str : &f->line);
			good += try_all(f);
		}
	}
	/* Both must have occurred, or the corruption was not deep enough. */
	assert_true(good > rounds / 10 && good < 4 * rounds);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		UNIT_TEST(test_broken_headers),	 UNIT_TEST(test_huge_tables),
		UNIT_TEST(test_broken_programs), UNIT_TEST(test_cut_anywhere),
		UNIT_TEST(test_padding),	 UNIT_TEST(test_fuzz),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
