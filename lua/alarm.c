/*
 * A clock that no script can outrun.
 *
 * The count hook fires only after a number of instructions. But one instruction may take long
 * (comparing two strings of 60 MB), and each coroutine has a count of its own. So after each
 * quarter of a second of gatectl's CPU time a signal asks for the hook at the next instruction,
 * wherever that is.
 */
#include "lua/script_internal.h"

#include <signal.h>
#include <sys/time.h>

enum { EVERY_US = 250000 };

static struct script *volatile current;
static unsigned users;
static struct sigaction before;

/* As lua.c does at Ctrl-C: a signal handler may call nothing of Lua but lua_sethook. */
static void on_alarm(int signal)
{
	(void)signal;
	if (current)
		budget_ask_for_hook(current);
}

static void set_timer(long us)
{
	const struct itimerval period = {{0, us}, {0, us}};

	setitimer(ITIMER_PROF, &period, NULL);
}

void alarm_open(void)
{
	struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};

	if (users++)
		return;
	sigfillset(&action.sa_mask);
	sigaction(SIGPROF, &action, &before);
	set_timer(EVERY_US);
}

void alarm_close(void)
{
	if (--users)
		return;
	set_timer(0);
	sigaction(SIGPROF, &before, NULL);
}

void alarm_watch(struct script *s)
{
	current = s;
}
