/* Complete reads and writes. */
#include "tracer/base/files/io.h"

#include <errno.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

static int wait_for_room(int fd)
{
	struct pollfd out = {.fd = fd, .events = POLLOUT};

	return poll(&out, 1, -1) < 0 && errno != EINTR ? -1 : 0;
}

int io_write(int fd, const char *bytes, size_t length)
{
	while (length) {
		ssize_t n = write(fd, bytes, length);

		if (n < 0 && (errno == EINTR || (errno == EAGAIN && wait_for_room(fd) == 0)))
			continue;
		if (n < 0)
			return -1;
		bytes += n;
		length -= (size_t)n;
	}
	return 0;
}

int io_read(int fd, struct str *out)
{
	char bytes[65536];
	ssize_t n;

	while ((n = read(fd, bytes, sizeof(bytes))) > 0 || (n < 0 && errno == EINTR))
		str_add_bytes(out, bytes, n > 0 ? (size_t)n : 0);
	return n < 0 ? -1 : 0;
}

void io_read_at(int fd, struct str *out)
{
	char bytes[4096];
	off_t at = 0;
	ssize_t n;

	while ((n = pread(fd, bytes, sizeof(bytes), at)) > 0) {
		str_add_bytes(out, bytes, (size_t)n);
		at += n;
	}
}

off_t io_offset(int fd)
{
	struct stat is;

	return fstat(fd, &is) == 0 && S_ISREG(is.st_mode) ? lseek(fd, 0, SEEK_CUR) : -1;
}
