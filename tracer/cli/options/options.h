/* One table of options: parsing, --help and completions come from it. */
#ifndef GATECTL_CLI_OPTIONS_OPTIONS_H
#define GATECTL_CLI_OPTIONS_OPTIONS_H

#include "tracer/cli/cli.h"

struct option_row {
	const char *name;
	int letter;	      /* 0: no short form */
	const char *argument; /* NULL: none. FILE.lua, FILE, DIR and A|B are completed as such */
	unsigned commands;    /* CMD_... */
	/* Reads the value of --NAME into the member of struct cli at `offset`. Returns 0, or -1
	   with *err set. */
	int (*read)(const char *name, const char *text, void *out, struct error *err);
	size_t offset;
	const char *help;
};
enum { OPTION_ROWS = 95 };
extern const struct option_row option_rows[OPTION_ROWS + 1]; /* ends with a NULL name */

/* Returns 0, or -1 with *err set if a gate script stands in the place of PROG. */
int misplaced_script(const struct command *c, const struct cli *cli, struct error *err);

#endif
