/*
 * A standard stream for the program, of a chosen kind, wherever gatectl's own output goes. Output
 * is stored in a file and passed on. The kind matters: the C library buffers by it (setbuf(3)), and
 * programs ask for it (isatty(3)), so system calls depend on it.
 */
#ifndef GATECTL_BASE_FILES_STREAM_H
#define GATECTL_BASE_FILES_STREAM_H

#include "tracer/base/error.h"
#include "tracer/base/text/str.h"

#include <sys/types.h>
#include <termios.h>

enum stream_kind {
	STREAM_INHERITED, /* gatectl's own stream, unchanged */
	STREAM_FILE,
	STREAM_PIPE,
	STREAM_TERMINAL,
	STREAM_NULL, /* /dev/null */
	STREAM_CLOSED,
};

/* Returns "file", "pipe", "tty", "null" or "closed"; NULL for STREAM_INHERITED. */
const char *stream_kind_name(enum stream_kind kind);
/* Returns the kind with this name, or STREAM_INHERITED. */
enum stream_kind stream_kind_named(const char *name);
/* Returns the kind of a descriptor of gatectl. One that was closed at the start
   has FD_CLOEXEC (main.c). */
enum stream_kind stream_kind_of(int fd);

/* A stream of the program. {0}: the program inherits gatectl's. */
struct stream {
	enum stream_kind kind;
	int program;	      /* descriptor of the program's end, or -1 */
	int ours;	      /* other end of a pipe or terminal, or -1 */
	int kept;	      /* file with all output since stream_begin() */
	int to;		      /* descriptor that output is passed on to; -1 for none */
	off_t passed;	      /* number of bytes of `kept` passed on */
	struct termios modes; /* initial modes of a terminal */
};

/* Opens a stream that the program writes to. `kind`: FILE, PIPE, TERMINAL or CLOSED. `to`:
   descriptor to pass output on to, or -1. Returns 0, or -1 with *err set. */
int stream_open(struct stream *s, enum stream_kind kind, const char *name, int to,
		struct error *err);
/* Begins a new run: drops output and restores the initial modes. */
void stream_begin(struct stream *s);
/* Moves output that is there to `kept` and passes it on, without waiting. True if there was any: a
   writer that waits for room can continue. */
bool stream_drain(struct stream *s);
/* Returns a new descriptor for the program (FD_CLOEXEC), which the caller closes; -1 if the program
   inherits one or gets none. */
int stream_give(const struct stream *s);
/* Closes the stream. */
void stream_close(struct stream *s);

#endif
