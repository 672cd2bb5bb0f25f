/* SIGSTOP for a process with threads in the trapped line: all stop, all go on, none is lost. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_long beats[2];
static atomic_int stop;

static void *hammer(void *arg)
{
	atomic_long *n = arg;
	while (!atomic_load(&stop))
		atomic_fetch_add(n, 1); /* gate: here */
	return NULL;
}

static void child(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, hammer, &beats[i]);
	for (int i = 0; i < 5; i++) {
		long a = atomic_load(&beats[0]), b = atomic_load(&beats[1]);
		raise(SIGSTOP);
		while (atomic_load(&beats[0]) == a || atomic_load(&beats[1]) == b)
			usleep(200);
	}
	atomic_store(&stop, 1);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	_exit(55);
}

int main(void)
{
	pid_t pid = fork();
	if (pid == 0)
		child();
	int stops = 0, status;
	while (waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status)) {
		stops++;
		kill(pid, SIGCONT);
	}
	printf("stops %d exit %d\n", stops, WEXITSTATUS(status));
	return 0;
}
