/* A blocking system call on the trapped instruction, interrupted and restarted by the kernel. */
// trap: *trapped
#include "insn.h"
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

long call_read(int fd, void *buf, unsigned long n);
asm(FUNC("call_read") "\txor %eax, %eax\n" LABEL("trapped") "\tsyscall\n\tret\n");

static atomic_int seen;
static int fd[2];
static pthread_t reader;

static void on_usr1(int sig)
{
	(void)sig;
	atomic_fetch_add(&seen, 1);
}

static void *sender(void *arg)
{
	for (int i = 0; i < 20; i++) {
		pthread_kill(reader, SIGUSR1);
		while (atomic_load(&seen) <= i)
			usleep(500);
	}
	if (write(fd[1], "q", 1) != 1)
		perror("write");
	return arg;
}

int main(void)
{
	struct sigaction sa = {.sa_handler = on_usr1, .sa_flags = SA_RESTART};
	pthread_t t;
	char c = 0;
	if (pipe(fd))
		return 1;
	sigaction(SIGUSR1, &sa, NULL);
	reader = pthread_self();
	pthread_create(&t, NULL, sender, NULL);
	long n = call_read(fd[0], &c, 1);
	pthread_join(t, NULL);
	printf("n %ld c %c seen %d\n", n, c, atomic_load(&seen));
	return 0;
}
