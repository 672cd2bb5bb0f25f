/* Waits at a file, pipe or socket, with the threads that have its other end; waits for time or a
   signal. */
#include "tracer/features/waiting/waiting_internal.h"
#include "tracer/features/blocked/channels.h"

#include <string.h>
#include <sys/syscall.h>

static const struct {
	long number;
	const char *verb, *holds; /* before and after the file's name */
} calls[] = {
	{SYS_read, "reads from", ", whose other end is held by"},
	{SYS_readv, "reads from", ", whose other end is held by"},
	{SYS_recvfrom, "reads from", ", whose other end is held by"},
	{SYS_recvmmsg, "reads from", ", whose other end is held by"},
	{SYS_recvmsg, "reads from", ", whose other end is held by"},
	{SYS_accept, "waits for a connection at", NULL},
	{SYS_accept4, "waits for a connection at", NULL},
	{SYS_write, "writes to", ", whose other end is held by"},
	{SYS_writev, "writes to", ", whose other end is held by"},
	{SYS_sendto, "writes to", ", whose other end is held by"},
	{SYS_sendmsg, "writes to", ", whose other end is held by"},
	{SYS_flock, "waits for the lock (flock) of", " held by"},
	{SYS_fcntl, "waits for a lock (fcntl) of", " held by"},
};

/* The system call of a thread that was stopped meanwhile is not known; libc's function on its stack
   is, since glibc 2.41 not the innermost one. */
static bool is_sleep(const struct waiter *w)
{
	for (size_t i = 0; i < w->own; i++) {
		const char *function = w->stack.items[i].function;

		if (function && strstr(function, "nanosleep"))
			return true;
	}
	return false;
}

const char *waiting_asleep(const struct waiter *w)
{
	long number = w->block.number;

	if (number == SYS_restart_syscall && is_sleep(w))
		return "sleeps";
	switch (number) {
	case SYS_nanosleep:
	case SYS_clock_nanosleep:
		return "sleeps";
	case SYS_restart_syscall:
		return "sleeps, or waits with a time limit";
	case SYS_pause:
	case SYS_rt_sigsuspend:
	case SYS_rt_sigtimedwait:
		return "waits for a signal";
	default:
		return NULL;
	}
}

bool waiting_is_for_time(long number)
{
	return number == SYS_nanosleep || number == SYS_clock_nanosleep ||
	       number == SYS_restart_syscall;
}

static const char *poll_name(long number)
{
	switch (number) {
	case SYS_poll:
	case SYS_ppoll:
		return "poll";
	case SYS_select:
	case SYS_pselect6:
		return "select";
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
	case SYS_epoll_pwait2:
		return "epoll";
	default:
		return NULL;
	}
}

static const char *noun_of(const struct opened *f)
{
	if (S_ISFIFO(f->type))
		return "a pipe";
	if (S_ISSOCK(f->type))
		return "a socket";
	if (strcmp(f->link, "anon_inode:[eventfd]") == 0)
		return "an eventfd";
	return strncmp(f->link, "anon_inode:", strlen("anon_inode:")) == 0 ? "a descriptor"
									   : f->link;
}

/* The processes that could end the wait, as far as blocked/ found them, by their first threads. */
static void add_processes(struct waiters *all, const struct waiter *w, const char *before,
			  struct str *out)
{
	bool any = false;

	if (w->wait.kind != WAIT_FILE || !before)
		return;
	array_each(int, pid, &w->wait.by)
		array_each(struct run_process *, p, &all->run->processes) {
			if ((*p)->pid != *pid || !(*p)->tracee)
				continue;
			str_addf(out, "%s %smain", any ? "," : before, (*p)->prefix);
			any = true;
		}
}

bool descriptors_describe(struct waiters *all, struct waiter *w, struct str *out)
{
	struct opened file;

	if (poll_name(w->block.number)) {
		str_addf(out, "waits for a file descriptor (%s)", poll_name(w->block.number));
		add_processes(all, w, " that could be made ready only by", out);
		return true;
	}
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		if (calls[i].number != w->block.number)
			continue;
		str_addf(out, "%s ", calls[i].verb);
		if (opened_look(w->thread->tracee->tid, (int)w->block.args[0], &file) < 0)
			str_addf(out, "fd %d", (int)w->block.args[0]);
		else
			str_addf(out, "%s (fd %d)", noun_of(&file), file.fd);
		add_processes(all, w, calls[i].holds, out);
		return true;
	}
	return false;
}
