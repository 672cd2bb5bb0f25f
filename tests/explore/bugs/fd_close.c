/* A file descriptor is closed and its number used again while another thread is about to write to it.
 * The writer reads the number, the other closes it and opens something private: the line goes there. */
#include <sys/socket.h>
#include "bug.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, text_lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int log_fd;
static int private_ends[2];

static void *write_line(void *arg)
{
	int fd;

	if (FIXED)
		pthread_mutex_lock(&lock);
	fd = log_fd;
	pthread_mutex_lock(&text_lock);
	if (fd >= 0)
		check(write(fd, "line\n", 5) == 5 || !FIXED, "not written");
	pthread_mutex_unlock(&text_lock);
	if (FIXED)
		pthread_mutex_unlock(&lock);
	return arg;
}

static void *close_log(void *arg)
{
	int fd;

	if (FIXED)
		pthread_mutex_lock(&lock);
	fd = log_fd;
	log_fd = -1;
	close(fd);
	if (FIXED)
		pthread_mutex_unlock(&lock);
	check(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, private_ends), "no sockets");
	return arg;
}

int main(void)
{
	int log_ends[2];
	char byte;

	check(!pipe(log_ends), "no pipe");
	log_fd = log_ends[1];
	start(write_line, NULL);
	start(close_log, NULL);
	join_all();
	check(read(private_ends[1], &byte, 1) == -1, "a line of the log in a private socket");
	return 0;
}
