/* What /proc tells of the open files of a process. */
#include "tracer/features/blocked/channels.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

int opened_look(pid_t tid, int fd, struct opened *out)
{
	struct stat file, link;
	char path[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", tid, fd);
	if (stat(path, &file) < 0 || lstat(path, &link) < 0)
		return -1;
	*out = (struct opened){
		.tid = tid,
		.fd = fd,
		.dev = file.st_dev,
		.ino = file.st_ino,
		.type = file.st_mode & S_IFMT,
		.reads = link.st_mode & S_IRUSR, /* the kernel shows the open mode in these bits */
		.writes = link.st_mode & S_IWUSR,
	};
	n = readlink(path, out->link, sizeof(out->link) - 1);
	out->link[n > 0 ? n : 0] = '\0';
	return 0;
}

bool opened_info(const struct opened *f, bool (*want)(void *ctx, const char *line), void *ctx)
{
	char path[64], line[256];
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%d", f->tid, f->fd);
	file = fopen(path, "re");
	while (file && !found && fgets(line, sizeof(line), file))
		found = want(ctx, line);
	if (file)
		fclose(file);
	return found;
}
