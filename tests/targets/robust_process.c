/* The owner of a process-shared robust mutex is killed; another process inherits the lock. */
// arrivals: 1
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
	pthread_mutex_t *m =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_t attr;
	int fd[2];
	char c;
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(m, &attr);
	if (pipe(fd))
		return 1;
	pid_t pid = fork();
	if (pid == 0) {
		pthread_mutex_lock(m);
		if (write(fd[1], "l", 1) != 1) /* gate: here */
			_exit(1);
		for (;;)
			pause();
	}
	if (read(fd[0], &c, 1) != 1)
		return 2;
	kill(pid, SIGKILL);
	int r = pthread_mutex_lock(m);
	waitpid(pid, NULL, 0);
	printf("owner dead %d\n", r == EOWNERDEAD);
	return 0;
}
