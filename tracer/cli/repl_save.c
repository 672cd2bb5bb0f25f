/*
 * What was done by hand, as a script that does it by itself: the lines that were accepted, then what
 * was done at rest, each when nobody can move (on "rest").
 */
#include "tracer/cli/repl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* To be called before the program goes on. */
void repl_deed(struct repl *r, const char *command, const char *lua)
{
	*array_add(&r->deeds) = (struct repl_deed){
		.lua = lua ? base_strdup(lua) : NULL,
		.command = base_strdup(command),
		.at_rest = live_state(r->live) == LIVE_REST,
	};
}

static int add_file(struct str *out, const char *path, struct error *err)
{
	char *line = NULL;
	size_t size = 0;
	FILE *f = fopen(path, "re");

	if (!f)
		return error_errno(err, ERROR_USAGE, "%s: cannot be read", path);
	str_addf(out, "-- from %s\n", path);
	while (getline(&line, &size, f) > 0)
		str_add(out, line);
	if (out->length && out->text[out->length - 1] != '\n')
		str_add(out, "\n");
	free(line);
	fclose(f);
	return 0;
}

static void add_deed(struct str *out, const struct repl_deed *d)
{
	if (!d->lua)
		str_addf(out, "-- by hand: %s (a script has no word for it)\n", d->command);
	else if (d->at_rest)
		str_addf(out, "%s\n", d->lua);
	else
		str_addf(out, "%s -- something could still move when it was done\n", d->lua);
}

static int script_text(struct repl *r, struct str *out, struct error *err)
{
	str_addf(out, "-- gatectl run -g THIS %s\n", r->cli->session.argv[0]);
	array_each(const struct repl_entry, entry, &r->entries) {
		if (entry->dropped)
			continue;
		if (!entry->file)
			str_addf(out, "%s\n", entry->lua);
		else if (add_file(out, entry->file, err) < 0)
			return -1;
	}
	if (r->deeds.count)
		str_add(out, "\n-- done by hand, each when nobody could move any more\n");
	array_each(const struct repl_deed, d, &r->deeds)
		add_deed(out, d);
	return 0;
}

int repl_save(struct repl *r, const char *path, struct error *err)
{
	struct str text = {0};
	FILE *f;
	bool failed;

	if (script_text(r, &text, err) < 0) {
		str_fini(&text);
		return -1;
	}
	f = fopen(path, "we");
	failed = !f || fputs(str_text(&text), f) == EOF;
	if (f && fclose(f) == EOF)
		failed = true;
	str_fini(&text);
	return failed ? error_errno(err, ERROR_USAGE, "%s: cannot be written", path) : 0;
}

/* ---- run it by itself ----------------------------------------------------------------------- */

static void exec_gatectl(struct repl *r, const char *command, const char *count, const char *script)
{
	ARRAY(char *) argv = {0};
	const char *words[] = {"gatectl", command, "-g", script};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		*array_add(&argv) = base_strdup(words[i]);
	if (count) {
		*array_add(&argv) = base_strdup("--repeat");
		*array_add(&argv) = base_strdup(count);
	}
	*array_add(&argv) = base_strdup("--");
	for (char *const *arg = r->cli->session.argv; *arg; arg++)
		*array_add(&argv) = *arg;
	*array_add(&argv) = NULL;
	execv("/proc/self/exe", argv.items);
	_exit(125);
}

/* The program that is looked at stays as it is. */
int repl_run_saved(struct repl *r, const char *command, const char *count, struct error *err)
{
	char path[] = "/tmp/gatectl-repl-XXXXXX";
	int fd = mkostemp(path, O_CLOEXEC), failed;
	siginfo_t status;
	pid_t pid;

	if (fd < 0)
		return error_errno(err, ERROR_SYSTEM, "%s", path);
	close(fd);
	failed = repl_save(r, path, err);
	pid = failed ? -1 : fork();
	if (!failed && pid == 0)
		exec_gatectl(r, command, count, path);
	while (pid > 0 && waitid(P_PID, (id_t)pid, &status, WEXITED) < 0 && errno == EINTR)
		;
	unlink(path);
	if (!failed && pid < 0)
		return error_errno(err, ERROR_SYSTEM, "fork");
	return failed;
}
