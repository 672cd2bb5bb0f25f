/* Races as text, and for --report. */
#include "tracer/cli/report/report.h"

#include <string.h>

/* ---- text ------------------------------------------------------------------------------------ */

static void races_report_add_place(const struct sched_race_side *side, struct str *out)
{
	if (side->line)
		str_addf(out, "%s:%u", str_base_name(side->file), side->line);
	else
		str_add(out, side->func ? side->func : "code without line numbers");
}

static const char *variable_of(const struct sched_race *r)
{
	return r->variable ? r->variable : "memory without a name";
}

void races_headline(const struct races_hunt *h, struct str *out)
{
	const struct sched_race *r = h->found.items[0].seen;

	str_addf(out, "%zu race%s in %lu run%s; the first: %s at ", h->found.count,
		 str_plural(h->found.count), h->e.runs, str_plural(h->e.runs), variable_of(r));
	races_report_add_place(&r->sides[0], out);
	str_add(out, " and ");
	races_report_add_place(&r->sides[1], out);
}

static const char *deed(const struct sched_race_side *side)
{
	if (side->frees)
		return "free";
	return side->writes ? "write" : "read";
}

static void add_side(const struct sched_race_side *side, struct str *out)
{
	str_add(out, "  ");
	races_report_add_place(side, out);
	str_addf(out, ": %s %ss it", side->thread ? side->thread : "a thread", deed(side));
	if (side->func)
		str_addf(out, " in %s", side->func);
	if (side->locks)
		str_addf(out, ", holding %s\n", side->locks);
	else
		str_add(out, ", holding no lock\n");
}

static bool differ(const char *a, const char *b)
{
	return a && b && strcmp(a, b) != 0;
}

/* Adds the values that two writes have left. The result of an update depends on the value before
   it. */
static void add_left(const struct sched_race *r, const char *who, const char *then, struct str *out)
{
	bool told = !r->sides[0].updates && !r->sides[1].updates;

	if (!r->between || !r->after)
		return;
	str_addf(out, "  %s left %s there, %s leaves %s", who, r->between, then, r->after);
	if (told && differ(r->between, r->after))
		str_addf(out, "; in the other order %s remains", r->between);
	else if (told)
		str_add(out, ", as in the other order");
	str_add(out, "\n");
}

/* Adds the values in the other order, if they are known. */
static void add_values(const struct sched_race *r, struct str *out)
{
	const struct sched_race_side *first = &r->sides[0], *second = &r->sides[1];
	const char *who = first->thread ? first->thread : "the first",
		   *then = second->thread ? second->thread : "the second";

	if (first->writes && second->writes)
		add_left(r, who, then, out);
	else if (first->writes && !second->writes && differ(r->before, r->between))
		str_addf(out, "  %s reads %s; in the other order it reads %s\n", then, r->between,
			 r->before);
	else if (!first->writes && second->writes && differ(r->between, r->after))
		str_addf(out, "  %s has read %s; in the other order it reads %s\n", who, r->between,
			 r->after);
}

static void add_race(const struct race *race, struct str *out)
{
	const struct sched_race *r = race->seen;

	races_report_add_place(&r->sides[1], out);
	str_addf(out, ": race on %s", variable_of(r));
	if (r->size)
		str_addf(out, " (%llu byte%s)", (unsigned long long)r->size, str_plural(r->size));
	str_add(out, race->times == 1 ? ", once" : ", ");
	if (race->times > 1)
		str_addf(out, "%lu times", race->times);
	str_add(out, ": nothing orders these two\n");
	add_side(&r->sides[0], out);
	add_side(&r->sides[1], out);
	add_values(r, out);
}

void races_text(const struct races_hunt *h, struct str *out)
{
	array_each(const struct race, race, &h->found)
		add_race(race, out);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void json_locks(struct json *j, const char *locks)
{
	json_array(j, "locks");
	while (locks && *locks) {
		size_t length = strcspn(locks, ",");
		char *name = base_strndup(locks, length);

		json_string(j, NULL, name);
		base_free(name);
		locks += length;
		locks += strspn(locks, ", ");
	}
	json_end_array(j);
}

static void json_side(struct json *j, const char *name, const struct sched_race_side *side)
{
	json_object(j, name);
	json_string(j, "file", side->file);
	json_integer(j, "line", side->line);
	json_string(j, "func", side->func);
	json_string(j, "thread", side->thread);
	json_string(j, "access", deed(side));
	json_locks(j, side->locks);
	json_end_object(j);
}

static void json_race(struct json *j, const struct race *race)
{
	const struct sched_race *r = race->seen;

	json_object(j, NULL);
	json_string(j, "variable", r->variable);
	json_integer(j, "size", (long long)r->size);
	json_side(j, "first", &r->sides[0]);
	json_side(j, "second", &r->sides[1]);
	json_string(j, "before", r->before);
	json_string(j, "between", r->between);
	json_string(j, "after", r->after);
	json_integer(j, "times", (long long)race->times);
	json_end_object(j);
}

static void races_add(const void *of, const char *page, struct json *j)
{
	const struct races_hunt *h = of;
	struct str text = {0};

	json_string(j, "program", h->e.x.options->argv[0]);
	json_integer(j, "runs", (long long)h->e.runs);
	json_integer(j, "failed", (long long)h->failed);
	json_integer(j, "ignored", (long long)h->ignored);
	json_number(j, "seconds", h->e.seconds);
	json_integer(j, "seed", (long long)h->e.options.seed);
	json_array(j, "races");
	array_each(const struct race, race, &h->found)
		json_race(j, race);
	json_end_array(j);
	races_text(h, &text);
	if (page)
		json_string(j, "text", str_text(&text));
	str_fini(&text);
}

int races_report(const struct cli *cli, const struct races_hunt *h, int status, struct error *err)
{
	struct str headline = {0}, text = {0};
	int failed;

	if (h->found.count)
		races_headline(h, &headline);
	else
		str_addf(&headline, "no race in %lu run%s", h->e.runs, str_plural(h->e.runs));
	races_text(h, &text);
	failed = reports_write_record(cli,
				      &(struct cli_record){.command = "races",
							   .status = status,
							   .add = races_add,
							   .of = h,
							   .x = &h->e.x,
							   .argv = h->e.x.options->argv,
							   .seconds = h->e.seconds,
							   .headline = str_text(&headline),
							   .text = str_text(&text)},
				      err);
	str_fini(&headline);
	str_fini(&text);
	return failed;
}
