/* gatectl --completions bash|zsh|fish: prints the tables of commands and options for a shell. The
   Makefile installs each table together with the shell's file in tracer/cli/completions/. */
#include "tracer/cli/options/options.h"

#include <stdio.h>
#include <string.h>

/* Ways to complete a value, which follow from its word in --help. */
enum value {
	VALUE_NONE,
	VALUE_CHOICE,
	VALUE_SCRIPT,
	VALUE_SCHEDULE,
	VALUE_FILE,
	VALUE_DIRECTORY,
	VALUE_PROCESS,
	VALUE_ANY,
	VALUES
};

static enum value value_of(const struct option_row *o)
{
	const char *a = o->argument;
	size_t n = a ? strlen(a) : 0;

	return !a					 ? VALUE_NONE
	       : strchr(a, '|')				 ? VALUE_CHOICE
	       : strcmp(a, "FILE.lua") == 0		 ? VALUE_SCRIPT
	       : strcmp(a, "FILE.schedule") == 0	 ? VALUE_SCHEDULE
	       : strcmp(a, "FILE") == 0			 ? VALUE_FILE
	       : strcmp(a, "PROG") == 0			 ? VALUE_FILE
	       : strcmp(a, "PID") == 0			 ? VALUE_PROCESS
	       : n >= 3 && strcmp(a + n - 3, "DIR") == 0 ? VALUE_DIRECTORY
							 : VALUE_ANY;
}

static bool takes(const struct command *c, const struct option_row *o)
{
	return o->commands & c->mask;
}

/* Prints the completion of the value, by the shell's form for its kind. The % in a choice's form
   becomes its words, "auto|always|never" with blanks between them. */
static void print_value(const struct option_row *o, const char *const *forms)
{
	for (const char *at = forms[value_of(o)]; *at; at++) {
		if (*at != '%') {
			putchar(*at);
			continue;
		}
		for (const char *a = o->argument; *a; a++)
			putchar(*a == '|' ? ' ' : *a);
	}
}

/* Prints text inside '...' in a shell: a quote is closed, escaped and opened again. */
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

static const char *const bash_values[VALUES] = {
	[VALUE_CHOICE] = "_gatectl_reply -W '%'",
	[VALUE_SCRIPT] = "_gatectl_files '!*.lua'",
	[VALUE_SCHEDULE] = "_gatectl_files '!*.schedule'",
	[VALUE_FILE] = "_gatectl_files ''",
	[VALUE_DIRECTORY] = "_gatectl_files '*'",
	[VALUE_PROCESS] = "_gatectl_processes",
	[VALUE_ANY] = ":",
};

static void bash_names(const struct command *c, bool valued)
{
	for (const struct option_row *o = option_rows; o->name; o++) {
		if (!takes(c, o) || (valued && !o->argument))
			continue;
		if (o->letter)
			printf(" -%c", o->letter);
		printf(" --%s", o->name);
	}
}

/* True if another row gives the option another value, for other commands. */
static bool is_of_some(const struct option_row *o)
{
	for (const struct option_row *other = option_rows; other->name; other++)
		if (other != o && other->argument && strcmp(other->name, o->name) == 0)
			return true;
	return false;
}

/* Prints the commands and the option as patterns of `case`. */
static void bash_patterns(const struct command *commands, const struct option_row *o)
{
	static const struct command all[] = {{.name = "*"}, {.name = NULL}};
	const char *between = "\t";
	bool some = is_of_some(o);

	for (const struct command *c = some ? commands : all; c->name; c++) {
		if (some && !takes(c, o))
			continue;
		if (o->letter)
			printf("%s%s\\ -%c | ", between, c->name, o->letter);
		printf("%s%s\\ --%s", o->letter ? "" : between, c->name, o->name);
		between = " | ";
	}
	printf(") ");
}

static void bash_table(const struct command *commands)
{
	printf("_gatectl_commands='");
	for (const struct command *c = commands; c->name; c++)
		printf("%s ", c->name);
	puts("help --help --version'\n\n"
	     "# Sets all options of the command $1, and those of them that take a value.\n"
	     "_gatectl_options()\n{\n\tcase $1 in");
	for (const struct command *c = commands; c->name; c++) {
		printf("\t%s)\n\t\toptions='", c->name);
		bash_names(c, false);
		printf("'\n\t\tvalued='");
		bash_names(c, true);
		puts(" '\n\t\t;;");
	}
	puts("\t*) return 1 ;;\n\tesac\n}\n\n"
	     "# Completes the value of option $2 of the command $1.\n"
	     "_gatectl_value()\n{\n\tcase \"$1 $2\" in");
	for (const struct option_row *o = option_rows; o->name; o++) {
		if (!o->argument)
			continue;
		bash_patterns(commands, o);
		print_value(o, bash_values);
		puts(" ;;");
	}
	puts("\tesac\n}\n");
}

/* ---- zsh: arguments of _describe and _arguments --------------------------------------------- */

static const char *const zsh_values[VALUES] = {
	[VALUE_NONE] = "",
	[VALUE_CHOICE] = ":value:(%)",
	[VALUE_SCRIPT] = ":gate script:_files -g \"*.lua(-.)\"",
	[VALUE_SCHEDULE] = ":schedule:_files -g \"*.schedule(-.)\"",
	[VALUE_FILE] = ":file:_files",
	[VALUE_DIRECTORY] = ":directory:_files -/",
	[VALUE_PROCESS] = ":process:_pids",
	[VALUE_ANY] = ":value: ",
};

static void zsh_option(const struct option_row *o)
{
	const char *many = strstr(o->help, "may be repeated") ? "*" : "";
	const char *equals = o->argument ? "=" : "";

	if (o->letter)
		printf("\t\t\t'%s'{-%c%s,--%s%s}'[", many, o->letter, o->argument ? "+" : "",
		       o->name, equals);
	else
		printf("\t\t\t'%s--%s%s[", many, o->name, equals);
	print_quoted(o->help, "[]:");
	putchar(']');
	print_value(o, zsh_values);
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
	puts("\t\t'help:print the options of a command'\n"
	     "\t)\n\t_describe command commands\n}\n\n"
	     "# Sets the options of the command $1, as _arguments takes them.\n"
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

static const char *const fish_values[VALUES] = {
	[VALUE_NONE] = " -f",
	[VALUE_CHOICE] = " -x -a '%'",
	[VALUE_SCRIPT] = " -x -a '(__gatectl_files .lua)'",
	[VALUE_SCHEDULE] = " -x -a '(__gatectl_files .schedule)'",
	[VALUE_FILE] = " -r -F",
	[VALUE_DIRECTORY] = " -x -a '(__gatectl_files /)'",
	[VALUE_PROCESS] = " -x -a '(__fish_complete_pids)'",
	[VALUE_ANY] = " -x",
};

static void fish_option(const struct command *commands, const struct option_row *o)
{
	printf("complete -c gatectl -n '__gatectl_in");
	for (const struct command *c = commands; c->name; c++)
		if (takes(c, o))
			printf(" %s", c->name);
	printf("'");
	if (o->letter)
		printf(" -s %c", o->letter);
	printf(" -l %s", o->name);
	print_value(o, fish_values);
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
	for (const struct command *c = commands; c->name; c++)
		printf("complete -c gatectl -n '__gatectl_in help' -f -a %s\n", c->name);
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
