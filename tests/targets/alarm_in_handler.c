/* The trapped line is in the handler and in the code it interrupts: traps nest. */
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/time.h>

static atomic_int ticks;
static atomic_long calls[2];

static void count(int who)
{
	atomic_fetch_add(&calls[who], 1); /* gate: here */
}

static void on_alarm(int sig)
{
	(void)sig;
	count(1);
	if (atomic_fetch_add(&ticks, 1) == 99)
		setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
}

int main(void)
{
	struct itimerval every = {{0, 200}, {0, 200}};
	struct sigaction sa = {.sa_handler = on_alarm, .sa_flags = SA_NODEFER};
	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	for (int i = 0; i < 2000; i++)
		count(0);
	while (ticks < 100)
		;
	printf("main %ld handler %s\n", atomic_load(&calls[0]),
	       atomic_load(&calls[1]) >= 100 ? "enough" : "lost");
	return 0;
}
