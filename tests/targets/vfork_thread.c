/* One thread vforks again and again while another hammers the trapped line in the same memory. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_int stop;
static volatile long beats;

static void *hammer(void *arg)
{
	do
		beats++; /* gate: here */
	while (!atomic_load(&stop));
	return arg;
}

int main(void)
{
	pthread_t t;
	int bad = 0;
	pthread_create(&t, NULL, hammer, NULL);
	for (int i = 0; i < 20; i++) {
		pid_t pid = vfork();
		if (pid == 0)
			_exit(7);
		int status;
		if (waitpid(pid, &status, 0) != pid || WEXITSTATUS(status) != 7)
			bad++;
	}
	atomic_store(&stop, 1);
	pthread_join(t, NULL);
	printf("bad %d, beats %s\n", bad, beats > 0 ? "some" : "none");
	return bad;
}
