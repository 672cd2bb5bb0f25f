/*
 * gatectl --completions bash|zsh|fish: the tables of commands and options as the shells want them.
 * The Makefile puts each table in front of the shell's file in tracer/cli/completions/, which uses
 * it; both together are installed.
 */
#include "tracer/cli/cli.h"

#include <stdio.h>
#include <string.h>

/* How a value is completed follows from the word that --help has for it. */
static bool is_choice(const struct option_row *o)
{
	return o->argument && strchr(o->argument, '|');
}

static bool is_script(const struct option_row *o)
{
	return o->argument && strcmp(o->argument, "FILE.lua") == 0;
}

static bool completions_is_file(const struct option_row *o)
{
	return o->argument && strcmp(o->argument, "FILE") == 0;
}

static bool is_schedule(const struct option_row *o)
{
	return o->argument && strcmp(o->argument, "FILE.schedule") == 0;
}

/* DIR, BUILD_DIR */
static bool is_directory(const struct option_row *o)
{
	size_t n = o->argument ? strlen(o->argument) : 0;

	return n >= 3 && strcmp(o->argument + n - 3, "DIR") == 0;
}

static bool is_short(const struct option_row *o)
{
	return o->key < OPT_ORDER;
}

static bool takes(const struct command *c, const struct option_row *o)
{
	return o->commands & c->mask;
}

/* "auto|always|never" with blanks between the words */
static void print_choices(const struct option_row *o)
{
	for (const char *at = o->argument; *at; at++)
		putchar(*at == '|' ? ' ' : *at);
}

/* For the inside of '...' in a shell: a quote there closes it, is escaped, and opens it again. */
static void print_quoted(const char *text, const char *escaped)
{
	for (; *text; text++) {
		if (strchr(escaped, *text))
			putchar('\\');
		if (*text == '\'')
			printf("'\\''");
		else
			putchar(*text);
	}
}

/* ---- bash ----------------------------------------------------------------------------------- */

static void bash_names(const struct command *c, bool valued)
{
	for (const struct option_row *o = option_rows; o->name; o++) {
		if (!takes(c, o) || (valued && !o->argument))
			continue;
		if (is_short(o))
			printf(" -%c", o->key);
		printf(" --%s", o->name);
	}
}

/* Does another row give the option another value, for other commands? */
static bool is_of_some(const struct option_row *o)
{
	for (const struct option_row *other = option_rows; other->name; other++)
		if (other != o && other->argument && other->key == o->key)
			return true;
	return false;
}

/* The commands and the option, as patterns of `case`. */
static void bash_patterns(const struct command *commands, const struct option_row *o)
{
	static const struct command all[] = {{.name = "*"}, {.name = NULL}};
	const char *between = "\t";
	bool some = is_of_some(o);

	for (const struct command *c = some ? commands : all; c->name; c++) {
		if (some && !takes(c, o))
			continue;
		if (is_short(o))
			printf("%s%s\\ -%c | ", between, c->name, o->key);
		printf("%s%s\\ --%s", is_short(o) ? "" : between, c->name, o->name);
		between = " | ";
	}
	printf(") ");
}

static void bash_value(const struct command *commands, const struct option_row *o)
{
	bash_patterns(commands, o);
	if (is_choice(o)) {
		printf("_gatectl_reply -W '");
		print_choices(o);
		printf("'");
	} else {
		printf(is_script(o)		? "_gatectl_files '!*.lua'"
		       : is_schedule(o)		? "_gatectl_files '!*.schedule'"
		       : completions_is_file(o) ? "_gatectl_files ''"
		       : is_directory(o)	? "_gatectl_files '*'"
						: ":");
	}
	puts(" ;;");
}

static void bash_table(const struct command *commands)
{
	printf("_gatectl_commands='");
	for (const struct command *c = commands; c->name; c++)
		printf("%s ", c->name);
	puts("--help --version'\n\n"
	     "# Of the command $1: all its options, and those that take a value.\n"
	     "_gatectl_options()\n{\n\tcase $1 in");
	for (const struct command *c = commands; c->name; c++) {
		printf("\t%s)\n\t\toptions='", c->name);
		bash_names(c, false);
		printf("'\n\t\tvalued='");
		bash_names(c, true);
		puts(" '\n\t\t;;");
	}
	puts("\t*) return 1 ;;\n\tesac\n}\n\n"
	     "# The value of the option $2 of the command $1.\n"
	     "_gatectl_value()\n{\n\tcase \"$1 $2\" in");
	for (const struct option_row *o = option_rows; o->name; o++)
		if (o->argument)
			bash_value(commands, o);
	puts("\tesac\n}\n");
}

/* ---- zsh: arguments of _describe and _arguments --------------------------------------------- */

static void zsh_option(const struct option_row *o)
{
	bool many = strstr(o->help, "may be repeated");

	printf("\t\t\t");
	if (is_short(o))
		printf("'%s'{-%c%s,--%s%s}'[", many ? "*" : "", o->key, o->argument ? "+" : "",
		       o->name, o->argument ? "=" : "");
	else
		printf("'%s--%s%s[", many ? "*" : "", o->name, o->argument ? "=" : "");
	print_quoted(o->help, "[]:");
	putchar(']');
	if (is_choice(o)) {
		printf(":value:(");
		print_choices(o);
		putchar(')');
	} else if (o->argument) {
		printf(is_script(o)		? ":gate script:_files -g \"*.lua(-.)\""
		       : is_schedule(o)		? ":schedule:_files -g \"*.schedule(-.)\""
		       : completions_is_file(o) ? ":file:_files"
		       : is_directory(o)	? ":directory:_files -/"
						: ":value: ");
	}
	puts("'");
}

static void zsh_table(const struct command *commands)
{
	puts("#compdef gatectl\n\n"
	     "_gatectl_commands()\n{\n\tlocal -a commands=(");
	for (const struct command *c = commands; c->name; c++) {
		printf("\t\t'%s:", c->name);
		print_quoted(c->summary, ":");
		puts("'");
	}
	puts("\t)\n\t_describe command commands\n}\n\n"
	     "# Of the command $1, for _arguments.\n"
	     "_gatectl_options()\n{\n\tcase $1 in");
	for (const struct command *c = commands; c->name; c++) {
		printf("\t%s)\n\t\toptions=(\n", c->name);
		for (const struct option_row *o = option_rows; o->name; o++)
			if (takes(c, o))
				zsh_option(o);
		puts("\t\t)\n\t\t;;");
	}
	puts("\t*) return 1 ;;\n\tesac\n}\n");
}

/* ---- fish ----------------------------------------------------------------------------------- */

static void fish_option(const struct command *commands, const struct option_row *o)
{
	printf("complete -c gatectl -n '__gatectl_in");
	for (const struct command *c = commands; c->name; c++)
		if (takes(c, o))
			printf(" %s", c->name);
	printf("'");
	if (is_short(o))
		printf(" -s %c", o->key);
	printf(" -l %s", o->name);
	if (is_choice(o)) {
		printf(" -x -a '");
		print_choices(o);
		printf("'");
	} else if (is_script(o)) {
		printf(" -x -a '(__gatectl_files .lua)'");
	} else if (is_schedule(o)) {
		printf(" -x -a '(__gatectl_files .schedule)'");
	} else if (is_directory(o)) {
		printf(" -x -a '(__gatectl_files /)'");
	} else if (o->argument) {
		printf(completions_is_file(o) ? " -r -F" : " -x");
	} else {
		printf(" -f");
	}
	printf(" -d '");
	for (const char *at = o->help; *at; at++)
		printf(strchr("'\\", *at) ? "\\%c" : "%c", *at);
	puts("'");
}

static void fish_table(const struct command *commands)
{
	for (const struct command *c = commands; c->name; c++)
		printf("complete -c gatectl -n __gatectl_no_command -f -a %s -d '%s'\n", c->name,
		       c->summary);
	for (const struct option_row *o = option_rows; o->name; o++)
		fish_option(commands, o);
}

int completions_print(const char *shell, const struct command *commands)
{
	static const struct {
		const char *shell;
		void (*table)(const struct command *commands);
	} all[] = {{"bash", bash_table}, {"zsh", zsh_table}, {"fish", fish_table}};
	ERROR(err);

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (strcmp(shell, all[i].shell) == 0) {
			all[i].table(commands);
			return 0;
		}
	error_set(&err, ERROR_USAGE, "--completions: '%s' is none of bash, zsh and fish", shell);
	error_hint(&err, "gatectl --completions bash");
	return output_error(&(struct cli){0}, &err);
}
