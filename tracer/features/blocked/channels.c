/*
 * Threads that are blocked at files: who could end that? The arguments of the system call tell the
 * files, the kind of a file its other end. Anything else (terminals, the network, inotify ...)
 * counts as something that the world outside can bring about.
 */
#include "tracer/features/blocked/channels.h"

#include <fcntl.h>
#include <linux/kcmp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A thread that waits at more files is a server: each file takes a look at all descriptors of the
   tree. */
enum { MOST_ENDS = 64, MOST_POLLED = 1024, MOST_NESTED = 2 };

struct look {
	struct run *s;
	pid_t tid;
	struct wait *w;
	struct ends *ends;
	unsigned depth; /* of epoll in epoll */
	int epoll;	/* its descriptor */
};

/* ---- the other end of a file ---------------------------------------------------------------- */

/* False: no traced process holds it, so somebody does whom we do not see. */
static bool channels_add_end(struct look *l, const struct end *end)
{
	if (l->ends->count == MOST_ENDS)
		return false;
	*array_add(l->ends) = *end;
	return holders_traced(l->s, end, l->w);
}

/* A pipe in the file system that one process keeps open for others still to come. */
static bool is_public(const struct opened *f)
{
	struct stat st;

	return f->link[0] == '/' && f->reads && f->writes && stat(f->link, &st) == 0 &&
	       st.st_ino == f->ino && st.st_dev == f->dev;
}

static bool look_pipe(struct look *l, const struct opened *f)
{
	const struct end end = {
		.kind = END_FILE, .readers = f->writes, .writers = f->reads, .file = *f};

	return !is_public(f) && channels_add_end(l, &end);
}

static bool look_anonymous(struct look *l, const struct opened *f)
{
	const struct end end = {.kind = END_ANONYMOUS, .file = *f};

	return channels_add_end(l, &end);
}

/* Its peer can end the wait, or whoever may shut down this side of it. */
static bool look_socket(struct look *l, const struct opened *f)
{
	struct end end = {.kind = END_FILE, .readers = true, .writers = true, .file = *f};

	if (!sockets_peer(l->w->process, f, &end.file.ino))
		return false;
	if (!channels_add_end(l, &end))
		return false;
	end.file.ino = f->ino;
	return channels_add_end(l, &end);
}

/* "it_value: (0, 0)" */
static bool is_disarmed(void *ctx, const char *line)
{
	(void)ctx;
	return strncmp(line, "it_value: (0, 0)", strlen("it_value: (0, 0)")) == 0;
}

static bool look_file(struct look *l, int fd);

/* Is another file open under this number now, while the set still has the old one? */
static bool is_other_file(const struct look *l, int fd)
{
	struct kcmp_epoll_slot slot = {.efd = (unsigned)l->epoll, .tfd = (unsigned)fd};
	bool other = syscall(SYS_kcmp, l->tid, l->tid, KCMP_EPOLL_TFD, fd, &slot) > 0;

	slot.toff = 1; /* a second one of that number */
	return other || syscall(SYS_kcmp, l->tid, l->tid, KCMP_EPOLL_TFD, fd, &slot) >= 0;
}

/* "tfd:        3 events:       19 data:                3  pos:0 ino:40e sdev:10" */
static bool is_unknown_target(void *ctx, const char *line)
{
	struct look *l = ctx;
	struct opened f;
	unsigned long ino;
	int fd;

	if (sscanf(line, "tfd: %d events: %*x data: %*x pos:%*d ino:%lx", &fd, &ino) != 2)
		return false;
	return opened_look(l->tid, fd, &f) < 0 || f.ino != ino || is_other_file(l, fd) ||
	       !look_file(l, fd);
}

static bool look_epoll(struct look *l, const struct opened *f)
{
	int outer = l->epoll;
	bool known;

	if (l->depth == MOST_NESTED)
		return false;
	l->depth++;
	l->epoll = f->fd;
	known = look_anonymous(l, f) && !opened_info(f, is_unknown_target, l);
	l->epoll = outer;
	l->depth--;
	return known;
}

static bool look_file(struct look *l, int fd)
{
	struct opened f;

	if (opened_look(l->tid, fd, &f) < 0)
		return false;
	if (f.type == S_IFIFO)
		return look_pipe(l, &f);
	if (f.type == S_IFSOCK)
		return look_socket(l, &f);
	if (strcmp(f.link, "anon_inode:[eventfd]") == 0)
		return look_anonymous(l, &f);
	if (strcmp(f.link, "anon_inode:[timerfd]") == 0)
		return opened_info(&f, is_disarmed, NULL) && look_anonymous(l, &f);
	if (strcmp(f.link, "anon_inode:[eventpoll]") == 0)
		return look_epoll(l, &f);
	return false;
}

/* ---- several files -------------------------------------------------------------------------- */

/* A poll of no files is a wait for a signal. */
static bool look_poll(struct look *l, struct run_process *p, const struct tracee_block *b)
{
	struct pollfd fds[MOST_POLLED];
	size_t count = (size_t)b->args[1], waited = 0;

	if (count > MOST_POLLED ||
	    tracee_read(p->tracee, b->args[0], fds, count * sizeof(*fds)) < 0)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (fds[i].fd < 0)
			continue;
		waited++;
		if (!look_file(l, fds[i].fd))
			return false;
	}
	return waited > 0;
}

static bool read_set(struct run_process *p, uint64_t address, size_t count, fd_set *out)
{
	FD_ZERO(out);
	return !address || tracee_read(p->tracee, address, out, (count + 63) / 64 * 8) == 0;
}

static bool look_select(struct look *l, struct run_process *p, const struct tracee_block *b)
{
	fd_set in, out, other;
	size_t count = (size_t)b->args[0], waited = 0;

	if (count > FD_SETSIZE || !read_set(p, b->args[1], count, &in) ||
	    !read_set(p, b->args[2], count, &out) || !read_set(p, b->args[3], count, &other))
		return false;
	for (int fd = 0; fd < (int)count; fd++) {
		if (!FD_ISSET(fd, &in) && !FD_ISSET(fd, &out) && !FD_ISSET(fd, &other))
			continue;
		waited++;
		if (!look_file(l, fd))
			return false;
	}
	return waited > 0;
}

/* ---- locks of files ------------------------------------------------------------------------- */

static bool look_lock(struct look *l, int fd, const char *class)
{
	struct end end = {.kind = END_LOCK, .lock = class};

	return opened_look(l->tid, fd, &end.file) == 0 && channels_add_end(l, &end);
}

/* ---- the system calls ----------------------------------------------------------------------- */

/* The last argument of pselect6 points to a pointer to the mask. */
static bool has_mask(struct run_process *p, uint64_t address)
{
	uint64_t mask = 0;

	return address && (tracee_read(p->tracee, address, &mask, sizeof(mask)) < 0 || mask);
}

bool channels_is_call(struct run_thread *t, const struct tracee_block *b)
{
	switch (b->number) {
	case SYS_read:
	case SYS_readv:
	case SYS_recvfrom:
	case SYS_recvmsg:
	case SYS_write:
	case SYS_writev:
	case SYS_sendto:
	case SYS_sendmsg:
	case SYS_splice:
	case SYS_tee:
	case SYS_vmsplice:
	case SYS_flock:
		return true;
	case SYS_recvmmsg:
		return !b->args[4];
	case SYS_fcntl:
		return b->args[1] == F_SETLKW || b->args[1] == F_OFD_SETLKW;
	case SYS_poll:
		return (int)b->args[2] < 0;
	case SYS_ppoll:
		return !b->args[2] && !b->args[3];
	case SYS_select:
		return !b->args[4];
	case SYS_pselect6:
		return !b->args[4] && !has_mask(t->process, b->args[5]);
	case SYS_epoll_wait:
		return (int)b->args[3] < 0;
	case SYS_epoll_pwait:
		return (int)b->args[3] < 0 && !b->args[4];
	case SYS_epoll_pwait2:
		return !b->args[3] && !b->args[4];
	default:
		return false;
	}
}

static bool look_call(struct look *l, struct run_process *p, const struct tracee_block *b)
{
	switch (b->number) {
	case SYS_poll:
	case SYS_ppoll:
		return look_poll(l, p, b);
	case SYS_select:
	case SYS_pselect6:
		return look_select(l, p, b);
	case SYS_splice:
		return look_file(l, (int)b->args[0]) && look_file(l, (int)b->args[2]);
	case SYS_tee:
		return look_file(l, (int)b->args[0]) && look_file(l, (int)b->args[1]);
	case SYS_flock:
		return look_lock(l, (int)b->args[0], "FLOCK");
	case SYS_fcntl:
		return look_lock(l, (int)b->args[0], "");
	default:
		return look_file(l, (int)b->args[0]);
	}
}

void channels_wait(struct run *s, struct run_thread *t, const struct tracee_block *b,
		   struct wait *w, struct ends *ends)
{
	struct look l = {.s = s, .tid = t->tracee->tid, .w = w, .ends = ends};

	w->kind = look_call(&l, t->process, b) ? WAIT_FILE : WAIT_NOT;
}
