/* Captures the program's output through a pipe or terminal. A thread of gatectl passes it on and
 * keeps a copy; ptrace stays with the main thread. A file is read after the run. */
#include "tracer/features/output/output.h"

#include "tracer/base/files/io.h"
#include "tracer/tracee/attach/attach.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

struct capture {
	struct stream stream;
	int to;
	/* pipe that ends the thread once all processes have ended: the output is complete then */
	int stop[2];
	pthread_t thread;
	bool running;
	bool keep;
	struct str text;
	struct digest digest;
};

static bool capture_pass_on(struct capture *c, int from)
{
	char buffer[65536];
	ssize_t n = read(from, buffer, sizeof(buffer));

	if (n < 0)
		return errno == EINTR || errno == EAGAIN;
	if (n == 0)
		return false;
	digest_add(&c->digest, buffer, (size_t)n);
	if (c->keep)
		str_add_bytes(&c->text, buffer, (size_t)n);
	if (c->to >= 0)
		io_write(c->to, buffer, (size_t)n); /* kept even if the write fails */
	return true;
}

static void *pass_all(void *arg)
{
	struct capture *c = arg;
	struct pollfd fds[2] = {{c->stream.ours, POLLIN, 0}, {c->stop[0], POLLIN, 0}};

	for (;;) {
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return NULL;
		if (fds[0].revents) {
			if (!capture_pass_on(c, c->stream.ours))
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
	} else if (c->stream.kind == STREAM_FILE && lseek(c->stream.kept, 0, SEEK_SET) == 0) {
		while (capture_pass_on(c, c->stream.kept))
			continue;
		c->stream.kind = STREAM_CLOSED;
	}
	return &c->text;
}

static void capture_free(struct capture *c)
{
	if (!c)
		return;
	if (c->running)
		capture_finish(c);
	stream_close(&c->stream);
	if (c->stop[0] >= 0)
		close(c->stop[0]);
	if (c->stop[1] >= 0)
		close(c->stop[1]);
	str_fini(&c->text);
	digest_fini(&c->digest);
	base_free(c);
}

static int open_ends(struct capture *c, enum stream_kind kind, struct error *err)
{
	if (stream_open(&c->stream, kind ? kind : STREAM_PIPE, "output", -1, err) < 0)
		return -1;
	if (c->stream.ours < 0)
		return 0;
	if (pipe2(c->stop, O_CLOEXEC) < 0)
		return error_errno(err, ERROR_SYSTEM, "pipe");
	errno = start_thread(c);
	return errno ? error_errno(err, ERROR_SYSTEM,
				   "cannot start a thread for the program's output")
		     : 0;
}

static struct capture *capture_new(int to_fd, bool keep, enum stream_kind kind, int *write_fd,
				   struct error *err)
{
	struct capture *c = base_alloc(1, sizeof(*c));

	c->stop[0] = c->stop[1] = -1;
	c->to = to_fd;
	c->keep = keep;
	digest_begin(&c->digest);
	if (open_ends(c, kind, err) < 0) {
		capture_free(c);
		return NULL;
	}
	*write_fd = c->stream.kind == STREAM_CLOSED ? TRACEE_CLOSED : stream_give(&c->stream);
	return c;
}

/* Per-run data; NULL: the output is not captured. */
struct output {
	struct capture *out, *err;
};

static void capture_fini(void *what)
{
	struct output *output = what;

	capture_free(output->out);
	capture_free(output->err);
}

static const struct keeper keeper = {sizeof(struct output), capture_fini};

static struct output *output_of(const struct run *s)
{
	return kept_make(run_kept(s), &keeper);
}

static int output_capture_begin(struct run *s, int fd, bool expected, struct capture **out,
				int *write_fd, struct error *err)
{
	const struct run_trial *trial = run_options(s)->trial;
	enum stream_kind kind = run_options(s)->kinds[fd];

	if (!expected && !trial)
		return 0;
	*out = capture_new(trial && !trial->show_output ? -1 : fd, expected, kind, write_fd, err);
	return *out ? 0 : -1;
}

/* Trials are compared, so each gets the same input, or none. */
static bool reads_nothing(const struct run_options *o)
{
	return o->no_stdin || (o->trial && io_offset(STDIN_FILENO) < 0);
}

static int capture_begin(struct run *s, struct tracee_launch *how, struct error *err)
{
	const struct expect *x = &run_plan(s)->expect;
	struct output *output = output_of(s);

	if (run_options(s)->kinds[STDIN_FILENO] == STREAM_CLOSED) {
		how->stdin_fd = TRACEE_CLOSED;
	} else if (reads_nothing(run_options(s))) {
		how->stdin_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
		if (how->stdin_fd < 0)
			return error_errno(err, ERROR_SYSTEM, "/dev/null");
	}
	if (run_is_attended(s) || run_options(s)->sched) /* their output is not redirected */
		return 0;
	if (output_capture_begin(s, STDOUT_FILENO, expect_wants_stdout(x), &output->out,
				 &how->stdout_fd, err) < 0)
		return -1;
	return output_capture_begin(s, STDERR_FILENO, expect_wants_stderr(x), &output->err,
				    &how->stderr_fd, err);
}

void capture_outcome(struct run *s)
{
	const struct output *output = output_of(s);

	run_outcome(s)->stdout_text = output->out ? capture_finish(output->out) : NULL;
	run_outcome(s)->stderr_text = output->err ? capture_finish(output->err) : NULL;
}

void capture_sums(const struct run *s, struct digest_written *out, struct digest_written *err)
{
	const struct output *output = output_of(s);

	if (output->out)
		*out = digest_end(&output->out->digest);
	if (output->err)
		*err = digest_end(&output->err->digest);
}

extern const struct observer capture_observer;
const struct observer capture_observer = {.launch = capture_begin, .outcome = capture_outcome};
