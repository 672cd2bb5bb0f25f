/*
 * An echo server: a thread for each client, and threads that would notice a tracer: what they wait in
 * must not give up, what they compute must be right. It ends with 77 and a line when something is wrong.
 *
 *	server SOCKET [LETTERS]		m makes threads, f makes processes, s is stormed with signals
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile long requests, ticks;
static const char text[] = "the quick brown fox";
enum { TEXT = 19, SUM = 1843 };

static void die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fprintf(stderr, "server: ");
	vfprintf(stderr, format, args);
	fprintf(stderr, " (%s)\n", strerror(errno));
	_exit(77);
}

static void start(void *(*routine)(void *), void *arg, pthread_t *out)
{
	pthread_t t;

	if ((errno = pthread_create(out ? out : &t, NULL, routine, arg)))
		die("pthread_create");
}

__attribute__((noinline)) static int sum(const char *s, int n)
{
	int total = 0;

	for (int i = 0; i < n; i++)
		total += s[i]; /* gate: sum */
	return total;
}

/* ---- clients ---- */

__attribute__((noinline)) static int answer(int fd)
{
	char line[256];
	ssize_t n = read(fd, line, sizeof(line) - 16); /* gate: read */
	int length;

	if (n < 0)
		die("read");
	if (n == 0)
		return 0;
	__atomic_add_fetch(&requests, 1, __ATOMIC_SEQ_CST); /* gate: request */
	length = n + sprintf(line + n, "%d\n", sum(line, n));
	if (write(fd, line, length) != length)
		die("write");
	return 1;
}

static void *serve(void *arg)
{
	while (answer((int)(long)arg))
		;
	close((int)(long)arg);
	return NULL;
}

/* ---- who would notice ---- */

static void *sleeper(void *arg)
{
	for (;;) {
		struct timespec three_ms = {0, 3000000};

		if (nanosleep(&three_ms, NULL) < 0)
			die("nanosleep");
		ticks++; /* gate: tick */
	}
}

static void *poller(void *arg)
{
	int ep = epoll_create1(0), p[2];
	struct epoll_event ev = {.events = EPOLLIN};
	sigset_t signals;

	sigemptyset(&signals); /* one that is sent for a child may end the wait: not what is tested */
	sigaddset(&signals, SIGCHLD);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	if (pipe(p) < 0 || epoll_ctl(ep, EPOLL_CTL_ADD, p[0], &ev) < 0)
		die("epoll");
	for (;;)
		if (epoll_wait(ep, &ev, 1, 40) < 0)
			die("epoll_wait");
}

static void *waiter(void *arg)
{
	static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

	pthread_mutex_lock(&m);
	for (;;)
		pthread_cond_wait(&c, &m);
}

static void *computer(void *arg)
{
	for (unsigned i = 0;; i++) {
		if (sum(text, TEXT) != SUM)
			die("the sum is %d", sum(text, TEXT));
		if (i % 500 == 0)
			usleep(200);
	}
}

/* ---- births and signals ---- */

static void *short_lived(void *arg)
{
	ticks++; /* gate: short */
	return NULL;
}

static void *maker(void *arg)
{
	for (;;) {
		pthread_t t[4];

		for (int i = 0; i < 4; i++)
			start(short_lived, NULL, &t[i]);
		for (int i = 0; i < 4; i++)
			pthread_join(t[i], NULL);
		usleep(500);
	}
}

static void *forker(void *arg)
{
	for (;;) {
		int status;
		pid_t pid = fork();

		if (pid == 0)
			_exit(sum(text, TEXT) == SUM ? 11 : 12); /* gate: child */
		if (pid < 0 || waitpid(pid, &status, 0) != pid)
			die("fork");
		if (!WIFEXITED(status) || WEXITSTATUS(status) != 11)
			die("a child ended with %x", status);
		if (system("exit 3") != 3 << 8)
			die("system");
		usleep(2000);
	}
}

static void on_usr1(int signal)
{
	ticks++; /* gate: handler */
}

static void *stormer(void *arg)
{
	for (;;) {
		pthread_kill(*(pthread_t *)arg, SIGUSR1);
		usleep(200);
	}
}

int main(int argc, char **argv)
{
	static pthread_t stormed;
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	struct sigaction action = {.sa_handler = on_usr1, .sa_flags = SA_RESTART};
	const char *letters = argc > 2 ? argv[2] : "";
	int s = socket(AF_UNIX, SOCK_STREAM, 0);

	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	sigaction(SIGUSR1, &action, NULL);
	start(sleeper, NULL, NULL);
	start(poller, NULL, NULL);
	start(waiter, NULL, NULL);
	start(computer, NULL, &stormed);
	if (strchr(letters, 'm'))
		start(maker, NULL, NULL);
	if (strchr(letters, 'f'))
		start(forker, NULL, NULL);
	if (strchr(letters, 's'))
		start(stormer, &stormed, NULL);
	strcpy(a.sun_path, argv[1]);
	if (bind(s, (struct sockaddr *)&a, sizeof(a)) < 0 || listen(s, 100) < 0)
		die("bind");
	puts("ready");
	fflush(stdout);
	for (;;) {
		int fd = accept(s, NULL, NULL);

		if (fd < 0)
			die("accept");
		start(serve, (void *)(long)fd, NULL);
	}
}
