#include "tracer/cli/prove.h"

#include <stdio.h>
#include <string.h>

static bool matters(const struct prove_line *line)
{
	return line->agreed < line->runs;
}

static size_t name_width(const struct prove *p)
{
	size_t width = strlen("all gates");

	array_each(struct prove_line, line, &p->lines)
		if (strlen(line->name) + strlen("without ") > width)
			width = strlen(line->name) + strlen("without ");
	return width;
}

static void print_line(const char *before, const char *name, size_t width,
		       const struct prove_line *line, const char *judgement)
{
	printf("  %s%-*s %4lu of %lu%s%s\n", before, (int)(width - strlen(before)), name,
	       line->agreed, line->runs, *judgement ? "   " : "", judgement);
}

static void print_head(const struct prove *p)
{
	const struct session_options *o = &p->cli->session;
	const char *comma = "";

	array_each(const char *, script, &o->scripts) {
		printf("%s%s", comma, *script);
		comma = ", ";
	}
	array_each(const char *, order, &o->orders) {
		printf("%s--order '%s'", comma, *order);
		comma = ", ";
	}
	printf(" with %s: %lu runs each; expected: %s", o->argv[0], p->runs,
	       str_text(&p->expected));
	if (!p->has_expect && (p->same_out || p->same_err))
		printf(", and the same output");
	printf("\n");
}

static void print_table(const struct prove *p)
{
	size_t width = name_width(p);

	print_head(p);
	print_line("", "all gates", width, &p->all, "");
	if (!p->none.runs)
		return;
	print_line("", "no gates", width, &p->none, "");
	array_each(struct prove_line, line, &p->lines)
		print_line("without ", line->name, width, line,
			   matters(line) ? "matters" : "does not matter");
}

static size_t count_idle(const struct prove *p)
{
	size_t count = 0;

	array_each(const struct prove_line, line, &p->lines)
		count += !matters(line);
	return count;
}

static void print_idle(const struct prove *p)
{
	const char *comma = "";

	array_each(const struct prove_line, line, &p->lines) {
		if (matters(line))
			continue;
		printf("%s%s", comma, line->name);
		comma = ", ";
	}
}

static void say_idle(const struct prove *p)
{
	size_t idle = count_idle(p);

	if (idle == 0) {
		puts(p->lines.count == 1 ? "Its gate matters." : "Each of its gates matters.");
		return;
	}
	if (idle > 1)
		printf("Each of these could be left out, one at a time: ");
	print_idle(p);
	puts(idle > 1 ? "." : " could be left out.");
}

static void say_luck(const struct prove *p, const char *before)
{
	printf("%s it does not come when, with all gates,\nthe threads of %s are delayed.\n",
	       before, str_text(&p->luck));
}

static void say_all(const struct prove *p)
{
	if (p->all.agreed < p->all.runs)
		printf("The script does not force the outcome: it came in %lu of %lu runs.\n",
		       p->all.agreed, p->all.runs);
	else if (p->lucky)
		say_luck(p, "The outcome came in every run, but by luck:");
	else if (p->lines.count)
		puts("The script forces the outcome.");
	else
		puts("The outcome came in every run; there is no gate that could be left out.");
	if (p->none.runs && p->all.agreed == p->all.runs)
		say_idle(p);
}

static void print_sentences(const struct prove *p)
{
	bool no_other = p->none.runs && !matters(&p->none) && count_idle(p) == p->lines.count;

	if (!no_other || p->all.agreed < p->all.runs) {
		say_all(p);
		return;
	}
	puts("It comes without any gate, too: the program does it by itself.");
	if (p->lucky)
		say_luck(p, "But by luck:");
}

void prove_print(const struct prove *p)
{
	print_table(p);
	print_sentences(p);
}
