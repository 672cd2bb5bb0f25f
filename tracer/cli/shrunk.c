/* A mapped ELF file that becomes shorter while it is read (during a build or an installation) is an
   error that names the file, not death by SIGBUS. */
#include "tracer/base/leave.h"
#include "tracer/cli/cli.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

struct lines {
	int fd;
	char bytes[4096];
	ssize_t count, at;
};

static int next_byte(struct lines *l)
{
	if (l->at == l->count) {
		l->count = read(l->fd, l->bytes, sizeof(l->bytes));
		l->at = 0;
	}
	return l->count > 0 ? (unsigned char)l->bytes[l->at++] : -1;
}

/* Reads one line without its newline, cut at `size`. */
static bool next_line(struct lines *l, char *line, size_t size)
{
	size_t length = 0;
	int c;

	while ((c = next_byte(l)) >= 0 && c != '\n')
		if (length + 1 < size)
			line[length++] = (char)c;
	line[length] = '\0';
	return c >= 0 || length;
}

static uintptr_t hex(const char **text)
{
	uintptr_t number = 0;

	for (;; (*text)++) {
		unsigned char c = (unsigned char)**text;

		if (c >= '0' && c <= '9')
			number = number << 4 | (c - '0');
		else if (c >= 'a' && c <= 'f')
			number = number << 4 | (c - 'a' + 10u);
		else
			return number;
	}
}

/* "LOW-HIGH rw-p OFFSET DEVICE INODE    /path" */
static bool shrunk_holds(const char *line, uintptr_t address)
{
	uintptr_t low = hex(&line);

	return *line++ == '-' && address >= low && address < hex(&line);
}

/* Returns the path of the file that is mapped at the address, or NULL. A path ends with the line;
   control characters in a hostile name are replaced. */
static char *mapped_file(uintptr_t address, char *line, size_t size)
{
	static struct lines maps;
	char *path = NULL;

	maps.fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	while (!path && maps.fd >= 0 && next_line(&maps, line, size))
		if (shrunk_holds(line, address) && !(path = strchr(line, '/')))
			break;
	for (char *c = path; c && *c; c++)
		if ((unsigned char)*c < ' ' || *c == 127)
			*c = '?';
	return path;
}

static void shrunk_tell(const char *path)
{
	static const char
		what[] = ": cannot be read any more: the file was truncated after it was opened, "
			 "or its disk fails\n",
		hint[] = "try: run again when the command that writes this file has ended\n";
	static char text[5000];
	char *end = stpcpy(text, "gatectl: error: ");

	end = stpcpy(end, path);
	end = stpcpy(end, what);
	if (write(STDERR_FILENO, text, (size_t)(end - text)) < 0 ||
	    write(STDERR_FILENO, hint, sizeof(hint) - 1) < 0)
		return; /* no reader is left; the exit status still counts */
}

/* Only async-signal-safe functions are called. Traced programs end with gatectl
   (PTRACE_O_EXITKILL); attached ones are released first (leave_ask). Tables are consistent: the
   fault was in reading a file. */
static void on_bus(int number, siginfo_t *info, void *context)
{
	static char line[4500];
	const char *path = mapped_file((uintptr_t)info->si_addr, line, sizeof(line));

	(void)context;
	if (path) {
		shrunk_tell(path);
		leave_now(VERDICT_ERROR);
	}
	signal(number, SIG_DFL); /* a fault of gatectl's own: it recurs, with the default action */
}

void shrunk_watch(void)
{
	const struct sigaction action = {.sa_sigaction = on_bus, .sa_flags = SA_SIGINFO};

	sigaction(SIGBUS, &action, NULL);
}
