/*
 * The program's output, for an expect or a trial: a pipe, and a thread of ours that passes the
 * output on and keeps a copy. The thread does nothing else; ptrace stays with the main thread.
 */
#include "tracer/features/output/digest.h"
#include "tracer/features/output/output.h"

#include "tracer/base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

struct capture {
	int from, to;
	int stop[2]; /* written to when the tree is gone: what is in the pipe by then is all */
	pthread_t thread;
	bool running;
	bool keep;
	struct str text;
	struct digest digest;
};

static bool pass_on(struct capture *c)
{
	char buffer[65536];
	ssize_t n = read(c->from, buffer, sizeof(buffer));

	if (n < 0)
		return errno == EINTR;
	if (n == 0)
		return false;
	digest_add(&c->digest, buffer, (size_t)n);
	if (c->keep)
		str_add_bytes(&c->text, buffer, (size_t)n);
	if (c->to >= 0)
		io_write(c->to, buffer, (size_t)n); /* keep it even if nobody reads it */
	return true;
}

static void *pass_all(void *arg)
{
	struct capture *c = arg;
	struct pollfd fds[2] = {{c->from, POLLIN, 0}, {c->stop[0], POLLIN, 0}};

	for (;;) {
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return NULL;
		if (fds[0].revents) {
			if (!pass_on(c))
				return NULL;
		} else if (fds[1].revents) {
			return NULL;
		}
	}
}

static int start_thread(struct capture *c)
{
	sigset_t all, old;
	int failed;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	failed = pthread_create(&c->thread, NULL, pass_all, c);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	c->running = !failed;
	return failed;
}

static const struct str *capture_finish(struct capture *c)
{
	if (c->running) {
		io_write(c->stop[1], "", 1);
		pthread_join(c->thread, NULL);
		c->running = false;
	}
	return &c->text;
}

static void capture_free(struct capture *c)
{
	if (!c)
		return;
	if (c->running)
		capture_finish(c);
	if (c->from >= 0)
		close(c->from);
	if (c->stop[0] >= 0)
		close(c->stop[0]);
	if (c->stop[1] >= 0)
		close(c->stop[1]);
	str_fini(&c->text);
	base_free(c);
}

static struct capture *capture_new(int to_fd, bool keep, int *write_fd, struct error *err)
{
	struct capture *c = base_alloc(1, sizeof(*c));
	int fds[2] = {-1, -1};

	c->stop[0] = c->stop[1] = -1;
	c->to = to_fd;
	c->keep = keep;
	digest_begin(&c->digest);
	if (pipe2(fds, O_CLOEXEC) < 0 || pipe2(c->stop, O_CLOEXEC) < 0)
		error_errno(err, ERROR_SYSTEM, "cannot make a pipe for the program's output");
	c->from = fds[0];
	*write_fd = fds[1];
	if (c->stop[0] >= 0) {
		errno = start_thread(c);
		if (!errno)
			return c;
		error_errno(err, ERROR_SYSTEM, "cannot start a thread for the program's output");
	}
	capture_free(c);
	return NULL;
}

/* Kept with a run; NULL: the output is not captured. */
struct output {
	struct capture *out, *err;
};

static void fini(void *what)
{
	struct output *output = what;

	capture_free(output->out);
	capture_free(output->err);
}

static const struct keeper keeper = {sizeof(struct output), fini};

static struct output *output_of(const struct session *s)
{
	return kept_make(&s->kept, &keeper);
}

static int begin(struct session *s, int fd, bool expected, struct capture **out, int *write_fd,
		 struct error *err)
{
	const struct session_trial *trial = s->options->trial;

	if (!expected && !trial)
		return 0;
	*out = capture_new(trial && !trial->show_output ? -1 : fd, expected, write_fd, err);
	return *out ? 0 : -1;
}

/* Trials are compared: each gets the same input, or none. */
static bool reads_nothing(const struct session_options *o)
{
	return o->no_stdin || (o->trial && io_offset(STDIN_FILENO) < 0);
}

static int capture_begin(struct session *s, struct target_launch *how, struct error *err)
{
	const struct expect *x = &s->plan.expect;
	int out = s->options->out ? s->options->out : STDOUT_FILENO;
	int errors = s->options->err ? s->options->err : STDERR_FILENO;

	if (reads_nothing(s->options)) {
		how->stdin_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
		if (how->stdin_fd < 0)
			return error_errno(err, ERROR_SYSTEM, "/dev/null");
	}
	if (s->attended)
		return 0;
	if (begin(s, out, expect_wants_stdout(x), &output_of(s)->out, &how->stdout_fd, err) < 0 ||
	    begin(s, errors, expect_wants_stderr(x), &output_of(s)->err, &how->stderr_fd, err) < 0)
		return -1;
	return 0;
}

void capture_outcome(struct session *s)
{
	const struct output *output = output_of(s);

	s->outcome.stdout_text = output->out ? capture_finish(output->out) : NULL;
	s->outcome.stderr_text = output->err ? capture_finish(output->err) : NULL;
}

void capture_sums(const struct session *s, uint64_t *out, uint64_t *err)
{
	const struct output *output = output_of(s);

	*out = output->out ? digest_end(&output->out->digest) : 0;
	*err = output->err ? digest_end(&output->err->digest) : 0;
}

extern const struct observer capture_observer;
const struct observer capture_observer = {.launch = capture_begin, .outcome = capture_outcome};
