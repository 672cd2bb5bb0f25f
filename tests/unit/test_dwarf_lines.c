/* Line programs of all versions with all opcodes, and queries about their rows. */
#include "tests/unit/line_maker.h"

/* ---- the machine ---------------------------------------------------------------------------- */

static void check_one_of_each(const struct line_unit *u, uint64_t code, unsigned first_file)
{
	const struct line_row *r = u->rows.items;

	assert_int_equal(u->rows.count, 5);
	expect_row(u, 0, code, first_file, 3);
	expect_row(u, 1, code + 3, first_file, 2);
	expect_row(u, 2, code + 3 + 17 + 256 + 1, first_file + 1, 12);
	expect_row(u, 3, code + 281, first_file + 1, 12);
	assert_true(r[0].is_stmt && !r[0].prologue_end && !r[0].end_sequence);
	assert_true(!r[2].is_stmt && r[2].prologue_end && !r[3].prologue_end);
	assert_int_equal(r[2].column, 300);
	assert_int_equal(r[0].column, 0);
	assert_true(r[4].end_sequence);
	assert_int_equal(r[4].offset, code + 282);
}

static void test_versions(void **state)
{
	struct fixture *f = *state;
	struct line_unit *u;

	for (unsigned version = 2; version <= 5; version++) {
		for (int wide = 0; wide < 2; wide++) {
			struct unit made = {.version = version,
					    .wide = wide,
					    .tables = version == 5 ? described_files : NULL};

			f->line.b.count = 0;
			begin(f, &made);
			one_of_each(f);
			finish(f, &made);
			u = decoded(f);
			assert_int_equal(u->version, version);
			check_one_of_each(u, f->code, version == 5 ? 1 : 0);
		}
	}
}

static void test_file_names(void **state)
{
	struct fixture *f = *state;
	struct unit four = {.version = 4}, five = {.version = 5, .tables = described_files},
		    bare = {.version = 5, .tables = inline_files};
	struct line_table *t;
	struct line_unit *u;

	begin(f, &four);
	finish(f, &four);
	begin(f, &five);
	finish(f, &five);
	begin(f, &bare);
	finish(f, &bare);
	u = decoded(f);
	t = f->m->lines;
	assert_int_equal(t->units.count, 3);
	assert_string_equal(lines_file(u, 0), "src/main.c");
	assert_string_equal(lines_file(u, 1), "/abs/include/head.h");
	assert_null(lines_file(u, 2));
	assert_null(lines_file(u, lines_file_index(u, 0)));
	assert_int_equal(lines_file_index(u, 2), 1);
	assert_string_equal(lines_file(u + 1, 0), "/home/u/project/main.c");
	assert_string_equal(lines_file(u + 1, 1), "/home/u/project/lib/head.h");
	assert_int_equal(lines_file_index(u + 1, 1), 1);
	assert_string_equal(lines_file(u + 2, 0), "/d/a.c");
	assert_string_equal(lines_file(u + 2, 1), "/d/b.c");
	assert_ptr_equal(lines_unit_at(t, five.start), u + 1);
	assert_null(lines_unit_at(t, five.start + 1));
	assert_null(lines_unit_at(t, UINT64_MAX));

	assert_int_equal(lines_find_file(u, "main.c", 0), 0);
	assert_int_equal(lines_find_file(u, "main.c", 1), -1);
	assert_int_equal(lines_find_file(u, "include/head.h", 0), 1);
	assert_int_equal(lines_find_file(u, "ain.c", 0), -1);
	assert_int_equal(lines_find_file(u + 1, "lib/../lib/head.h", 0), 1);
	assert_int_equal(lines_find_file(u + 1, "", 0), -1);
}

static void test_comp_dir(void **state)
{
	struct fixture *f = *state;
	struct unit four = {.version = 4}, five = {.version = 5, .tables = described_files};
	struct line_unit *u;

	begin(f, &four);
	finish(f, &four);
	begin(f, &five);
	finish(f, &five);
	u = decoded(f);
	lines_set_comp_dir(u, "/where");
	lines_set_comp_dir(u + 1, "/not/there");
	assert_string_equal(lines_file(u, 0), "/where/src/main.c");
	assert_string_equal(lines_file(u, 1), "/abs/include/head.h");
	assert_string_equal(lines_file(u + 1, 0), "/home/u/project/main.c");
}

static void test_several_operations(void **state)
{
	struct fixture *f = *state;
	struct unit vliw = {.version = 4, .min_inst = 4, .max_ops = 3};
	struct line_unit *u;

	begin(f, &vliw);
	op_address(f, f->code);
	op_uleb(f, 2, 2); /* operation 2 of the first instruction */
	op(f, 1);
	op_uleb(f, 2, 2); /* operation 1 of the second instruction */
	op(f, 1);
	op_uleb(f, 2, 5); /* operation 0 of the fourth instruction */
	op_end(f);
	finish(f, &vliw);
	u = decoded(f);
	assert_int_equal(u->rows.count, 3);
	expect_row(u, 0, f->code, 0, 1);
	expect_row(u, 1, f->code + 4, 0, 1);
	expect_row(u, 2, f->code + 12, 0, 1);
}

static void test_unknown_opcodes(void **state)
{
	struct fixture *f = *state;
	struct unit more = {.version = 3, .opcode_base = 16};
	struct unit less = {.version = 3, .opcode_base = 4};
	struct line_unit *u;

	begin(f, &more);
	op_address(f, f->code);
	op_uleb(f, 13, 500); /* unknown opcode with two operands */
	put_uleb(&f->line, 1);
	op(f, 14); /* unknown opcode without operands */
	op_uleb(f, 15, 1);
	put_uleb(&f->line, 2);
	put_uleb(&f->line, 3);
	put(&f->line, 0, 1); /* unknown extended opcode with operands */
	put_uleb(&f->line, 5);
	put(&f->line, 0x80, 1);
	put(&f->line, 0x01010101, 4);
	row(f, 6, 0);
	op(f, 16 + 5 + 14 * 2);
	op_end(f);
	finish(f, &more);

	begin(f, &less);
	op_address(f, f->code + 64);
	op(f, 9); /* a special opcode, as opcode_base is 9: line + 0, address + 0 */
	op(f, 4 + 5 + 14);
	op_end(f);
	finish(f, &less);

	u = decoded(f);
	assert_int_equal(u[0].rows.count, 3);
	expect_row(u, 0, f->code, 0, 7);
	expect_row(u, 1, f->code + 2, 0, 7);
	assert_int_equal(u[1].rows.count, 3);
	expect_row(u + 1, 0, f->code + 64, 0, 1);
	expect_row(u + 1, 1, f->code + 65, 0, 1);
}

static void test_define_file(void **state)
{
	struct fixture *f = *state;
	struct unit old = {.version = 2};
	struct line_unit *u;

	begin(f, &old);
	op_address(f, f->code);
	put(&f->line, 0, 1);
	put_uleb(&f->line, 1 + 8 + 3);
	put(&f->line, 3, 1);
	put_text(&f->line, "added.c");
	put(&f->line, 0x000001, 3);
	op_uleb(f, 4, 3);
	op(f, 1);
	op_uleb(f, 2, 1);
	op_end(f);
	finish(f, &old);
	u = decoded(f);
	expect_row(u, 0, f->code, 2, 1);
	assert_string_equal(lines_file(u, 2), "src/added.c");
}

/* ---- sequences ------------------------------------------------------------------------------ */

static void sequence(struct fixture *f, uint64_t at, unsigned length)
{
	op_address(f, at);
	row(f, 5, 0);
	row(f, 1, length);
	op_uleb(f, 2, 1);
	op_end(f);
}

static void test_dead_sequences(void **state)
{
	struct fixture *f = *state;
	struct unit made = {.version = 4};
	struct line_unit *u;

	begin(f, &made);
	sequence(f, 0, 10);
	sequence(f, f->code + 32, 10);
	sequence(f, UINT64_MAX, 10);
	sequence(f, UINT64_MAX - 1, 0);
	op_address(f, f->code + 32); /* an empty sequence */
	op(f, 1);
	op_end(f);
	sequence(f, f->code, 10);
	finish(f, &made);
	u = decoded(f);
	assert_int_equal(u->rows.count, 6);
	expect_row(u, 0, f->code + 32, 0, 6);
	expect_row(u, 3, f->code, 0, 6);
	assert_int_equal(u->sequences.count, 2);
	assert_int_equal(u->sequences.items[0].low, f->code);
	assert_int_equal(u->sequences.items[0].high, f->code + 11);
	assert_int_equal(u->sequences.items[0].first, 3);
}

static void expect_at(const struct line_unit *u, uint64_t offset, unsigned line)
{
	const struct line_row *r = lines_row_at(u, offset);

	if (line)
		assert_int_equal(r ? r->line : 0, line);
	else
		assert_null(r);
}

/* The walk finds the rows of [low, high), sequence by sequence. */
static void expect_walk(const struct line_unit *u, uint64_t low, uint64_t high)
{
	struct line_walk walk = lines_walk(u, low, high);

	array_each(const struct line_sequence, s, &u->sequences)
		for (size_t i = s->first; i + 1 < s->first + s->count; i++)
			if (u->rows.items[i].offset >= low && u->rows.items[i].offset < high)
				assert_ptr_equal(lines_next(&walk), &u->rows.items[i]);
	assert_null(lines_next(&walk));
	assert_null(lines_next(&walk));
}

static void test_row_at(void **state)
{
	struct fixture *f = *state;
	struct unit made = {.version = 4};
	struct line_unit *u;

	begin(f, &made);
	sequence(f, f->code + 100, 4);
	op_address(f, f->code);
	op(f, 3); /* line 0 first: there is no earlier row */
	put(&f->line, 0x7f, 1);
	op(f, 1);
	row(f, 20, 2);
	row(f, 1, 0);
	row(f, -21, 3); /* line 0 again */
	row(f, 30, 3);
	op_uleb(f, 2, 4);
	op_end(f);
	finish(f, &made);
	u = decoded(f);
	expect_at(u, f->code - 1, 0);
	expect_at(u, f->code, 0);
	expect_at(u, f->code + 1, 0);
	expect_at(u, f->code + 2, 21);
	expect_at(u, f->code + 4, 21);
	expect_at(u, f->code + 5, 21);
	expect_at(u, f->code + 7, 21);
	expect_at(u, f->code + 8, 30);
	expect_at(u, f->code + 11, 30);
	expect_at(u, f->code + 12, 0);
	expect_at(u, f->code + 100, 6);
	expect_at(u, f->code + 104, 7);
	expect_at(u, f->code + 105, 0);
	for (uint64_t low = f->code - 1; low < f->code + 107; low++)
		for (uint64_t high = low; high < f->code + 107; high++)
			expect_walk(u, low, high);
	expect_walk(u, 0, UINT64_MAX);
	expect_walk(&(struct line_unit){0}, 0, UINT64_MAX);
}

static void test_addresses_going_back(void **state)
{
	struct fixture *f = *state;
	struct unit made = {.version = 4};
	struct line_unit *u;

	begin(f, &made);
	op_address(f, f->code + 8);
	row(f, 1, 0);
	op_address(f, f->code);
	row(f, 1, 0);
	row(f, 1, 4);
	op_address(f, f->code + 16);
	op_end(f);
	finish(f, &made);
	u = decoded(f);
	expect_row(u, 0, f->code, 0, 3);
	expect_row(u, 1, f->code + 4, 0, 4);
	expect_row(u, 2, f->code + 8, 0, 2);
	assert_true(u->rows.items[3].end_sequence);
	expect_at(u, f->code + 9, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		UNIT_TEST(test_versions),
		UNIT_TEST(test_file_names),
		UNIT_TEST(test_comp_dir),
		UNIT_TEST(test_several_operations),
		UNIT_TEST(test_unknown_opcodes),
		UNIT_TEST(test_define_file),
		UNIT_TEST(test_dead_sequences),
		UNIT_TEST(test_row_at),
		UNIT_TEST(test_addresses_going_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
