/*
 * Prints line tables as read by lines.h, for tests/e2e/lines_vs_readelf.py:
 *	dump_lines FILE             every row: unit, offset, file, line, column and flags
 *	dump_lines -t FILE          times of the header pass and of all programs
 *	dump_lines -s FILE NAME     result of module_symbol for a name
 */
#include "tracer/dwarf/lines/lines.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static int fail(const struct error *err)
{
	fprintf(stderr, "%s\n", err->text);
	return 1;
}

static void print_unit(struct line_unit *u)
{
	array_each(const struct line_row, r, &u->rows) {
		const char *path = lines_file(u, r->file);

		printf("%" PRIx64 " %" PRIx64 " %s:%u:%u%s%s%s\n", u->stmt_list, r->offset,
		       path ? path : "?", r->line, r->column, r->is_stmt ? " stmt" : "",
		       r->prologue_end ? " prologue_end" : "", r->end_sequence ? " end" : "");
	}
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int times(struct module *m, double opened_ms, struct error *err)
{
	double start = now_ms(), headers, found, done;
	size_t rows = 0, files = 0;
	struct line_table *t = lines_table(m, err);

	if (!t)
		return fail(err);
	headers = now_ms();
	array_each(struct line_unit, u, &t->units)
		lines_find_file(u, "no_such_file.c", 0);
	found = now_ms();
	array_each(struct line_unit, u, &t->units) {
		if (lines_decode(m, u, err) < 0)
			return fail(err);
		rows += u->rows.count;
		files += u->files.count;
	}
	done = now_ms();
	printf("open %.3f ms, headers of %zu units and %zu files %.2f ms, a name in all %.2f ms, "
	       "%zu rows %.2f ms\n",
	       opened_ms, t->units.count, files, headers - start, found - headers, rows,
	       done - found);
	return 0;
}

static int dump(struct module *m, struct error *err)
{
	struct line_table *t = lines_table(m, err);

	if (!t)
		return fail(err);
	array_each(struct line_unit, u, &t->units) {
		if (lines_decode(m, u, err) < 0)
			return fail(err);
		print_unit(u);
	}
	return 0;
}

static int symbol(struct module *m, const char *name)
{
	uint64_t offset, size;

	if (module_symbol(m, name, &offset, &size) < 0)
		return 1;
	printf("%" PRIx64 " %" PRIu64 "\n", offset, size);
	return 0;
}

int main(int argc, char **argv)
{
	bool option = argc > 2 && argv[1][0] == '-';
	struct modules *s = modules_new();
	double start = now_ms();
	ERROR(err);
	struct module *m;
	int status;

	if (argc < 2)
		return 2;
	m = modules_open(s, argv[option ? 2 : 1], &err);
	start = now_ms() - start;
	if (!m)
		status = fail(&err);
	else if (option && strcmp(argv[1], "-t") == 0)
		status = times(m, start, &err);
	else if (option && strcmp(argv[1], "-s") == 0 && argc > 3)
		status = symbol(m, argv[3]);
	else
		status = dump(m, &err);
	modules_free(s);
	return status;
}
