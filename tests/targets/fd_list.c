/* No file descriptor of the tracer may be open in here, nor in what this executes. */
// arrivals: 1
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	DIR *d = opendir("/proc/self/fd");
	int count = 0, highest = -1;
	for (struct dirent *e; (e = readdir(d));) {
		int fd = atoi(e->d_name);
		if (e->d_name[0] == '.' || fd == dirfd(d))
			continue;
		count++;
		highest = fd > highest ? fd : highest;
	}
	closedir(d);
	printf("open %d highest %d\n", count, highest);
	fflush(stdout);
	if (argc == 1)
		execl("/proc/self/exe", argv[0], "again", (char *)NULL); /* gate: here */
	return 0;
}
