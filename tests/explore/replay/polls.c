/* Pipes, an eventfd and a socket, with poll and epoll. */
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

static int ends[2], pair[2], event;

static void *writes(void *p)
{
	uint64_t one = 1;

	return write(ends[1], "x", 1) == 1 && write(pair[1], "y", 1) == 1 &&
			       write(event, &one, sizeof(one)) == sizeof(one)
		       ? p
		       : 0;
}

static void *polls(void *p)
{
	struct pollfd fds[2] = {{.fd = ends[0], .events = POLLIN}, {.fd = pair[0], .events = POLLIN}};
	char c;

	while (fds[0].fd >= 0 || fds[1].fd >= 0) {
		poll(fds, 2, -1);
		for (int i = 0; i < 2; i++)
			if (fds[i].fd >= 0 && fds[i].revents && read(fds[i].fd, &c, 1) == 1) {
				printf("%c\n", c);
				fds[i].fd = -1;
			}
	}
	return p;
}

static void *epolls(void *p)
{
	struct epoll_event e = {.events = EPOLLIN};
	int fd = epoll_create1(0);
	uint64_t n = 0;

	epoll_ctl(fd, EPOLL_CTL_ADD, event, &e);
	epoll_wait(fd, &e, 1, -1);
	if (read(event, &n, sizeof(n)) == sizeof(n))
		printf("%d\n", (int)n);
	close(fd);
	return p;
}

int main(void)
{
	void *(*const routines[])(void *) = {polls, epolls, writes};
	pthread_t t[3];

	if (pipe(ends) < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
		return 1;
	event = eventfd(0, 0);
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], 0, routines[i], 0);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	return 7;
}
