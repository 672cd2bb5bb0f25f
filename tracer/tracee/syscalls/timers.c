/*
 * Timers whose expirations gatectl makes. The kernel's timer of a timerfd is stopped, with a mark
 * in place of its interval (fdinfo in proc(5) shows it), and gets its expirations by
 * TFD_IOC_SET_TICKS (ioctl_tfd in timerfd_create(2)). Other timers send signals: sigqueue as
 * SI_TIMER.
 */
#include "tracer/tracee/signals/signals.h"
#include "tracer/tracee/syscalls/syscalls.h"
#include "tracer/tracee/threads/procfs.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#ifndef TFD_IOC_SET_TICKS
#define TFD_IOC_SET_TICKS _IOW('T', 0, uint64_t)
#endif

enum { TIMERS_TEXT = 1 << 16 };

/* ---- timerfd ------------------------------------------------------------------------------- */

bool tracee_timerfd(const struct tracee_process *p, int fd, struct tracee_timerfd *out)
{
	static const char interval[] = "it_interval: (0, ";
	char name[32], text[512];
	const char *at;

	snprintf(name, sizeof(name), "fdinfo/%d", fd);
	if (fd < 0 || look_proc(p->pid, name, text, sizeof(text)) < 0 || !strstr(text, "\nticks:"))
		return false;
	at = strstr(text, interval);
	*out = (struct tracee_timerfd){
		.clock = (clockid_t)look_number(text, "clockid", 10),
		.ticks = look_number(text, "ticks", 10),
		.mark = at ? strtoul(at + sizeof(interval) - 1, NULL, 10) : 0,
	};
	return true;
}

/* Returns gatectl's own descriptor of the program's file, or -1 with errno set. */
static int own_descriptor(const struct tracee_process *p, int fd)
{
	int process = (int)syscall(SYS_pidfd_open, p->pid, 0);
	int own = process < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, process, fd, 0);
	int saved = errno;

	if (process >= 0)
		close(process);
	errno = saved;
	return own;
}

/* A number of 0 ticks is invalid for kernels that have the call, which are asked so. */
static bool has_ticks(int own)
{
	const uint64_t none = 0;

	return ioctl(own, TFD_IOC_SET_TICKS, &none) < 0 && errno == EINVAL;
}

bool tracee_timerfd_stop(const struct tracee_process *p, int fd, unsigned mark)
{
	const struct itimerspec stopped = {.it_interval = {.tv_nsec = mark}};
	int own = own_descriptor(p, fd);
	bool done = own >= 0 && has_ticks(own) && timerfd_settime(own, 0, &stopped, NULL) == 0;

	if (own >= 0)
		close(own);
	return done;
}

static bool is_marked(const struct tracee_process *p, int fd, unsigned mark)
{
	struct tracee_timerfd timer;

	return tracee_timerfd(p, fd, &timer) && timer.mark == mark;
}

int tracee_timerfd_find(const struct tracee_process *p, int fd, unsigned mark)
{
	char path[32];
	const struct dirent *entry;
	DIR *dir;

	if (is_marked(p, fd, mark))
		return fd;
	snprintf(path, sizeof(path), "/proc/%d/fd", p->pid);
	dir = opendir(path);
	fd = -1;
	while (dir && fd < 0 && (entry = readdir(dir)))
		if (entry->d_name[0] != '.' && is_marked(p, atoi(entry->d_name), mark))
			fd = atoi(entry->d_name);
	if (dir)
		closedir(dir);
	return fd;
}

void tracee_timerfd_expire(const struct tracee_process *p, int fd, uint64_t ticks)
{
	int own = own_descriptor(p, fd);

	if (own < 0)
		return;
	ioctl(own, TFD_IOC_SET_TICKS, &ticks);
	close(own);
}

/* ---- timers that send a signal ------------------------------------------------------------- */

/* Parses the lines of a timer, from the one after its id on (/proc/PID/timers in proc(5)). */
static bool parse_timer(const char *text, struct tracee_timer *out)
{
	char by[16], whom[8];
	unsigned long value;
	int clock;

	*out = (struct tracee_timer){0};
	if (sscanf(text, " signal: %d/%lx notify: %15[a-z]/%7[a-z].%d ClockID: %d", &out->signal,
		   &value, by, whom, &out->tid, &clock) != 6)
		return false;
	out->value = value;
	out->clock = clock;
	if (strcmp(by, "none") == 0)
		out->signal = 0;
	if (strcmp(whom, "tid") != 0)
		out->tid = 0;
	return true;
}

bool tracee_timer(const struct tracee_process *p, int id, struct tracee_timer *out)
{
	char *text = base_alloc(1, TIMERS_TEXT);
	const char *at = text;
	bool found = false;

	if (look_proc(p->pid, "timers", text, TIMERS_TEXT) < 0)
		at = NULL;
	while (at && (at = strstr(at, "ID: "))) {
		bool is_clock = at != text && at[-1] != '\n';

		at += sizeof("ID: ") - 1;
		if (!is_clock && atoi(at) == id) {
			found = strchr(at, '\n') && parse_timer(strchr(at, '\n'), out);
			break;
		}
	}
	base_free(text);
	return found;
}

void tracee_timer_expire(const struct tracee_process *p, const struct tracee_timer *timer,
			 unsigned overrun)
{
	siginfo_t info = {.si_signo = timer->signal, .si_code = SI_TIMER};

	if (!timer->signal)
		return;
	info.si_value.sival_ptr = (void *)(uintptr_t)timer->value; /* NOLINT */
	info.si_overrun = (int)overrun;
	if (timer->tid)
		syscall(SYS_rt_tgsigqueueinfo, p->pid, timer->tid, timer->signal, &info);
	else
		syscall(SYS_rt_sigqueueinfo, p->pid, timer->signal, &info);
}

bool tracee_timer_is_pending(const struct tracee_process *p, const struct tracee_timer *timer)
{
	struct tracee_signals has;

	return timer->signal && tracee_signals_of(timer->tid ? timer->tid : p->pid, &has) == 0 &&
	       look_has(has.pending, timer->signal);
}
