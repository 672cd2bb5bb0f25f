/* epoll_wait without a time limit, woken by another thread's eventfd. */
// arrivals: 50
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int ping, pong;

static void *echo(void *arg)
{
	uint64_t n;
	for (int i = 0; i < 50; i++)
		if (read(ping, &n, 8) != 8 || write(pong, &n, 8) != 8)
			break;
	return arg;
}

int main(void)
{
	int ep = epoll_create1(EPOLL_CLOEXEC);
	uint64_t sum = 0, n;
	pthread_t t;
	ping = eventfd(0, EFD_CLOEXEC);
	pong = eventfd(0, EFD_CLOEXEC);
	struct epoll_event ev = {.events = EPOLLIN, .data.fd = pong};
	epoll_ctl(ep, EPOLL_CTL_ADD, pong, &ev);
	pthread_create(&t, NULL, echo, NULL);
	for (n = 1; n <= 50; n++) {
		uint64_t got = 0;
		if (write(ping, &n, 8) != 8 || epoll_wait(ep, &ev, 1, -1) != 1)
			return 1;
		if (read(ev.data.fd, &got, 8) == 8) /* gate: here */
			sum += got;
	}
	pthread_join(t, NULL);
	printf("sum %lu\n", (unsigned long)sum);
	return 0;
}
