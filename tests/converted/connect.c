/* A client connects when the server surely listens; poll(2) serves as sleep. */
#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct sockaddr_un address = {.sun_family = AF_UNIX};

static void *serve(void *arg)
{
	int s = socket(AF_UNIX, SOCK_STREAM, 0), peer;

	bind(s, (struct sockaddr *)&address, sizeof(address));
	listen(s, 1);
	peer = accept(s, NULL, NULL);
	write(peer, "hello", 5);
	close(peer);
	close(s);
	return arg;
}

int main(void)
{
	int s = socket(AF_UNIX, SOCK_STREAM, 0), n;
	char text[8] = "";
	pthread_t thread;

	snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "gatectl-%d", (int)getpid());
	pthread_create(&thread, NULL, serve, NULL);
	poll(NULL, 0, 300);
	if (connect(s, (struct sockaddr *)&address, sizeof(address)) < 0) {
		puts("refused");
		_exit(1);
	}
	n = (int)read(s, text, sizeof(text) - 1);
	pthread_join(thread, NULL);
	printf("%d %s\n", n, text);
	return n != 5;
}
