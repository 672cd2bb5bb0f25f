/* OpenPBS, pull request 1588, "Fix tpp strmarray_lock deadlock after fork":
 * https://github.com/openpbs/openpbs/pull/1588
 *
 * Hangs: the child of a fork waits for the lock of the stream array, and the parent for the child.
 * When: the network thread holds that lock at the moment of the fork. In the child the lock is held by a thread that
 * does not exist there.
 * Written from the description and its stack: the main thread forks to copy files; the child closes the connections
 * that it has inherited, which asks for each stream. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STREAMS = 4 };

static pthread_mutex_t streams_lock = PTHREAD_MUTEX_INITIALIZER;
static struct stream {
	int used;
	long packets;
} streams[STREAMS];

static struct stream *get_stream(int sd)
{
	struct stream *s = NULL;

	pthread_mutex_lock(&streams_lock);
	if (sd >= 0 && sd < STREAMS && streams[sd].used)
		s = &streams[sd];
	pthread_mutex_unlock(&streams_lock);
	return s;
}

/* The network thread: packets that arrive. */
static void *network(void *arg)
{
	for (int i = 0; i < 100; i++) {
		pthread_mutex_lock(&streams_lock);
		streams[i % STREAMS].packets++;
		pthread_mutex_unlock(&streams_lock);
	}
	return arg;
}

static void close_connections(void)
{
	for (int sd = 0; sd < STREAMS; sd++) {
		struct stream *s = get_stream(sd);
		if (s)
			s->used = 0;
	}
}

static int copy_files(void)
{
	int status = -1;
	pid_t child = fork();

	if (child == 0) {
		close_connections();
		_exit(0);
	}
	if (child > 0)
		waitpid(child, &status, 0);
	return status;
}

int main(void)
{
	pthread_t thread;
	int status;

	for (int i = 0; i < STREAMS; i++)
		streams[i].used = 1;
	pthread_create(&thread, NULL, network, NULL);
	status = copy_files();
	pthread_join(thread, NULL);
	return status != 0;
}
