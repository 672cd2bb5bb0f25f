/* Standard streams of a run, and the program's output where a verdict needs it: expectations,
   reports of sanitizers. */
#include "tracer/sched/sched_internal.h"
#include "tracer/tracee/attach/attach.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 16 << 20 };

static const struct str *read_back(const struct stream *stream, struct str *text)
{
	char part[4096];
	ssize_t n;

	if (stream->kind == STREAM_INHERITED)
		return NULL;
	while (text->length < MOST &&
	       (n = pread(stream->kept, part, sizeof(part), (off_t)text->length)) > 0)
		str_add_bytes(text, part, (size_t)n);
	return text;
}

static bool reports(const struct str *text)
{
	static const char *const words[] = {"ERROR: AddressSanitizer", "WARNING: ThreadSanitizer",
					    "ERROR: LeakSanitizer", "WARNING: MemorySanitizer",
					    ": runtime error: "};

	for (size_t i = 0; text && i < sizeof(words) / sizeof(*words); i++)
		if (strstr(str_text(text), words[i]))
			return true;
	return false;
}

bool written_drain(struct scheduler *c)
{
	bool out = stream_drain(&c->given->out), err = stream_drain(&c->given->err);

	return out || err;
}

void written_next(struct scheduler *c)
{
	if (c->given->out.to >= 0 || c->given->err.to >= 0)
		written_drain(c);
}

void written_outcome(struct scheduler *c)
{
	struct run *s = c->run;
	const struct expect *x = &run_plan(s)->expect;
	bool failed = run_outcome(s)->end == OUTCOME_SIGNALED || run_outcome(s)->exit;

	written_drain(c);
	c->given->seen &= ~(unsigned)SCHED_SANITIZER;
	if (failed || expect_wants_stderr(x)) {
		const struct str *err = read_back(&c->given->err, &c->err);

		if (reports(err))
			c->given->seen |= SCHED_SANITIZER;
		if (expect_wants_stderr(x) && !run_outcome(s)->stderr_text)
			run_outcome(s)->stderr_text = err;
	}
	if (expect_wants_stdout(x) && !run_outcome(s)->stdout_text)
		run_outcome(s)->stdout_text = read_back(&c->given->out, &c->out);
}

/* ---- start of a run ---------------------------------------------------------------------- */

static int input_of(const struct sched *g)
{
	if (g->in < 0)
		return g->in;
	lseek(g->in, g->in_at, SEEK_SET);
	return fcntl(g->in, F_DUPFD_CLOEXEC, 3);
}

static int output_of(struct stream *stream)
{
	stream_begin(stream);
	return stream->kind == STREAM_CLOSED ? TRACEE_CLOSED : stream_give(stream);
}

/* Keeps the input of a script's run, because copies of the program share its offset: each run
   rewinds it. */
static void keep_input(struct sched *g, int given)
{
	if (g->in >= 0)
		close(g->in);
	g->in = fcntl(given, F_DUPFD_CLOEXEC, 3);
}

void streams_launch(struct sched *g, struct tracee_launch *how)
{
	if (g->flags & SCHED_KEEPS && how->stdin_fd >= 0)
		keep_input(g, how->stdin_fd);
	how->stdin_fd = how->stdin_fd < 0 ? input_of(g) : how->stdin_fd;
	how->stdout_fd = how->stdout_fd < 0 ? output_of(&g->out) : how->stdout_fd;
	how->stderr_fd = how->stderr_fd < 0 ? output_of(&g->err) : how->stderr_fd;
}
