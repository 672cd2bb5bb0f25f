/* Signals let in only by ppoll: each makes exactly one EINTR, the tracer may add none and hide none. */
// arrivals: 25
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static atomic_int seen;
static pthread_t poller;
static int fd[2];

static void on_usr1(int sig)
{
	(void)sig;
	atomic_fetch_add(&seen, 1); /* gate: here */
}

static void *sender(void *arg)
{
	for (int i = 0; i < 25; i++) {
		pthread_kill(poller, SIGUSR1);
		while (atomic_load(&seen) <= i)
			usleep(100);
	}
	if (write(fd[1], "z", 1) != 1)
		perror("write");
	return arg;
}

int main(void)
{
	struct sigaction sa = {.sa_handler = on_usr1};
	sigset_t block, open;
	sigaction(SIGUSR1, &sa, NULL);
	sigemptyset(&block);
	sigaddset(&block, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &block, &open);
	if (pipe(fd))
		return 1;
	poller = pthread_self();
	pthread_t t;
	pthread_create(&t, NULL, sender, NULL);
	struct pollfd p = {.fd = fd[0], .events = POLLIN};
	int eintr = 0, other = 0, n;
	while ((n = ppoll(&p, 1, NULL, &open)) != 1) {
		eintr += n == -1 && errno == EINTR;
		other += !(n == -1 && errno == EINTR);
	}
	pthread_join(t, NULL);
	printf("EINTR: %d other: %d\n", eintr, other);
	return 0;
}
