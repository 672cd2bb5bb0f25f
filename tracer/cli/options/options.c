/* Parses options of the command line by the table, and prints --help. */
#include "tracer/cli/options/options.h"

#include "tracer/base/text/suggest.h"
#include "tracer/cache/cache.h"
#include "tracer/features/features.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* getopt_long's value of row i is LONG + i, above all letters. */
enum { LONG = 256 };

static void fill_getopt(const struct command *c, struct option *longs, char *shorts)
{
	*shorts++ = '+'; /* options after PROG are PROG's */
	*shorts++ = ':';
	for (int i = 0; i < OPTION_ROWS; i++) {
		const struct option_row *o = &option_rows[i];

		if (!(o->commands & c->mask))
			continue;
		*longs++ = (struct option){o->name, o->argument ? required_argument : no_argument,
					   NULL, LONG + i};
		if (o->letter)
			*shorts++ = (char)o->letter;
		if (o->letter && o->argument)
			*shorts++ = ':';
	}
	*longs = (struct option){0};
	*shorts = '\0';
}

static const struct option_row *row_of(const struct command *c, int key)
{
	const struct option_row *o = option_rows;

	if (key >= LONG)
		return &option_rows[key - LONG];
	while (o->letter != key || !(o->commands & c->mask))
		o++;
	return o;
}

static bool wants_color(void)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return !(no && *no) && term && strcmp(term, "dumb") != 0 && isatty(STDERR_FILENO);
}

static int usage(struct error *err, const struct command *c)
{
	return error_hint(err, "gatectl %s --help", c->name);
}

/* Appends the command's options that `word` abbreviates. Returns how many they are. */
static int add_abbreviated(const struct command *c, const char *word, struct str *out)
{
	const char *last = "";
	int count = 0;

	for (const struct option_row *o = option_rows; o->name; o++) {
		if (!(o->commands & c->mask) || strncmp(o->name, word, strlen(word)) != 0 ||
		    strcmp(o->name, last) == 0)
			continue;
		last = o->name;
		str_addf(out, "%s--%s", count++ ? ", " : "", last);
	}
	return count;
}

/* Sets the error for a long option that the command does not have. */
static void unknown_option(const struct command *c, const char *given, struct error *err)
{
	OWNED(word) = base_strndup(given + 2, strcspn(given + 2, "="));
	OWNED(wanted) = base_strndup(given, strlen(word) + 2);
	struct suggestions like = {.wanted = wanted};
	STR(several);
	STR(similar);

	if (add_abbreviated(c, word, &several) > 1) {
		error_set(err, ERROR_USAGE, "%s: %s is ambiguous: it can be %s", c->name, wanted,
			  str_text(&several));
		return;
	}
	for (const struct option_row *o = option_rows; o->name; o++) {
		STR(name);

		str_addf(&name, "--%s", o->name);
		if (o->commands & c->mask)
			suggest_offer(&like, str_text(&name));
	}
	suggest_take(&like, &similar);
	error_set(err, ERROR_USAGE, "%s: %s is not an option of this command%s", c->name, given,
		  str_text(&similar));
}

static int bad_option(const struct command *c, char **argv, int key, struct error *err)
{
	const char *given = argv[optind - 1];

	const char *what = key == ':' ? "needs a value" : "is not an option of this command";

	if (strncmp(given, "--", 2) != 0)
		error_set(err, ERROR_USAGE, "%s: -%c %s", c->name, optopt, what);
	else if (!optopt)
		unknown_option(c, given, err);
	else
		error_set(err, ERROR_USAGE, "%s: %s %s", c->name, given,
			  key == ':' ? what : "takes no value");
	return usage(err, c);
}

/* Reads options up to the first other word, or all of them, as `shorts` says. Returns 1 if `--` has
   ended them, 0 if not, or -1 with *err set. */
static int take_options(const struct command *c, int argc, char **argv, const char *shorts,
			const struct option *longs, struct cli *out, struct error *err)
{
	int key, at = optind;

	for (; (key = getopt_long(argc, argv, shorts, longs, NULL)) != -1; at = optind) {
		const struct option_row *o;

		if (key == '?' || key == ':')
			return bad_option(c, argv, key, err);
		o = row_of(c, key);
		if (o->read(o->name, optarg, (char *)out + o->offset, err) < 0)
			return usage(err, c);
	}
	return optind > at; /* `--` was consumed */
}

/* True if no PROG with options of its own follows: options may stand between other words, too. */
static bool has_no_arguments(const struct command *c, const struct cli *cli)
{
	enum { ALONE = CMD_HARNESS | CMD_AUDIT | CMD_CHECK | CMD_LINES | CMD_ATTACH };

	return cli->merge || ((c->mask & ALONE) && !cli->check.order);
}

/* Reads the options between the word at optind and the next one. Returns the index of the word,
   which has moved to the end of these options, or -1. */
static int take_options_after(const struct command *c, int argc, char **argv, const char *shorts,
			      const struct option *longs, struct cli *out, struct error *err)
{
	int passed = optind;
	char *first = argv[passed];

	optind = 0; /* getopt(3): restarts */
	if (take_options(c, argc - passed, argv + passed, shorts, longs, out, err) < 0)
		return -1;
	passed += optind - 1;
	argv[passed] = first;
	return passed;
}

/* Returns the index of the first word that is no option, or -1. */
static int take_all_options(const struct command *c, int argc, char **argv, struct cli *out,
			    struct error *err)
{
	struct option longs[OPTION_ROWS + 1];
	char shorts[2 * OPTION_ROWS + 3];
	int passed, ended;

	fill_getopt(c, longs, shorts);
	optind = 1;
	ended = take_options(c, argc, argv, shorts, longs, out, err);
	if (ended < 0)
		return -1;
	if (!ended && c->mask == CMD_REPLAY && optind < argc)
		return take_options_after(c, argc, argv, shorts, longs, out, err);
	passed = optind - 1;
	if (ended || !has_no_arguments(c, out))
		return optind;
	optind = 0; /* getopt(3): restarts, in the other mode */
	if (take_options(c, argc - passed, argv + passed, shorts + 1, longs, out, err) < 0)
		return -1;
	return passed + optind;
}

int options_parse(const struct command *c, int argc, char **argv, struct cli *out,
		  struct error *err)
{
	int passed;

	*out = (struct cli){
		.run = {.features = &all_features, .gate_limit = -1, .time_limit = -1, .repeat = 1},
		.explore = explore_defaults,
		.most_seconds = -1,
		.gates_seconds = -1,
		.color = wants_color()};
	passed = take_all_options(c, argc, argv, out, err);
	if (passed < 0 || (c->mask == CMD_EXPLORE &&
			   (explore_take_schedule(out, err) < 0 || suite_check(out, err) < 0)))
		return -1;
	out->rest = argv + passed;
	out->rest_count = argc - passed;
	out->run.argv = out->rest;
	if (out->no_cache)
		cache_refuse();
	if (misplaced_script(c, out, err) < 0)
		return -1;
	if (out->help || out->version || out->rest_count || out->schedule || out->audit.folder ||
	    out->run.pid || suite_is_asked(out))
		return 0;
	error_set(err, ERROR_USAGE, "%s: no %s was given", c->name,
		  out->merge ? "folder" : c->wants);
	return usage(err, c);
}

void options_fini(struct cli *cli)
{
	array_fini(&cli->run.scripts);
	array_fini(&cli->run.orders);
	array_fini(&cli->run.reports);
	array_fini(&cli->harness.schemas);
	array_fini(&cli->harness.includes);
	array_fini(&cli->harness.weaken);
	array_fini(&cli->audit.types);
	array_fini(&cli->audit.lock);
	array_fini(&cli->audit.unlock);
	array_fini(&cli->audit.init);
	base_free(cli->noted);
}

void options_help(const struct command *c)
{
	printf("usage: gatectl %s\n%s\n\nexamples:\n  %s\n  %s\n\noptions:\n", c->usage, c->summary,
	       c->examples[0], c->examples[1]);
	for (const struct option_row *o = option_rows; o->name; o++) {
		char left[64];

		if (!(o->commands & c->mask))
			continue;
		snprintf(left, sizeof(left), "%s%c%s--%s%s%s", o->letter ? "-" : "  ",
			 o->letter ? o->letter : ' ', o->letter ? ", " : " ", o->name,
			 o->argument ? " " : "", o->argument ? o->argument : "");
		printf("  %-30s %s\n", left, o->help);
	}
	printf("\nManual page: gatectl-%s(1).\n", c->name);
}
