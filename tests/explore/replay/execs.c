/* The program starts itself anew, in a child and in its place. */
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static int n;

static void *count(void *p)
{
	int seen = n;

	printf("%s %d\n", (const char *)p, seen);
	n = seen + 1;
	return 0;
}

static void *spawn(void *p)
{
	char *argv[] = {"execs", "child", 0};
	int status;
	pid_t pid;

	if (posix_spawn(&pid, "/proc/self/exe", 0, 0, argv, environ) == 0)
		waitpid(pid, &status, 0);
	return p;
}

int main(int argc, char **argv)
{
	char *again[] = {"execs", "again", 0};
	pthread_t t, u;

	pthread_create(&t, 0, count, argc > 1 ? argv[1] : "first");
	pthread_create(&u, 0, argc > 1 ? count : spawn, "second");
	pthread_join(t, 0);
	pthread_join(u, 0);
	fflush(stdout);
	if (argc == 1)
		execv("/proc/self/exe", again);
	return strcmp(argv[1], "again") == 0 ? 7 + n : 0;
}
