/* The folder, and that it does not grow without end. */
#include "tracer/cache/cache_internal.h"

#include "tracer/base/array.h"
#include "tracer/base/text/str.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { GIVEN_UP = 3600 }; /* seconds; no writer takes so long */

static bool refused;

void cache_refuse(void)
{
	refused = true;
}

bool cache_is_ours(const struct stat *st)
{
	return st->st_uid == geteuid() && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

/* As the XDG Base Directory Specification has it: what is no absolute path does not count. */
static bool base_path(struct str *out)
{
	const char *base = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");

	if (base && *base == '/')
		str_add(out, base);
	else if (home && *home == '/')
		str_addf(out, "%s/.cache", home);
	return out->length != 0;
}

/* Not in a place of somebody else: sudo may leave HOME as it is. */
static void make_folder(const char *path)
{
	char *around = base_strndup(path, (size_t)(strrchr(path, '/') - path));
	struct stat st;

	if (stat(*around ? around : "/", &st) == 0 && st.st_uid == geteuid())
		mkdir(path, 0700);
	base_free(around);
}

int cache_folder(bool make)
{
	STR(path);
	struct stat st;
	int fd = -1;

	if (refused || !base_path(&path))
		goto out;
	if (make)
		make_folder(str_text(&path));
	str_add(&path, "/gatectl");
	if (make)
		make_folder(str_text(&path));
	fd = open(str_text(&path), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && (fstat(fd, &st) < 0 || !cache_is_ours(&st))) {
		close(fd);
		fd = -1;
	}
out:
	return fd;
}

bool cache_usable(void)
{
	int folder = cache_folder(true);
	bool usable = folder >= 0 && faccessat(folder, ".", W_OK, 0) == 0;

	if (folder >= 0)
		close(folder);
	return usable;
}

void cache_remove(const char *name)
{
	int folder = cache_folder(false);

	if (folder < 0)
		return;
	unlinkat(folder, name, 0);
	close(folder);
}

/* ---- the bound ------------------------------------------------------------------------------ */

struct old_file {
	char *name;
	uint64_t size, used; /* used: when, in seconds; renewed now and then (read.c) */
};

struct old_files {
	ARRAY(struct old_file) all;
	uint64_t total;
};

static void note_file(struct old_files *files, int folder, const char *name)
{
	struct old_file *f;
	struct stat st;

	if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode))
		return;
	if (name[0] == '.' && st.st_mtime + GIVEN_UP < time(NULL)) { /* its writer is dead */
		unlinkat(folder, name, 0);
		return;
	}
	f = array_add(&files->all);
	f->name = base_strdup(name);
	f->size = (uint64_t)st.st_size;
	f->used = (uint64_t)st.st_mtime;
	files->total += f->size;
}

static int by_use(const void *a, const void *b)
{
	const struct old_file *x = a, *y = b;

	return x->used < y->used ? -1 : x->used > y->used;
}

static bool list_files(int folder, struct old_files *files)
{
	int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = again >= 0 ? fdopendir(again) : NULL;
	struct dirent *entry;

	if (!d) {
		if (again >= 0)
			close(again);
		return false;
	}
	while ((entry = readdir(d)))
		note_file(files, folder, entry->d_name);
	closedir(d);
	array_sort(&files->all, by_use);
	return true;
}

bool cache_trim(int folder, uint64_t room)
{
	struct old_files files = {0};
	bool fits = room <= CACHE_MOST / 4 && list_files(folder, &files);

	for (size_t i = 0; fits && i < files.all.count; i++) {
		if (files.total + room <= CACHE_MOST)
			break;
		if (unlinkat(folder, files.all.items[i].name, 0) == 0)
			files.total -= files.all.items[i].size;
	}
	fits = fits && files.total + room <= CACHE_MOST;
	array_each(struct old_file, f, &files.all)
		base_free(f->name);
	array_fini(&files.all);
	return fits;
}
