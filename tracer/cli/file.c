/* Text files that belong to the tester: scripts and their lock files. */
#include "tracer/cli/query.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PLAIN_FILE = 0644 };

char *file_read(const char *path, struct error *err)
{
	char bytes[4096], *text = NULL;
	FILE *f;
	struct str all = {0};
	int saved;
	size_t n;

	errno = 0;
	f = fopen(path, "re");
	if (f) {
		while ((n = fread(bytes, 1, sizeof(bytes), f)) > 0)
			str_add_bytes(&all, bytes, n);
		str_add(&all, "");
		if (!ferror(f) && strlen(all.text) == all.length)
			text = str_take(&all);
	}
	saved = errno;
	if (!text && f && !ferror(f))
		error_set(err, ERROR_SYSTEM, "%s has a byte 0 in it: it is no text", path);
	else if (!text)
		error_errno(err, ERROR_SYSTEM, "%s", path);
	if (f)
		fclose(f);
	str_fini(&all);
	errno = saved;
	return text;
}

static int write_all(int fd, const char *text)
{
	size_t left = strlen(text);

	while (left) {
		ssize_t n = write(fd, text, left);

		if (n < 0)
			return -1;
		text += n;
		left -= (size_t)n;
	}
	return 0;
}

/* Writes to `temporary`, a template of mkstemp, and renames it. */
static int replace(const char *path, char *temporary, const char *text)
{
	struct stat old;
	bool there = stat(path, &old) == 0;
	int fd = mkostemp(temporary, O_CLOEXEC), answer = -1;
	mode_t mask = umask(0);

	umask(mask);
	if (fd < 0)
		return -1;
	if (write_all(fd, text) == 0 &&
	    fchmod(fd, there ? old.st_mode & 07777 : PLAIN_FILE & ~mask) == 0)
		answer = 0;
	if (there && answer == 0 && fchown(fd, old.st_uid, old.st_gid) < 0)
		errno = 0; /* somebody else's file becomes ours: its text is what counts */
	if (close(fd) < 0)
		answer = -1;
	if (answer == 0)
		answer = rename(temporary, path);
	if (answer < 0)
		unlink(temporary);
	return answer;
}

int file_replace(const char *path, const char *text, struct error *err)
{
	char *real = realpath(path, NULL);
	struct str temporary = {0};
	int answer;

	str_addf(&temporary, "%s.XXXXXX", real ? real : path);
	answer = replace(real ? real : path, temporary.text, text);
	if (answer < 0)
		error_errno(err, ERROR_SYSTEM, "%s cannot be written", path);
	str_fini(&temporary);
	free(real);
	return answer;
}
