/* Calls that a stray stop would interrupt even without a handler: epoll_wait, semtimedop, nanosleep. */
// arrivals: 2000
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <time.h>
#include <unistd.h>

static atomic_int eintr, done;
static volatile long beats;

static void *in_epoll(void *arg)
{
	int ep = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event ev;
	while (!atomic_load(&done))
		if (epoll_wait(ep, &ev, 1, 20) < 0)
			atomic_fetch_add(&eintr, 1);
	return arg;
}

static void *in_sleep(void *arg)
{
	struct timespec t = {0, 20000000};
	while (!atomic_load(&done))
		if (nanosleep(&t, NULL) < 0)
			atomic_fetch_add(&eintr, 1);
	return arg;
}

static void *in_semop(void *arg)
{
	int id = semget(IPC_PRIVATE, 1, 0600);
	struct sembuf op = {0, -1, 0};
	struct timespec t = {0, 20000000};
	while (!atomic_load(&done))
		if (semtimedop(id, &op, 1, &t) < 0 && errno == EINTR)
			atomic_fetch_add(&eintr, 1);
	semctl(id, 0, IPC_RMID);
	return arg;
}

int main(void)
{
	void *(*body[])(void *) = {in_epoll, in_sleep, in_semop};
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, body[i], NULL);
	for (int i = 0; i < 2000; i++)
		beats++; /* gate: here */
	atomic_store(&done, 1);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	printf("EINTR: %d beats %ld\n", atomic_load(&eintr), beats);
	return 0;
}
