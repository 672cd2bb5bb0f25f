/* Environment, arguments and standard input that a script gives to the program. The command line
 * takes precedence: arguments after PROG replace the script's, a file as standard input replaces
 * the script's input. */
#include "tracer/scripts/scripts.h"

#include "tracer/base/files/io.h"
#include "tracer/tracee/attach/attach.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Per-run data, in the form for exec; NULL: the script gives none. */
struct gifts {
	char **argv, **env;
};

static void scripts_given_fini(void *what)
{
	struct gifts *gifts = what;

	for (char **own = gifts->env; own && *own; own++)
		base_free(*own);
	base_free(gifts->env);
	base_free(gifts->argv);
}

static const struct keeper keeper = {sizeof(struct gifts), scripts_given_fini};

static struct gifts *gifts_of(const struct run *s)
{
	return kept_make(run_kept(s), &keeper);
}

char *const *given_argv(struct run *s)
{
	const struct given *g = &run_plan(s)->given;
	char *const *argv = run_options(s)->argv;
	struct gifts *gifts = gifts_of(s);

	if (!argv[0] || argv[1] || !g->has_args)
		return argv;
	if (!gifts->argv) {
		gifts->argv = base_alloc(g->args.count + 2, sizeof(*gifts->argv));
		gifts->argv[0] = argv[0];
		for (size_t i = 0; i < g->args.count; i++)
			gifts->argv[i + 1] = g->args.items[i];
	}
	return gifts->argv;
}

/* ---- environment ---------------------------------------------------------------------------- */

static bool given_is_given(const struct given *g, const char *assignment)
{
	size_t length = strcspn(assignment, "=");

	array_each(const struct given_variable, v, &g->env)
		if (strlen(v->name) == length && memcmp(v->name, assignment, length) == 0)
			return true;
	return false;
}

static char *assignment_of(const struct given_variable *v)
{
	struct str text = {0};

	str_addf(&text, "%s=%s", v->name, v->value);
	return str_take(&text);
}

char *const *given_env(struct run *s)
{
	const struct given *g = &run_plan(s)->given;
	struct gifts *gifts = gifts_of(s);
	size_t count = 0;

	if (!g->env.count || gifts->env)
		return gifts->env;
	while (environ[count])
		count++;
	gifts->env = base_alloc(count + g->env.count + 1, sizeof(*gifts->env));
	count = 0;
	for (char **own = environ; *own; own++)
		if (!given_is_given(g, *own))
			gifts->env[count++] = base_strdup(*own);
	array_each(const struct given_variable, v, &g->env)
		if (v->value)
			gifts->env[count++] = assignment_of(v);
	return gifts->env;
}

/* ---- standard input ------------------------------------------------------------------------- */

/* Test runners pass a pipe, /dev/null or a terminal by default; only a regular file is intended. */
static bool is_redirected(const struct run *s)
{
	return !run_options(s)->no_stdin && io_offset(STDIN_FILENO) >= 0;
}

static int open_text(const struct given *g)
{
	int fd = memfd_create("stdin", MFD_CLOEXEC);
	size_t done = 0;

	while (fd >= 0 && done < g->input_length) {
		ssize_t n = write(fd, g->input + done, g->input_length - done);

		if (n <= 0) {
			close(fd);
			return -1;
		}
		done += (size_t)n;
	}
	if (fd >= 0)
		lseek(fd, 0, SEEK_SET);
	return fd;
}

static int open_stdin(struct run *s, struct tracee_launch *how, struct error *err)
{
	const struct given *g = &run_plan(s)->given;
	int fd;

	if (!g->input || is_redirected(s))
		return 0;
	fd = g->input_is_file ? open(g->input, O_RDONLY | O_CLOEXEC) : open_text(g);
	if (fd < 0)
		return error_errno(err, ERROR_SCRIPT, "%s: stdin: %s", g->source,
				   g->input_is_file ? g->input : "the text");
	if (how->stdin_fd >= 0)
		close(how->stdin_fd);
	how->stdin_fd = fd;
	return 0;
}

static int given_give(struct run *s, struct tracee_launch *how, struct error *err)
{
	how->argv = given_argv(s);
	how->env = given_env(s);
	return open_stdin(s, how, err);
}

extern const struct observer given_observer;
const struct observer given_observer = {.launch = given_give};
