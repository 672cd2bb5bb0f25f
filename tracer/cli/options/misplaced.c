/* Gate scripts in the place of PROG, and options of gatectl after PROG, where they are PROG's. */
#include "tracer/cli/options/options.h"

#include "tracer/base/log.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static bool is_script_file(const char *path)
{
	struct stat is;

	return str_wildcard("?*.lua", path) && stat(path, &is) == 0 && S_ISREG(is.st_mode);
}

/* True if the kernel can execute the file: a script with an interpreter, or an ELF file. */
static bool is_program(const char *path)
{
	FILE *file = fopen(path, "re");
	char head[5] = "";

	if (file) {
		if (!fgets(head, sizeof(head), file))
			head[0] = '\0';
		fclose(file);
	}
	return strncmp(head, "#!", 2) == 0 || strcmp(head, "\177ELF") == 0;
}

/* Returns the row of the command's option, or NULL if it has no such option. */
static const struct option_row *row_named(const struct command *c, const char *name)
{
	for (const struct option_row *o = option_rows; o->name; o++)
		if ((o->commands & c->mask) && o->argument && strcmp(o->name, name) == 0)
			return o;
	return NULL;
}

int misplaced_script(const struct command *c, const struct cli *cli, struct error *err)
{
	const char *first = cli->rest_count ? cli->rest[0] : NULL;

	if (!first || !row_named(c, "gates") || !is_script_file(first) || is_program(first))
		return 0;
	error_set(err, ERROR_USAGE, "%s: %s is a gate script, not a %s: write -g %s", c->name,
		  first, c->wants, first);
	return error_hint(err, "gatectl %s -g %s %s", c->name, first,
			  cli->rest_count > 1	  ? cli->rest[1]
			  : c->mask == CMD_ATTACH ? "PID"
			  : c->mask == CMD_REPLAY ? "FILE.schedule"
						  : "PROG");
}

/* Returns how many of `words` are the option with a value, 0 to 2, and sets *value if any are. */
static int words_of(const struct option_row *o, char *const *words, const char **value)
{
	const char *word = words[0], *end = NULL;
	size_t length = strlen(o->name);

	if (strncmp(word, "--", 2) == 0 && strncmp(word + 2, o->name, length) == 0)
		end = word + 2 + length;
	else if (o->letter && word[0] == '-' && word[1] == o->letter)
		end = word + 2;
	if (!end || (*end && word[1] == '-' && *end != '='))
		return 0;
	*value = *end ? end + (*end == '=') : words[1];
	return !*value ? 0 : *end ? 1 : 2;
}

/* Appends the first argument of PROG with which gatectl would have a gate. */
static void add_gates_in(const struct command *c, char *const *words, struct str *out)
{
	const struct option_row *script = row_named(c, "gates"), *order = row_named(c, "order");
	const char *value = NULL;

	for (; *words && !out->length; words++) {
		if (words_of(order, words, &value) && strstr(value, "->"))
			str_addf(out, "--order '%s'", value);
		else if (words_of(script, words, &value) && is_script_file(value))
			str_addf(out, "-g %s", value);
	}
}

/* Appends the first argument of PROG that would limit the search: an option with a number. */
static void add_number_in(const struct command *c, char *const *words, struct str *out)
{
	for (; *words && !out->length; words++)
		for (const struct option_row *o = option_rows; o->name && !out->length; o++) {
			const char *value = NULL;
			int used = (o->commands & c->mask) && o->argument
					   ? words_of(o, words, &value)
					   : 0;

			if (used && *value && !value[strspn(value, "0123456789.")])
				str_addf(out, used == 1 ? "%s" : "%s %s", words[0], value);
		}
}

/* Programs have options with numbers, too: the note does not say which was meant. */
static void note_number(const struct command *c, const struct cli *cli, const char *program)
{
	STR(number);

	if (!(c->mask & (CMD_EXPLORE | CMD_RACES)))
		return;
	add_number_in(c, cli->rest + 1, &number);
	if (number.length)
		log_line("gatectl: note: %s after %s is an argument of the program: write gatectl "
			 "%s %s %s if %s is to get it; or -- before %s",
			 str_text(&number), program, c->name, str_text(&number), program, c->name,
			 program);
}

void misplaced_note(const struct command *c, const struct cli *cli)
{
	enum { UNGATED = CMD_RUN | CMD_REPL | CMD_EXPLORE | CMD_RACES };
	bool gated = cli->run.scripts.count || cli->run.orders.count;
	const char *program = cli->rest_count ? cli->rest[0] : NULL;
	STR(gates);

	/* After `--` it is certain whose arguments they are. */
	if (!(c->mask & UNGATED) || cli->run.quiet || !program || strcmp(cli->rest[-1], "--") == 0)
		return;
	note_number(c, cli, program);
	if (gated)
		return;
	add_gates_in(c, cli->rest + 1, &gates);
	if (gates.length)
		log_line("gatectl: note: %s after %s is an argument of the program, so there are "
			 "no gates: write gatectl %s %s %s; or -- before %s, if the program is to "
			 "get it",
			 str_text(&gates), program, c->name, str_text(&gates), program, program);
}
