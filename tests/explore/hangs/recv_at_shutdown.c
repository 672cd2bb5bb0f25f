/* DUNE, issue 289, "DUNE hangs on shutdown when Transports.HTTP handler threads are blocked in recv()":
 * https://github.com/LSTS/dune/issues/289
 *
 * Hangs: the server joins a handler thread that waits in recv() for the next request of a connection.
 * When: a browser keeps its connection open (HTTP keep-alive); nothing closes the handler's socket, and recv() has no
 * time-out. Every run hangs.
 * Written from the description: five handlers (the default of the task), one client, which is another process. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HANDLERS = 5 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int waiting = -1; /* the socket that no handler has taken yet */
static int answered, stopping;

static int next_socket(void)
{
	int s;

	pthread_mutex_lock(&mutex);
	while (waiting < 0 && !stopping)
		pthread_cond_wait(&changed, &mutex);
	s = waiting;
	waiting = -1;
	pthread_mutex_unlock(&mutex);
	return s;
}

static void serve(int s)
{
	static const char reply[] = "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n";
	char request[256];

	while (recv(s, request, sizeof request, 0) > 0) {
		send(s, reply, strlen(reply), MSG_NOSIGNAL);
		pthread_mutex_lock(&mutex);
		answered++;
		pthread_cond_broadcast(&changed);
		pthread_mutex_unlock(&mutex);
	}
	close(s);
}

static void *handler(void *arg)
{
	int s;

	while ((s = next_socket()) >= 0)
		serve(s);
	return arg;
}

/* The browser: one request, and the connection stays open until the server closes it. */
static void browse(struct sockaddr_in *to)
{
	static const char request[] = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
	int s = socket(AF_INET, SOCK_STREAM, 0);
	char reply[256];

	if (connect(s, (struct sockaddr *)to, sizeof *to) || send(s, request, strlen(request), 0) < 0)
		_exit(1);
	while (recv(s, reply, sizeof reply, 0) > 0)
		;
	_exit(0);
}

int main(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t length = sizeof address;
	int server = socket(AF_INET, SOCK_STREAM, 0);
	pthread_t threads[HANDLERS];

	if (bind(server, (struct sockaddr *)&address, sizeof address) || listen(server, 5) ||
	    getsockname(server, (struct sockaddr *)&address, &length))
		return 1;
	if (fork() == 0) {
		close(server);
		browse(&address);
	}
	for (int i = 0; i < HANDLERS; i++)
		pthread_create(&threads[i], NULL, handler, NULL);
	pthread_mutex_lock(&mutex);
	waiting = accept(server, NULL, NULL);
	pthread_cond_signal(&changed);
	while (!answered)
		pthread_cond_wait(&changed, &mutex);
	stopping = 1;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&mutex);
	for (int i = 0; i < HANDLERS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
