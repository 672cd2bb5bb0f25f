/*
 * A standard stream that a program is given: of a kind of its own, wherever our own output goes.
 * Output of the program is kept in a file, and passed on.
 *
 * The C library buffers by the kind of a stream (setbuf(3)), and programs ask for it (isatty(3)):
 * which system calls a program makes depends on it.
 */
#ifndef GATECTL_BASE_FILES_STREAM_H
#define GATECTL_BASE_FILES_STREAM_H

#include "tracer/base/error.h"
#include "tracer/base/text/str.h"

#include <sys/types.h>
#include <termios.h>

enum stream_kind {
	STREAM_INHERITED, /* ours, as it is */
	STREAM_FILE,
	STREAM_PIPE,
	STREAM_TERMINAL,
	STREAM_NULL, /* /dev/null */
	STREAM_CLOSED,
};

/* "file", "pipe", "tty", "null", "closed"; NULL of STREAM_INHERITED. */
const char *stream_kind_name(enum stream_kind kind);
/* STREAM_INHERITED: there is none of that name. */
enum stream_kind stream_kind_named(const char *name);
/* The kind of gatectl's own descriptor. One that was closed at the start has FD_CLOEXEC
   (main.c). */
enum stream_kind stream_kind_of(int fd);

/* {0}: the program inherits ours. */
struct stream {
	enum stream_kind kind;
	int program; /* the program's end */
	int ours;    /* the other end of a pipe or terminal */
	int kept;    /* all that was written since stream_begin(): a file */
	int to;	     /* what is written is passed on there; -1: nowhere */
	off_t passed;
	struct termios modes; /* of a terminal, as it is at first */
};

/* A stream that the program writes to. `kind`: FILE, PIPE, TERMINAL or CLOSED. Returns 0, or -1. */
int stream_open(struct stream *s, enum stream_kind kind, const char *name, int to,
		struct error *err);
/* A new run: nothing was written yet, and the modes of the stream are as they were at first. */
void stream_begin(struct stream *s);
/* Takes what was written, without waiting. True: a writer that waited for room can go on. */
bool stream_drain(struct stream *s);
/* A descriptor for the program (FD_CLOEXEC), to be closed by the caller; -1: it inherits, or gets
   none. */
int stream_give(const struct stream *s);
void stream_close(struct stream *s);

#endif
