/* gatectl lines: prints the sites of locations, for check also. */
#include "tracer/scripts/scripts.h"
#include "tracer/cli/cli.h"

#include "tracer/arch/arch.h"
#include "tracer/inspect/inspect.h"
#include "tracer/resident/resident.h"

#include <stdio.h>

struct query_state {
	const struct cli *cli;
	unsigned failed;
};

/* Prints where each variable in scope is. Code without debug information has no variables. */
static void print_variables(const struct source_site *site)
{
	struct inspect_variables homes = {0};
	ERROR(err);

	if (inspect_variables_at(site->module, site->offset, site->scope, &homes, &err) == 0)
		array_each(const struct inspect_variable, home, &homes)
			output_print("      %s %s: %s%s\n", home->type, home->name,
				     home->argument ? "argument, " : "", home->where);
	inspect_variables_fini(&homes);
}

static void print_rounds(const struct source_site *site)
{
	switch (source_rounds(site)) {
	case SOURCE_VECTORISED:
		printf("      vectorised: one arrival is several rounds of the loop\n");
		break;
	case SOURCE_UNROLLED:
		printf("      unrolled: one arrival may be several rounds of the loop\n");
		break;
	case SOURCE_ROUND:
		break;
	}
}

/* Returns the location of the nearest site that is less than a jump after this one, or NULL. */
static const char *place_in_jump(const struct run_query *q, const struct source_site *site)
{
	uint64_t nearest = RESIDENT_JUMP;
	const char *location = NULL;

	for (size_t i = 0; i < q->all_count; i++) {
		if (!q->all[i].sites)
			continue;
		array_each(const struct source_site, other, q->all[i].sites) {
			uint64_t after = other->offset - site->offset;

			if (other->module != site->module || !after || after >= nearest)
				continue;
			nearest = after;
			location = q->all[i].location;
		}
	}
	return location;
}

/* Prints why each arrival traps. Idle arrivals are decided inside the program if there is room for
   a jump. */
static void print_trap(const struct run_query *q, const struct source_site *site)
{
	const char *why = source_site_doubt(site), *in_jump = place_in_jump(q, site);

	if (!why)
		source_movable(site->module, site->offset, RESIDENT_JUMP, &why);
	if (why)
		printf("      every arrival is a trap: %s\n", why);
	else if (in_jump)
		output_print("      every arrival is a trap: %s stands where the jump would\n",
			     in_jump);
}

/* An arrival at the address is one at all its places, and each of them may need a trap. */
static void print_shared(const struct run_query *q, const struct source_site *site)
{
	for (size_t i = 0; i < q->all_count; i++) {
		if (&q->all[i] == q || !q->all[i].sites)
			continue;
		array_each(const struct source_site, other, q->all[i].sites)
			if (other->module == site->module && other->offset == site->offset)
				output_print("      same address as %s: every arrival is a trap "
					     "where one of the places needs it\n",
					     q->all[i].location);
	}
}

static void print_site(const struct run_query *q, const struct source_site *site, bool variables)
{
	struct str line = {0};

	str_addf(&line, "  %s", module_name(site->module));
	if (site->function)
		str_addf(&line, " %s", site->function);
	if (site->file)
		str_addf(&line, " %s:%u", site->file, site->line);
	str_addf(&line, " 0x%llx", (unsigned long long)site->offset);
	if (site->inlined_into)
		str_addf(&line, " inlined into %s", site->inlined_into);
	if (site->kind == SOURCE_TAIL)
		str_add(&line, " tail call");
	if (site->kind == SOURCE_JUMP)
		str_add(&line, " at a jump that may lead there");
	if (site->kind == SOURCE_BEFORE)
		str_add(&line, " before a loop");
	output_line(&line);
	str_fini(&line);
	if (source_is_newer(site->module, site->file)) {
		STR(newer);

		str_add(&newer, "      ");
		source_add_newer(site->module, site->file, &newer);
		output_line(&newer);
	}
	if (site->lambda)
		output_print("      without the lambda on this line, whose code is %s;TEXT\n",
			     site->lambda);
	if (site->empty)
		printf("      no code of its own: it shares this address with the next "
		       "statement\n");
	print_rounds(site);
	if (variables) {
		print_variables(site);
		print_trap(q, site);
		print_shared(q, site);
	}
}

int query_print(const struct cli *cli, const struct run_query *q, bool variables)
{
	struct str line = {0};
	ERROR(err);

	if (q->error && !(q->pending && q->source)) {
		error_copy(&err, q->error);
		if (q->source)
			error_prefix(&err, "%s: ", q->source);
		fflush(stdout);
		output_error(cli, &err);
		return -1;
	}
	if (q->source)
		str_addf(&line, "%s: ", q->source);
	str_add(&line, q->location);
	if (q->pending)
		str_add(&line, ": pending until its object is loaded");
	else
		str_addf(&line, ": %zu site%s", q->sites->count, str_plural(q->sites->count));
	if (!q->pending && q->sites->inlined_skipped)
		str_addf(&line,
			 "; it was inlined at %u call%s, where there is no return to stop at",
			 q->sites->inlined_skipped, str_plural(q->sites->inlined_skipped));
	output_line(&line);
	for (size_t i = 0; !q->pending && i < q->sites->count; i++)
		print_site(q, &q->sites->items[i], variables);
	str_fini(&line);
	return 0;
}

static void print_each(void *ctx, const struct run_query *q)
{
	struct query_state *state = ctx;

	if (query_print(state->cli, q, true) < 0)
		state->failed++;
}

int command_lines(struct cli *cli)
{
	char *program[] = {cli->rest[0], NULL};
	struct query_state state = {cli, 0};
	struct modules *symbols;
	ERROR(err);
	int status = 0;

	if (cli->rest_count < 2) {
		error_set(&err, ERROR_USAGE, "lines: no location was given");
		error_hint(&err, "gatectl lines PROG FILE:LINE");
		return output_error(cli, &err);
	}
	cli->run.argv = program;
	symbols = modules_new();
	if (run_query(&cli->run, symbols, (const char *const *)cli->rest + 1,
		      (size_t)cli->rest_count - 1, print_each, &state, &err) < 0)
		status = output_error(cli, &err);
	else if (state.failed)
		status = VERDICT_ERROR;
	modules_free(symbols);
	return status;
}
