/* The table of commands, and main(). */
#include "tracer/cli/cli.h"

#include "tracer/base/text/suggest.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char version[] = "gatectl " GATECTL_VERSION;

static const struct command commands[] = {
	{"run",
	 "run [OPTIONS] [-g FILE.lua]... [--order 'A -> B']... [--] PROG [ARG...]",
	 "run a program under gates",
	 {"gatectl run --order 'calc.c:14 -> calc.c:7' ./calc",
	  "gatectl run -g calc.lua --repeat 100 --report run.html ./calc"},
	 CMD_RUN,
	 command_run,
	 "program"},
	{"attach",
	 "attach [OPTIONS] [-g FILE.lua] PID",
	 "put gates on a program that runs already",
	 {"gatectl attach 4711", "gatectl attach -g late.lua 4711"},
	 CMD_ATTACH,
	 command_attach,
	 "process"},
	{"prove",
	 "prove [OPTIONS] [-g FILE.lua]... [--order 'A -> B']... [--] PROG [ARG...]",
	 "which gates matter, and is the outcome forced? runs with all, with none, and without "
	 "each",
	 {"gatectl prove -g calc.lua ./calc",
	  "gatectl prove -n 5 --order 'calc.c:14 -> calc.c:7' ./calc"},
	 CMD_PROVE,
	 command_prove,
	 "program"},
	{"repl",
	 "repl [OPTIONS] [-g FILE.lua]... [--order 'A -> B']... [--] PROG [ARG...]\n"
	 "  gatectl repl [OPTIONS] --pid PID",
	 "place gates on a program by hand, and look at it",
	 {"gatectl repl ./calc", "gatectl repl --replay gatectl-found/1/schedule"},
	 CMD_REPL,
	 command_repl,
	 "program"},
	{"convert",
	 "convert [OPTIONS] -o FILE.lua [--] PROG [ARG...]",
	 "a gate script from a test that orders its threads by sleeping",
	 {"gatectl convert -o slept.lua ./jobs",
	  "gatectl convert --needed --for 30 -o slept.lua ./calc"},
	 CMD_CONVERT,
	 command_convert,
	 "program"},
	{"explore",
	 "explore [OPTIONS] [-g FILE.lua]... [-o DIR] [--] PROG [ARG...]\n"
	 "  gatectl explore [OPTIONS] [-R REGEX] --ctest DIR | --gtest PROG | --list FILE",
	 "search the interleavings for one that fails",
	 {"gatectl explore ./bank", "gatectl explore --all --runs 500 -o found ./sensors"},
	 CMD_EXPLORE,
	 command_explore,
	 "program"},
	{"replay",
	 "replay [OPTIONS] FILE.schedule [[--] PROG [ARG...]]",
	 "one recorded interleaving again, exactly",
	 {"gatectl replay gatectl-found/1/schedule",
	  "gatectl replay --report run.html gatectl-found/1/schedule"},
	 CMD_REPLAY,
	 command_replay,
	 "schedule"},
	{"races",
	 "races [OPTIONS] [-g FILE.lua]... [--] PROG [ARG...]",
	 "which accesses to memory are ordered by nothing?",
	 {"gatectl races ./sensors",
	  "gatectl races --ignore known.txt --report races.html ./sensors"},
	 CMD_RACES,
	 command_races,
	 "program"},
	{"harness",
	 "harness [OPTIONS] --object TYPE [-o DIR] LIBRARY",
	 "is every operation of a C object atomic?",
	 {"gatectl harness --object 'struct queue' ./libqueue.so",
	  "gatectl harness --object 'struct queue' --list ./libqueue.so"},
	 CMD_HARNESS,
	 command_harness,
	 "library"},
	{"audit",
	 "audit [OPTIONS] [-p BUILD_DIR] [FILE.c...]",
	 "is a struct or class thread-safe? what its sources say",
	 {"gatectl audit queue.c", "gatectl audit -p build --report audit.sarif"},
	 CMD_AUDIT,
	 command_audit,
	 "file, and no -p BUILD_DIR,"},
	{"check",
	 "check -g FILE.lua PROG",
	 "resolve every location of a script, run nothing",
	 {"gatectl check -g calc.lua ./calc", "gatectl check --lock -g calc.lua ./calc"},
	 CMD_CHECK,
	 command_check,
	 "program"},
	{"lines",
	 "lines PROG LOCATION...",
	 "what a location means: object, function, file:line, addresses, inlined copies",
	 {"gatectl lines ./calc calc.c:7 'worker2;result'",
	  "gatectl lines ./jobs queue_take%return"},
	 CMD_LINES,
	 command_lines,
	 "program"},
	{0},
};

static void help(void)
{
	puts("gatectl: hold the thread that reaches this line until that has happened\n\nusage:");
	for (const struct command *c = commands; c->name; c++)
		printf("  gatectl %s\n      %s\n", c->usage, c->summary);
	puts("  gatectl --help | --version\n\n"
	     "examples:\n"
	     "  gatectl run --order 'calc.c:14 -> calc.c:7' ./calc\n"
	     "  gatectl explore ./bank\n\n"
	     "`gatectl COMMAND --help`, or `gatectl help COMMAND`, lists the options of a "
	     "command.\n"
	     "Manual pages: gatectl(1), gatectl-COMMAND(1) for each command, gatectl-gates(5) for\n"
	     "gate scripts.");
}

static const struct command *find_command(const char *name)
{
	for (const struct command *c = commands; c->name; c++)
		if (strcmp(c->name, name) == 0)
			return c;
	return NULL;
}

static int no_command(const char *name)
{
	struct suggestions like = {.wanted = name};
	struct cli cli = {0};
	STR(similar);
	ERROR(err);

	for (const struct command *c = commands; name && c->name; c++)
		suggest_offer(&like, c->name);
	suggest_take(&like, &similar);
	if (name)
		error_set(&err, ERROR_USAGE, "'%s' is not a command%s", name, str_text(&similar));
	else
		error_set(&err, ERROR_USAGE, "no command was given");
	if (name && access(name, X_OK) == 0)
		error_hint(&err, "gatectl run %s", name);
	else
		error_hint(&err, "gatectl --help");
	return output_error(&cli, &err);
}

static int run_command(const struct command *c, int argc, char **argv)
{
	ERROR(err);
	struct cli cli;
	int status;

	if (options_parse(c, argc, argv, &cli, &err) < 0)
		status = output_error(&cli, &err);
	else if (cli.help)
		options_help(c), status = 0;
	else if (cli.version)
		puts(version), status = 0;
	else
		misplaced_note(c, &cli), status = c->run(&cli);
	options_fini(&cli);
	return status;
}

/* gatectl help [COMMAND] */
static int help_on(const char *name)
{
	const struct command *c = name ? find_command(name) : NULL;

	if (name && !c)
		return no_command(name);
	if (c)
		options_help(c);
	else
		help();
	return EXIT_SUCCESS;
}

static int answer(int argc, char **argv)
{
	const struct command *c;

	if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
		return help_on(NULL);
	if (argc > 1 && strcmp(argv[1], "help") == 0)
		return help_on(argv[2]);
	if (argc > 1 && strcmp(argv[1], "--version") == 0) {
		puts(version);
		return EXIT_SUCCESS;
	}
	if (argc == 3 && strcmp(argv[1], "--completions") == 0)
		return completions_print(argv[2], commands);
	c = argc > 1 ? find_command(argv[1]) : NULL;
	return c ? run_command(c, argc - 1, argv + 1) : no_command(argc > 1 ? argv[1] : NULL);
}

/* If a standard descriptor is closed, the next file opened gets its number, and output for the user
   would go there. A descriptor with the same error is put there; the program finds it closed. */
static void keep_standard(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			open("/dev/null", (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
}

int main(int argc, char **argv)
{
	keep_standard();
	signal(SIGPIPE, SIG_IGN); /* no reader is left: the exit status still counts */
	signal(SIGXFSZ, SIG_IGN); /* writing to a file that is too large fails, with an error */
	shrunk_watch();
	return output_end(answer(argc, argv));
}
