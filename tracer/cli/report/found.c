/* Folders of failures that a search has found. */
#include "tracer/cli/report/report.h"

#include "tracer/base/array.h"
#include "tracer/base/files/file.h"
#include "tracer/base/files/io.h"
#include "tracer/search/explore.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The files of a folder, in the order in which they are written. */
static const char *const files[] = {"schedule", "report.json", "report.html",
				    "stdout",	"stderr",      "gates.lua"};
enum { FILES = sizeof(files) / sizeof(*files) };

/* Name of a file until it is complete. */
static const char unfinished[] = ".unfinished";

/* Replaces the file of that name once the new one is complete. */
static int write_file(int dir, const char *name, const char *text, size_t length)
{
	int fd, failed;

	unlinkat(dir, unfinished, 0);
	fd = openat(dir, unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	failed = fd < 0 ? -1 : io_write(fd, text, length);
	if (fd >= 0 && close(fd) < 0)
		failed = -1;
	if (failed || renameat(dir, unfinished, dir, name) < 0) {
		int saved = errno;

		unlinkat(dir, unfinished, 0);
		errno = saved;
		return -1;
	}
	return 0;
}

static int write_files(int dir, const struct explore *e, const struct explore_failure *f)
{
	struct str schedule = {0};
	struct schedule_head head = {0};
	const struct str *texts[FILES] = {
		&schedule, &f->reports[REPORT_JSON], &f->reports[REPORT_HTML], &f->out, &f->err,
		&f->gates};
	int failed = 0;

	replay_head(e, f, &head);
	schedule_print(&f->schedule, &head, &schedule);
	for (size_t i = 0; i < FILES && !failed; i++)
		if (i == 0 ||
		    (f->rerun == RERUN_SAME && (texts[i] != &f->gates || f->gates.length)))
			failed = write_file(dir, files[i], str_text(texts[i]), texts[i]->length);
		else
			unlinkat(dir, files[i], 0);
	schedule_head_fini(&head);
	str_fini(&schedule);
	return failed;
}

static void remove_folder(const char *path, int dir)
{
	int saved = errno;

	for (size_t i = 0; dir >= 0 && i < FILES; i++)
		unlinkat(dir, files[i], 0);
	if (dir >= 0)
		unlinkat(dir, unfinished, 0);
	rmdir(path);
	errno = saved;
}

static char *new_folder(const char *dir)
{
	struct str path = {0};
	mode_t mask = umask(0);

	umask(mask);
	str_addf(&path, "%s/.found-XXXXXX", dir);
	if (!mkdtemp(path.text)) {
		str_fini(&path);
		return NULL;
	}
	chmod(path.text, 0777 & ~mask);
	return path.text;
}

static char *in_folder(const char *folder, const char *name)
{
	struct str path = {0};

	str_addf(&path, "%s/%s", folder, name);
	return str_take(&path);
}

static int copy_files(int dir, const char *from)
{
	int old = open(from, O_RDONLY | O_DIRECTORY | O_CLOEXEC), failed = old < 0 ? -1 : 0;

	for (size_t i = 0; i < FILES && !failed; i++) {
		int fd = openat(old, files[i], O_RDONLY | O_CLOEXEC);
		struct str text = {0};

		if (fd >= 0)
			failed = io_read(fd, &text) < 0
					 ? -1
					 : write_file(dir, files[i], str_text(&text), text.length);
		else if (errno != ENOENT)
			failed = -1;
		if (fd >= 0)
			close(fd);
		str_fini(&text);
	}
	if (old >= 0)
		close(old);
	return failed;
}

/* Writes the files of an existing folder. Returns 0, or -1 with errno set if there is no such
   folder or a file cannot be written. */
static int write_again(const struct explore *e, const struct explore_failure *f)
{
	int dir = open(f->folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int failed = dir < 0 ? -1 : write_files(dir, e, f), saved = errno;

	if (dir >= 0)
		close(dir);
	errno = saved;
	return failed;
}

/* Moves the folder to `path`, or (NULL) to the next free number, as another search may write there
   at the same time. Returns its path, or NULL. The caller frees it. */
static char *found_place(const char *dir, const char *temporary, const char *path)
{
	char *place = path ? base_strdup(path) : file_numbered(dir);

	if (place && rename(temporary, place) < 0) {
		if (!path)
			remove_folder(place, -1);
		base_free(place);
		place = NULL;
	}
	return place;
}

/* Writes the failure's folder from `e`; if `e` is NULL, copies the folder it has into a new one. */
static int write_folder(const struct explore *e, struct explore_failure *f, const char *dir,
			struct error *err)
{
	bool is_new = mkdir(dir, 0777) == 0;
	char *temporary = new_folder(dir), *old = f->folder;
	int folder = temporary ? open(temporary, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	int failed = folder < 0 ? -1 : e ? write_files(folder, e, f) : copy_files(folder, old);

	f->folder = failed ? NULL : found_place(dir, temporary, e ? old : NULL);
	if (!f->folder && temporary)
		remove_folder(temporary, folder);
	if (!f->folder)
		error_errno(err, ERROR_SYSTEM, "%s: the result cannot be written there", dir);
	if (!f->folder && is_new)
		rmdir(dir);
	if (folder >= 0)
		close(folder);
	base_free(temporary);
	base_free(old);
	return f->folder ? 0 : -1;
}

int found_write(const struct explore *e, struct explore_failure *f, const char *dir,
		struct error *err)
{
	bool is_there = f->folder && write_again(e, f) == 0;

	if (!is_there && f->folder && errno != ENOENT)
		return error_errno(err, ERROR_SYSTEM, "%s: the result cannot be written there",
				   f->folder);
	if (!is_there && write_folder(e, f, dir, err) < 0)
		return -1;
	base_free(f->script);
	f->script = f->gates.length ? in_folder(f->folder, "gates.lua") : NULL;
	return 0;
}

int found_copy(struct explore_failure *f, const char *dir, struct error *err)
{
	if (write_folder(NULL, f, dir, err) < 0)
		return -1;
	if (f->script) {
		base_free(f->script);
		f->script = in_folder(f->folder, "gates.lua");
	}
	return 0;
}

/* In a directory that all users may write to, another user can have made the link. */
static int check_link(const char *dir, struct error *err)
{
	struct str path = {0};
	struct stat link;
	bool is_theirs;

	str_add(&path, dir);
	while (path.length > 1 && path.text[path.length - 1] == '/')
		path.text[--path.length] = '\0';
	is_theirs = lstat(str_text(&path), &link) == 0 && S_ISLNK(link.st_mode) &&
		    link.st_uid != geteuid() && link.st_uid != 0;
	str_fini(&path);
	if (!is_theirs)
		return 0;
	error_set(err, ERROR_USAGE,
		  "--output: %s is a symbolic link of another user, who would decide where the "
		  "result is written",
		  dir);
	return error_hint(err, "-o DIR, in a directory of your own");
}

int found_check(const char *dir, struct error *err)
{
	bool is_new;
	char *folder;

	if (check_link(dir, err) < 0)
		return -1;
	is_new = mkdir(dir, 0777) == 0;
	if (!is_new && errno != EEXIST) {
		error_errno(err, ERROR_USAGE, "--output: %s: cannot create a folder there", dir);
		return error_hint(err, "-o DIR, in a directory that exists and is yours");
	}
	folder = new_folder(dir);
	if (folder)
		rmdir(folder);
	else
		error_errno(err, ERROR_USAGE, "--output: %s: cannot write there", dir);
	if (is_new)
		rmdir(dir);
	base_free(folder);
	if (!err->code)
		return 0;
	return error_hint(err, "-o DIR, in a directory that exists and is yours");
}

/* ---- schedules that were cut ---------------------------------------------------------------- */

static int write_cut(struct explore_cut *cut, const char *dir)
{
	int fd, failed;

	cut->folder = file_numbered(dir);
	fd = cut->folder ? open(cut->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	if (fd < 0)
		return -1;
	failed = write_file(fd, "steps", cut->steps, strlen(cut->steps)) < 0 ||
		 write_file(fd, "threads", cut->threads, strlen(cut->threads)) < 0;
	close(fd);
	return failed ? -1 : 0;
}

int found_write_cuts(struct explore *e, struct error *err)
{
	char *dir = in_folder(e->options.output, "cut");
	int failed = 0;

	if (e->cuts.count) {
		mkdir(e->options.output, 0777);
		mkdir(dir, 0777);
	}
	array_each(struct explore_cut, cut, &e->cuts)
		if (!failed && !cut->folder && write_cut(cut, dir) < 0)
			failed = error_errno(err, ERROR_SYSTEM,
					     "%s: a schedule that was cut cannot be written there",
					     dir);
	base_free(dir);
	return failed;
}
