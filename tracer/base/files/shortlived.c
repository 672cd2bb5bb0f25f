/* Temporary folders with a process that removes them. */
#include "tracer/base/files/shortlived.h"

#include "tracer/base/array.h"
#include "tracer/base/text/str.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the waiting process --------------------------------------------------------------------- */

static void remove_all(const char *path, const char *const *files)
{
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	for (; dir >= 0 && *files; files++)
		unlinkat(dir, *files, 0);
	if (dir >= 0)
		close(dir);
	rmdir(path);
}

/* Waits for the end of `alive` in a session of its own, so that signals of a terminal do not reach
   it. Closes all other descriptors: processes may wait for their end. */
static void wait_and_remove(const char *path, const char *const *files, int alive, int gone)
{
	char byte;

	setsid();
	for (int n = 1; n < NSIG; n++)
		signal(n, SIG_IGN);
	if (dup2(alive, 0) < 0 || dup2(gone, 1) < 0)
		_exit(1);
	close_range(2, ~0U, 0);
	while (read(0, &byte, 1) < 0 && errno == EINTR)
		;
	remove_all(path, files);
	_exit(0);
}

/* Starts the waiting process as a grandchild: a tracer that waits for its
   children must not see it. */
static int shortlived_start(const char *path, const char *const *files, const int alive[2],
			    const int gone[2])
{
	siginfo_t status = {0};
	pid_t pid = fork();

	if (pid == 0) {
		close(alive[1]);
		close(gone[0]);
		pid = fork();
		if (pid == 0)
			wait_and_remove(path, files, alive[0], gone[1]);
		_exit(pid < 0);
	}
	while (pid > 0 && waitid(P_PID, (id_t)pid, &status, WEXITED) < 0)
		if (errno != EINTR)
			return -1;
	return pid < 0 || status.si_status ? -1 : 0;
}

/* ---- the folder ------------------------------------------------------------------------------ */

static int make_name(const char *name, struct str *path)
{
	const char *where = getenv("TMPDIR");
	uint64_t random;

	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return -1;
	str_addf(path, "%s/%s-%016llx", where && *where ? where : "/tmp", name,
		 (unsigned long long)random);
	return 0;
}

/* Starts the process before making the folder, so that the folder never exists without it. */
static int files_shortlived_make(struct shortlived *f, const char *const *files)
{
	int alive[2] = {-1, -1}, gone[2] = {-1, -1}, failed = -1;

	if (pipe2(alive, O_CLOEXEC) == 0 && pipe2(gone, O_CLOEXEC) == 0)
		failed = shortlived_start(f->path, files, alive, gone);
	f->alive = alive[1];
	f->gone = gone[0];
	if (alive[0] >= 0)
		close(alive[0]);
	if (gone[1] >= 0)
		close(gone[1]);
	return failed < 0 || mkdir(f->path, 0700) < 0 ? -1 : 0;
}

int shortlived_make(struct shortlived *f, const char *name, const char *const *files,
		    struct error *err)
{
	struct str path = {0};
	int failed = make_name(name, &path);

	f->path = str_take(&path);
	f->alive = f->gone = -1;
	failed = failed || files_shortlived_make(f, files) < 0;
	if (!failed)
		return 0;
	error_errno(err, ERROR_SYSTEM, "%s: cannot create a folder there", f->path);
	shortlived_remove(f);
	return -1;
}

void shortlived_remove(struct shortlived *f)
{
	enum { MOST_MS = 10000 }; /* a live fork keeps the folder: it goes with the fork */
	struct pollfd gone = {.fd = f->gone, .events = POLLIN};

	if (!f->path)
		return;
	if (f->alive >= 0)
		close(f->alive);
	while (f->gone >= 0 && poll(&gone, 1, MOST_MS) < 0 && errno == EINTR)
		;
	if (f->gone >= 0)
		close(f->gone);
	base_free(f->path);
	*f = (struct shortlived){0};
}
