/* A schedule in which no thread made a step any more: which thread waits for what, and what could
   end that. */
#include "tracer/features/explain/explain.h"

#include <sys/syscall.h>

enum { MOST_NAMED = 6 };

static const struct {
	long number;
	const char *name; /* of its page in section 2 of the manual */
} calls[] = {
	{SYS_accept, "accept"},
	{SYS_accept4, "accept"},
	{SYS_connect, "connect"},
	{SYS_read, "read"},
	{SYS_readv, "readv"},
	{SYS_recvfrom, "recv"},
	{SYS_recvmsg, "recvmsg"},
	{SYS_recvmmsg, "recvmmsg"},
	{SYS_write, "write"},
	{SYS_writev, "writev"},
	{SYS_sendto, "send"},
	{SYS_sendmsg, "sendmsg"},
	{SYS_sendmmsg, "sendmmsg"},
	{SYS_poll, "poll"},
	{SYS_ppoll, "ppoll"},
	{SYS_select, "select"},
	{SYS_pselect6, "select"},
	{SYS_epoll_wait, "epoll_wait"},
	{SYS_epoll_pwait, "epoll_wait"},
	{SYS_epoll_pwait2, "epoll_wait"},
	{SYS_open, "open"},
	{SYS_openat, "open"},
	{SYS_flock, "flock"},
	{SYS_fcntl, "fcntl"},
	{SYS_msgrcv, "msgrcv"},
	{SYS_msgsnd, "msgsnd"},
	{SYS_semop, "semop"},
	{SYS_semtimedop, "semtimedop"},
	{SYS_mq_timedreceive, "mq_receive"},
	{SYS_mq_timedsend, "mq_send"},
	{SYS_pause, "pause"},
	{SYS_rt_sigsuspend, "sigsuspend"},
	{SYS_rt_sigtimedwait, "sigwaitinfo"},
};

static void hang_add_call(long number, struct str *out)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (calls[i].number == number) {
			str_addf(out, " waits in %s(2)", calls[i].name);
			return;
		}
	str_addf(out, " waits in system call %ld", number);
}

static bool is_for_signal(long number)
{
	return number == SYS_pause || number == SYS_rt_sigsuspend || number == SYS_rt_sigtimedwait;
}

static void hang_add_thread(const struct run_thread *t, struct str *out)
{
	const struct waiting *w = waiting_of(t);

	if (w->kind == WAITING_RUNNING) {
		waiting_sentence(t, out);
		return;
	}
	str_add(out, t->engine->id);
	if (!w->call) {
		str_addf(out, " %s", str_text(&w->text));
		return;
	}
	hang_add_call(w->call, out);
	if (w->file)
		str_addf(out, " at %s:%u", str_base_name(w->file), w->line);
	if (w->is_deep) {
		str_add(out, ", which no signal interrupts: the kernel waits for a file system or "
			     "a device");
		return;
	}
	str_add(out, is_for_signal(w->call) ? ", which only a signal could end"
					    : ", which only another process could end");
}

void hang_text(const struct run *s, struct str *out)
{
	double seconds = s->outcome.hang;
	size_t named = 0;

	str_addf(out, "the program hangs: no thread has made a step for %g second%s", seconds,
		 seconds == 1 ? "" : "s");
	array_each(struct run_thread *, t, &s->threads) {
		if (!waiting_is_alive(waiting_of(*t)))
			continue;
		if (named++ == MOST_NAMED) {
			str_add(out, "; ...");
			return;
		}
		str_add(out, named > 1 ? "; " : ": ");
		hang_add_thread(*t, out);
	}
}
