/* read with SA_RESTART: signals come and go, the program must never see EINTR. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static atomic_int seen;
static int fd[2];
static pthread_t reader;

static void on_usr1(int sig)
{
	(void)sig;
	atomic_fetch_add(&seen, 1); /* gate: here */
}

static void *sender(void *arg)
{
	for (int i = 0; i < 30; i++) {
		pthread_kill(reader, SIGUSR1);
		while (atomic_load(&seen) <= i)
			usleep(200);
	}
	if (write(fd[1], "z", 1) != 1)
		perror("write");
	return arg;
}

int main(void)
{
	struct sigaction sa = {.sa_handler = on_usr1, .sa_flags = SA_RESTART};
	sigaction(SIGUSR1, &sa, NULL);
	if (pipe(fd))
		return 1;
	reader = pthread_self();
	pthread_t t;
	pthread_create(&t, NULL, sender, NULL);
	int eintr = 0;
	char c = 0;
	while (read(fd[0], &c, 1) != 1)
		eintr += errno == EINTR;
	pthread_join(t, NULL);
	printf("EINTR: %d, seen %d, got %c\n", eintr, atomic_load(&seen), c);
	return 0;
}
