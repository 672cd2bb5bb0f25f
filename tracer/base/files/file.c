/* Reads, replaces and makes files and folders of the user. */
#include "tracer/base/files/file.h"

#include "tracer/base/array.h"
#include "tracer/base/files/io.h"
#include "tracer/base/text/str.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
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
	STR(all);
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
		error_set(err, ERROR_SYSTEM, "%s contains a zero byte: it is not a text file",
			  path);
	else if (!text)
		error_errno(err, ERROR_SYSTEM, "%s", path);
	if (f)
		fclose(f);
	errno = saved;
	return text;
}

static int write_and_close(int fd, const char *text)
{
	int failed = io_write(fd, text, strlen(text));

	return close(fd) < 0 ? -1 : failed;
}

/* Writes the file `temporary`, a template for mkstemp(3), and renames it. `old`: attributes of the
   existing file, or NULL. Returns 0, -1, or 1 if no file can be made in the folder. */
static int files_file_replace(const char *path, const struct stat *old, char *temporary,
			      const char *text)
{
	int fd = mkostemp(temporary, O_CLOEXEC);
	mode_t mask = umask(0);

	umask(mask);
	if (fd < 0)
		return 1;
	fchmod(fd, old ? old->st_mode & 07777 : PLAIN_FILE & ~mask);
	if (old && fchown(fd, old->st_uid, old->st_gid) < 0)
		errno = 0; /* The file of another user becomes ours; its text counts. */
	if (write_and_close(fd, text) == 0 && rename(temporary, path) == 0)
		return 0;
	unlink(temporary);
	return -1;
}

static int write_over(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

	return fd < 0 ? -1 : write_and_close(fd, text);
}

/* Blocks signals meanwhile: one that ends the process would leave the temporary file behind. */
static int replace_unharmed(const char *path, const struct stat *old, const char *text)
{
	STR(temporary);
	sigset_t all, before;
	int answer, saved;

	str_addf(&temporary, "%s.XXXXXX", path);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	answer = files_file_replace(path, old, temporary.text, text);
	saved = errno;
	sigprocmask(SIG_SETMASK, &before, NULL);
	errno = saved;
	return answer > 0 ? write_over(path, text) : answer;
}

int file_replace(const char *path, const char *text, struct error *err)
{
	char *real = realpath(path, NULL);
	struct stat old, link;
	bool there = stat(path, &old) == 0;
	/* A symbolic link to a missing file stays a link. */
	bool leads_nowhere = !real && lstat(path, &link) == 0 && S_ISLNK(link.st_mode);
	int answer;

	if ((there && !S_ISREG(old.st_mode)) || leads_nowhere)
		answer = write_over(path, text);
	else
		answer = replace_unharmed(real ? real : path, there ? &old : NULL, text);
	if (answer < 0)
		error_errno(err, ERROR_SYSTEM, "%s cannot be written", path);
	free(real);
	return answer;
}

char *file_temporary(const char *dir, const char *name, const char *ending, struct error *err)
{
	const char *common = getenv("TMPDIR");
	STR(path);
	int fd;

	if (!dir)
		dir = common && *common ? common : "/tmp";
	str_addf(&path, "%s/%sXXXXXX%s", dir, name, ending);
	fd = mkostemps(path.text, (int)strlen(ending), O_CLOEXEC);
	if (fd >= 0) {
		close(fd);
		return str_take(&path);
	}
	error_errno(err, ERROR_SYSTEM, "a temporary file in %s", dir);
	return NULL;
}

char *file_numbered(const char *dir)
{
	STR(path);

	for (unsigned n = 1;; n++) {
		str_clear(&path);
		str_addf(&path, "%s/%u", dir, n);
		if (mkdir(str_text(&path), 0777) == 0)
			return str_take(&path);
		if (errno != EEXIST) {
			return NULL;
		}
	}
}
