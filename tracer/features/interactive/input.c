/* Detects that the program waits for input from the user's terminal: read, poll or select. */
#include "tracer/features/interactive/interactive_internal.h"
#include "tracer/tracee/threads/threads.h"

#include <poll.h>
#include <stdio.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST_FILES = 64 };

/* True if the descriptor is the terminal from which the commands come, by device number. */
static bool is_terminal(const struct run_process *p, int fd)
{
	struct stat mine, its;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", run_process_pid(p), fd);
	return fstat(STDIN_FILENO, &mine) == 0 && S_ISCHR(mine.st_mode) && stat(path, &its) == 0 &&
	       S_ISCHR(its.st_mode) && its.st_rdev == mine.st_rdev;
}

static bool polls(const struct run_process *p, uint64_t address, uint64_t count)
{
	struct pollfd files[MOST_FILES];
	size_t n = count < MOST_FILES ? count : MOST_FILES;

	if (tracee_read(run_process_tracee(p), address, files, n * sizeof(*files)) < 0)
		return false;
	for (size_t i = 0; i < n; i++)
		if (files[i].events & POLLIN && is_terminal(p, files[i].fd))
			return true;
	return false;
}

static bool selects(const struct run_process *p, uint64_t count, uint64_t address)
{
	fd_set files;

	if (!address || tracee_read(run_process_tracee(p), address, &files, sizeof(files)) < 0)
		return false;
	for (int fd = 0; fd < FD_SETSIZE && (uint64_t)fd < count; fd++)
		if (FD_ISSET(fd, &files) && is_terminal(p, fd))
			return true;
	return false;
}

static bool reads(const struct run_thread *t)
{
	const struct run_process *p = run_process_of(t);
	struct tracee_block b;

	tracee_look(run_thread_tracee(t), &b);
	if (b.activity != TRACEE_BLOCKED)
		return false;
	switch (b.number) {
	case SYS_read:
	case SYS_readv:
		return is_terminal(p, (int)b.args[0]);
	case SYS_poll:
	case SYS_ppoll:
		return polls(p, b.args[0], b.args[1]);
	case SYS_select:
	case SYS_pselect6:
		return selects(p, b.args[0], b.args[1]);
	default:
		return false;
	}
}

bool interactive_reads_terminal(struct run *s)
{
	run_each_thread(t, s)
		if (run_thread_lives(t) && !run_thread_is_held(t) &&
		    run_process_lives(run_process_of(t)) && reads(t))
			return true;
	return false;
}
