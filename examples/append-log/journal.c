/*
 * A journal in a directory: new entries are appended to `log`; `compact` writes all entries to a
 * new `snapshot` and empties the log. The new snapshot is written beside the old one, made durable,
 * and renamed over it.
 *
 * The bug: the log is emptied before the new snapshot is in place. A program that dies between the
 * two has neither: the entries are only in snapshot.tmp, of which recovery cannot know whether it
 * is complete, and so it removes it.
 *
 * usage: journal DIR add TEXT... | journal DIR compact | journal DIR show
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static FILE *file_open(const char *name, const char *mode)
{
	FILE *f = fopen(name, mode);

	if (f == NULL && mode[0] != 'r') {
		perror(name);
		exit(2);
	}
	return f;
}

static void file_close(FILE *f, const char *name)
{
	if (fflush(f) != 0 || fsync(fileno(f)) != 0 || fclose(f) != 0) {
		perror(name);
		exit(2);
	}
}

/* Copies every line of the file, if there is one, with `before` in front; how many there were. */
static int file_copy(const char *name, FILE *to, const char *before)
{
	FILE *from = file_open(name, "r");
	char line[512];
	int lines = 0;

	while (from != NULL && fgets(line, sizeof(line), from) != NULL) {
		fprintf(to, "%s%s", before, line);
		lines++;
	}
	if (from != NULL)
		fclose(from);
	return lines;
}

static int add(char **texts)
{
	FILE *log = file_open("log", "a");

	for (; *texts != NULL; texts++)
		fprintf(log, "%s\n", *texts);
	file_close(log, "log");
	return 0;
}

static int compact(void)
{
	FILE *snapshot = file_open("snapshot.tmp", "w");

	file_copy("snapshot", snapshot, "");
	file_copy("log", snapshot, "");
	file_close(snapshot, "snapshot.tmp");
	if (truncate("log", 0) != 0) {
		perror("log");
		return 2;
	}
	if (rename("snapshot.tmp", "snapshot") != 0) { /* gate: in-place */
		perror("snapshot");
		return 2;
	}
	return 0;
}

/* Recovery, then all entries. 1 where a compaction was cut short and had emptied the log. */
static int show(void)
{
	int lost = 0, entries;

	if (access("snapshot.tmp", F_OK) == 0) {
		FILE *log = file_open("log", "r");

		if (log == NULL || fgetc(log) == EOF)
			lost = file_copy("snapshot.tmp", stdout, "lost: ");
		if (log != NULL)
			fclose(log);
		unlink("snapshot.tmp");
	}
	entries = file_copy("snapshot", stdout, "entry: ") + file_copy("log", stdout, "entry: ");
	printf("%d entries, %d lost\n", entries, lost);
	return lost > 0 ? 1 : 0;
}

int main(int argc, char **argv)
{
	if (argc < 3 || chdir(argv[1]) != 0) {
		fprintf(stderr, "usage: journal DIR add TEXT... | compact | show\n");
		return 2;
	}
	if (strcmp(argv[2], "add") == 0)
		return add(argv + 3);
	if (strcmp(argv[2], "compact") == 0)
		return compact();
	if (strcmp(argv[2], "show") == 0)
		return show();
	fprintf(stderr, "journal: unknown command: %s\n", argv[2]);
	return 2;
}
