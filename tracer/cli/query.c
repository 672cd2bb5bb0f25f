/* gatectl lines: what locations mean; and how that is printed, for check too. */
#include "tracer/cli/query.h"

#include "tracer/symbols/state.h"

#include <stdio.h>

struct query_state {
	const struct cli *cli;
	unsigned failed;
};

/* Where each variable in scope lives. Code without debug information has none. */
static void print_variables(const struct symbols_site *site)
{
	struct symbols_homes homes = {0};
	struct error err;

	if (symbols_homes(site->module, site->offset, site->function, &homes, &err) == 0)
		array_each(const struct symbols_home, home, &homes)
			printf("      %s %s: %s%s\n", home->type, home->name,
			       home->argument ? "argument, " : "", home->where);
	symbols_homes_fini(&homes);
}

static void print_site(const struct symbols_site *site, bool variables)
{
	printf("  %s", module_name(site->module));
	if (site->function)
		printf(" %s", site->function);
	if (site->file)
		printf(" %s:%u", site->file, site->line);
	printf(" 0x%llx", (unsigned long long)site->offset);
	if (site->inlined_into)
		printf(" inlined into %s", site->inlined_into);
	if (site->kind == SYMBOLS_TAIL)
		printf(" tail call");
	putchar('\n');
	if (variables)
		print_variables(site);
}

static void report_error(const struct cli *cli, const struct session_query *q)
{
	struct error err = *q->error;

	if (q->source)
		error_set(&err, q->error->code, "%s: %.3800s", q->source, q->error->text);
	fflush(stdout);
	error_hint(&err, "%s", q->error->hint);
	output_error(cli, &err);
}

int query_print(const struct cli *cli, const struct session_query *q, bool variables)
{
	if (q->error && !(q->pending && q->source)) {
		report_error(cli, q);
		return -1;
	}
	if (q->source)
		printf("%s: ", q->source);
	if (q->pending) {
		printf("%s: pending until its object is loaded\n", q->location);
		return 0;
	}
	printf("%s: %zu site%s\n", q->location, q->sites->count, q->sites->count == 1 ? "" : "s");
	for (size_t i = 0; i < q->sites->count; i++)
		print_site(&q->sites->items[i], variables);
	return 0;
}

static void print_each(void *ctx, const struct session_query *q)
{
	struct query_state *state = ctx;

	if (query_print(state->cli, q, true) < 0)
		state->failed++;
}

static int query(struct cli *cli, const char *const *locations, size_t count)
{
	struct query_state state = {cli, 0};
	struct symbols *symbols = symbols_new();
	struct error err = {0};
	int status = 0;

	if (session_query(&cli->session, symbols, locations, count, print_each, &state, &err) < 0)
		status = output_error(cli, &err);
	else if (state.failed)
		status = VERDICT_ERROR;
	symbols_free(symbols);
	if (fflush(stdout) == EOF && !status)
		status = VERDICT_ERROR;
	return status;
}

int command_lines(struct cli *cli)
{
	struct error err = {0};
	char *program[] = {cli->rest[0], NULL};
	const char *const *locations = (const char *const *)cli->rest + 1;

	if (cli->rest_count < 2) {
		error_set(&err, ERROR_USAGE, "lines: no location was given");
		error_hint(&err, "gatectl lines PROG FILE:LINE");
		return output_error(cli, &err);
	}
	cli->session.argv = program;
	return query(cli, locations, (size_t)cli->rest_count - 1);
}
