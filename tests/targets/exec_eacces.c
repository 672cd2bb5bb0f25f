/* execve of a directory and of a file that is no program: EACCES and ENOEXEC, then life goes on. */
// arrivals: 2
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

extern char **environ;

static void try(const char *what, int fd, const char *path)
{
	char *argv[] = {"x", NULL};
	if (path)
		execve(path, argv, environ);
	else
		fexecve(fd, argv, environ);
	printf("%s: %s\n", what, strerror(errno)); /* gate: here */
}

int main(void)
{
	int fd = memfd_create("junk", MFD_CLOEXEC);
	if (write(fd, "junk", 4) != 4)
		return 1;
	try("directory", -1, "/");
	try("junk", fd, NULL);
	return 0;
}
