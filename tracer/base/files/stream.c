/* Streams for the program's output: files, pipes and terminals. */
#include "tracer/base/files/stream.h"

#include "tracer/base/files/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const names[] = {
	[STREAM_FILE] = "file", [STREAM_PIPE] = "pipe",	    [STREAM_TERMINAL] = "tty",
	[STREAM_NULL] = "null", [STREAM_CLOSED] = "closed",
};
enum { KINDS = sizeof(names) / sizeof(*names) };

const char *stream_kind_name(enum stream_kind kind)
{
	return names[kind];
}

enum stream_kind stream_kind_named(const char *name)
{
	for (int i = STREAM_FILE; i < KINDS; i++)
		if (strcmp(names[i], name) == 0)
			return (enum stream_kind)i;
	return STREAM_INHERITED;
}

enum stream_kind stream_kind_of(int fd)
{
	int flags = fcntl(fd, F_GETFD);
	struct stat is;

	if (flags < 0 || flags & FD_CLOEXEC || fstat(fd, &is) < 0)
		return STREAM_CLOSED;
	if (S_ISREG(is.st_mode))
		return STREAM_FILE;
	if (!S_ISCHR(is.st_mode))
		return STREAM_PIPE;
	return isatty(fd) ? STREAM_TERMINAL : STREAM_NULL;
}

/* ---- opening --------------------------------------------------------------------------------- */

/* Sets a fixed size and modes that change no byte: the real terminal does that
   when output is passed on. */
static int set_terminal(const struct stream *s)
{
	const struct winsize size = {.ws_row = 24, .ws_col = 80};

	return tcsetattr(s->program, TCSANOW, &s->modes) < 0 ? -1
							     : ioctl(s->program, TIOCSWINSZ, &size);
}

/* O_NOCTTY: the terminal controls no process, so job control stays with gatectl's own terminal. */
static int open_terminal(struct stream *s)
{
	char path[64];

	s->ours = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (s->ours < 0 || grantpt(s->ours) < 0 || unlockpt(s->ours) < 0 ||
	    ptsname_r(s->ours, path, sizeof(path)) != 0)
		return -1;
	s->program = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (s->program < 0 || tcgetattr(s->program, &s->modes) < 0)
		return -1;
	s->modes.c_oflag &= ~(tcflag_t)OPOST;
	s->modes.c_lflag &= ~(tcflag_t)(ECHO | ECHONL);
	return set_terminal(s);
}

static int open_pipe(struct stream *s)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	s->ours = ends[0];
	s->program = ends[1];
	return 0;
}

static int open_ends(struct stream *s)
{
	int failed = s->kind == STREAM_TERMINAL ? open_terminal(s)
		     : s->kind == STREAM_PIPE	? open_pipe(s)
						: 0;

	return failed || s->ours < 0 ? failed : fcntl(s->ours, F_SETFL, O_NONBLOCK);
}

int stream_open(struct stream *s, enum stream_kind kind, const char *name, int to,
		struct error *err)
{
	*s = (struct stream){.kind = kind, .program = -1, .ours = -1, .to = to};
	s->kept = memfd_create(name, MFD_CLOEXEC);
	if (s->kept >= 0 && fcntl(s->kept, F_SETFL, O_APPEND) == 0 && open_ends(s) == 0)
		return 0;
	error_errno(err, ERROR_SYSTEM, "cannot make a %s for the program's output", names[kind]);
	stream_close(s);
	return -1;
}

static void close_one(int fd)
{
	if (fd >= 0)
		close(fd);
}

void stream_close(struct stream *s)
{
	if (s->kind == STREAM_INHERITED)
		return;
	close_one(s->program);
	close_one(s->ours);
	close_one(s->kept);
	*s = (struct stream){0};
}

int stream_give(const struct stream *s)
{
	int fd = s->kind == STREAM_FILE ? s->kept : s->program;

	return s->kind == STREAM_INHERITED || fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

/* ---- output ---------------------------------------------------------------------------------- */

/* Moves the contents of the pipe or terminal to `kept`. Returns true if there were any. */
static bool stream_take(struct stream *s)
{
	char bytes[4096];
	bool any = false;
	ssize_t n;

	while (s->ours >= 0 &&
	       ((n = read(s->ours, bytes, sizeof(bytes))) > 0 || (n < 0 && errno == EINTR)))
		if (n > 0) {
			any = true;
			io_write(s->kept, bytes, (size_t)n);
		}
	return any;
}

/* Passes output on. A reader that has closed its end does not end the run. */
static void stream_pass_on(struct stream *s)
{
	char bytes[4096];
	ssize_t n;

	while (s->to >= 0 && (n = pread(s->kept, bytes, sizeof(bytes), s->passed)) > 0) {
		s->passed += n;
		if (io_write(s->to, bytes, (size_t)n) < 0)
			s->to = -1;
	}
}

bool stream_drain(struct stream *s)
{
	bool any;

	if (s->kind == STREAM_INHERITED)
		return false;
	any = stream_take(s);
	stream_pass_on(s);
	return any;
}

void stream_begin(struct stream *s)
{
	if (s->kind == STREAM_INHERITED)
		return;
	stream_take(s);
	s->passed = 0;
	if (s->kind == STREAM_TERMINAL)
		set_terminal(s);
	if (s->program >= 0)
		fcntl(s->program, F_SETFL, 0);
	if (ftruncate(s->kept, 0) == 0)
		lseek(s->kept, 0, SEEK_SET);
}
