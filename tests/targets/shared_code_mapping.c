/* Code in a shared file mapping: a trap written there would be seen by every process and the file. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int steps;

int main(void)
{
	const unsigned char code[] = {0x8d, 0x47, 0x01, 0xc3}; /* lea 1(%rdi), %eax; ret */
	int fd = memfd_create("code", MFD_CLOEXEC), status, n = 0;
	if (write(fd, code, sizeof code) != sizeof code)
		return 1;
	int (*add)(int) = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
	pid_t pid = fork();
	for (int i = 0; i < 20; i++) {
		n = add(n);
		steps++; /* gate: here */
	}
	if (pid == 0)
		_exit(n);
	waitpid(pid, &status, 0);
	char back[4];
	int same = pread(fd, back, 4, 0) == 4 && !memcmp(back, code, 4);
	printf("n %d child %d file untouched %d\n", n, WEXITSTATUS(status), same);
	return 0;
}
