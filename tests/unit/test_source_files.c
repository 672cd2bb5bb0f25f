/* Names and text of source files, and the line table of this program itself. */
#include "tracer/base/files/path.h"
#include "tests/unit/line_maker.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- paths ---------------------------------------------------------------------------------- */

static void test_file_matches(void **state)
{
	static const struct {
		const char *path, *file;
		bool same;
	} cases[] = {
		{"/home/u/src/calc.c", "calc.c", true},
		{"/home/u/src/calc.c", "src/calc.c", true},
		{"/home/u/src/calc.c", "./src/calc.c", true},
		{"/home/u/src/calc.c", "../src/calc.c", true},
		{"/home/u/src/calc.c", "/home/u/src/calc.c", true},
		{"/home/u/src/calc.c", "/home/u/./src/x/../calc.c", true},
		{"/home/u/src/../src/./calc.c", "u/src/calc.c", true},
		{"/home/u//src/calc.c", "src//calc.c", true},
		{"src/calc.c", "/home/u/src/calc.c", true},
		{"calc.c", "/home/u/src/calc.c", true},
		{"calc.c", "calc.c", true},
		{"./calc.c", "calc.c", true},
		{"../src/calc.c", "src/calc.c", true},
		{"/home/u/src/calc.c", "lc.c", false},
		{"/home/u/src/calc.c", "rc/calc.c", false},
		{"/home/u/src/calc.c", "/calc.c", false},
		{"/home/u/src/calc.c", "/src/calc.c", false},
		{"/src/calc.c", "/home/u/src/calc.c", false},
		{"src/calc.c", "lib/calc.c", false},
		{"calc.c", "src/calc.c", false},
		{"/home/u/src/calc.c", "calc.cc", false},
		{"/home/u/src/calc.c", "Calc.c", false},
		{"/home/u/src/calc.c", "", false},
		{"/home/u/src/calc.c", "/", false},
		{"/home/u/src/calc.c", "..", false},
		{"", "calc.c", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (path_names_file(cases[i].path, cases[i].file) != cases[i].same)
			fail_msg("%s and %s", cases[i].path, cases[i].file);
}

static void write_file(const char *path, const char *text, size_t size)
{
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	assert_int_equal(fwrite(text, 1, size, out), size);
	assert_int_equal(fclose(out), 0);
}

static void test_source(void **state)
{
	struct fixture *f = *state;
	static const char one[] = "int a;\r\n\n\tlast line",
			  two[] = "changed, and longer than before\n";
	char path[] = "/tmp/test_source_files_XXXXXX";
	const struct source_file *first, *second;

	close(mkstemp(path));
	write_file(path, one, sizeof(one) - 1);
	first = lines_source(f->s, path);
	assert_non_null(first);
	assert_int_equal(first->lines.count, 3);
	assert_string_equal(first->lines.items[0], "int a;");
	assert_string_equal(first->lines.items[1], "");
	assert_string_equal(first->lines.items[2], "\tlast line");
	assert_ptr_equal(lines_source(f->s, path), first);
	write_file(path, two, sizeof(two) - 1);
	second = lines_source(f->s, path);
	assert_non_null(second);
	assert_ptr_not_equal(second, first);
	assert_int_equal(second->lines.count, 1);
	assert_string_equal(first->lines.items[0], "int a;");
	write_file(path, "", 0);
	assert_int_equal(lines_source(f->s, path)->lines.count, 0);
	unlink(path);
	assert_null(lines_source(f->s, path));
	assert_null(lines_source(f->s, "/"));
	assert_null(lines_source(f->s, "/no/such/file.c"));
}

/* ---- this program's own line table ---------------------------------------------------------- */

static unsigned marked_line;

__attribute__((noinline, used)) static void here(void)
{
	marked_line = __LINE__;
}

static void test_own_lines(void **state)
{
	struct fixture *f = *state;
	struct line_table *t;
	uint64_t offset;
	bool found = false;
	const struct line_row *at_entry;

	assert_true(module_has_debug(f->m));
	here(); /* sets marked_line; the function begins two lines before */
	assert_int_equal(module_symbol(f->m, "here", &offset, NULL), 0);
	t = lines_table(f->m, &f->err);
	assert_non_null(t);
	array_each(struct line_unit, u, &t->units) {
		int file = lines_find_file(u, "unit/test_source_files.c", 0);

		if (file < 0)
			continue;
		assert_int_equal(lines_decode(f->m, u, &f->err), 0);
		array_each(struct line_row, r, &u->rows)
			found |= r->line == marked_line && r->offset >= offset;
		at_entry = lines_row_at(u, offset);
		assert_non_null(at_entry);
		assert_true(marked_line - 2 <= at_entry->line && at_entry->line <= marked_line);
	}
	assert_true(found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		UNIT_TEST(test_file_matches),
		UNIT_TEST(test_source),
		UNIT_TEST(test_own_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
