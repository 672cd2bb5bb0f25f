/* The folders of schedules that were cut: DIR/cut/1/, DIR/cut/2/, ... */
#include "tracer/cli/report/found.h"

#include "tracer/base/files/file.h"
#include "tracer/base/files/io.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int write_text(const char *folder, const char *name, const char *text)
{
	struct str path = {0};
	int fd, failed;

	str_addf(&path, "%s/%s", folder, name);
	fd = open(str_text(&path), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	failed = fd < 0 ? -1 : io_write(fd, text, strlen(text));
	str_fini(&path);
	return fd >= 0 && close(fd) < 0 ? -1 : failed;
}

static int write_folder(struct explore_cut *cut, const char *dir)
{
	if (cut->folder)
		return 0;
	cut->folder = file_numbered(dir);
	if (!cut->folder || write_text(cut->folder, "steps", cut->steps) < 0 ||
	    write_text(cut->folder, "threads", cut->threads) < 0)
		return -1;
	return 0;
}

int found_write_cuts(struct explore *e, struct error *err)
{
	struct str dir = {0};
	int failed = 0;

	if (!e->cuts.count)
		return 0;
	mkdir(e->options.output, 0777);
	str_addf(&dir, "%s/cut", e->options.output);
	mkdir(str_text(&dir), 0777);
	array_each(struct explore_cut, cut, &e->cuts)
		if (!failed && write_folder(cut, str_text(&dir)) < 0)
			failed = error_errno(err, ERROR_SYSTEM,
					     "%s: a schedule that was cut cannot be kept there",
					     str_text(&dir));
	str_fini(&dir);
	return failed;
}
