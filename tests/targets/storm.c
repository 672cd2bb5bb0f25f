/* Forks, execs, threads and signals all at once around one hot trapped line. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_int stop, alarms;

static void on_alarm(int sig)
{
	(void)sig;
	atomic_fetch_add(&alarms, 1);
}

static void *hammer(void *arg)
{
	volatile long *n = arg;
	do
		(*n)++; /* gate: here */
	while (!atomic_load(&stop));
	return NULL;
}

static void *forker(void *arg)
{
	int *good = arg;
	for (int i = 0; i < 10; i++) {
		pid_t pid = fork();
		if (pid == 0) {
			if (i % 2)
				execl("/bin/false", "false", (char *)NULL);
			_exit(1);
		}
		int status;
		while (waitpid(pid, &status, 0) != pid)
			;
		*good += WEXITSTATUS(status) == 1;
	}
	return NULL;
}

int main(void)
{
	static long beats[2];
	int good[2] = {0, 0};
	pthread_t h[2], f[2];
	struct sigaction sa = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
	struct itimerval every = {{0, 2000}, {0, 2000}};
	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	for (int i = 0; i < 2; i++) {
		pthread_create(&h[i], NULL, hammer, &beats[i]);
		pthread_create(&f[i], NULL, forker, &good[i]);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(f[i], NULL);
	atomic_store(&stop, 1);
	for (int i = 0; i < 2; i++)
		pthread_join(h[i], NULL);
	setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
	printf("good %d %d\n", good[0], good[1]);
	return 0;
}
