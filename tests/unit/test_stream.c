/*
 * A stream of each kind: its properties in the program, and recording and passing on of its output.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tracer/base/files/io.h"
#include "tracer/base/files/stream.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

static void holds(int fd, const char *text)
{
	struct str is = {0};

	io_read_at(fd, &is);
	assert_string_equal(str_text(&is), text);
	str_fini(&is);
}

static void writes(const struct stream *s, const char *text)
{
	int fd = stream_give(s);

	assert_true(fd > 2);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static void test_kinds(void **state)
{
	const enum stream_kind kinds[] = {STREAM_FILE, STREAM_PIPE, STREAM_TERMINAL};
	int shown = memfd_create("shown", MFD_CLOEXEC);
	struct stream s;
	ERROR(err);

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		int fd;

		assert_int_equal(stream_open(&s, kinds[i], "stdout", shown, &err), 0);
		fd = stream_give(&s);
		assert_int_equal(fcntl(fd, F_SETFD, 0),
				 0); /* FD_CLOEXEC set: the program sees the stream as closed */
		assert_int_equal(stream_kind_of(fd), kinds[i]);
		close(fd);
		assert_int_equal(ftruncate(shown, 0), 0);
		lseek(shown, 0, SEEK_SET);
		writes(&s, "one\n");
		assert_int_equal(stream_drain(&s), kinds[i] != STREAM_FILE);
		writes(&s, "two\n");
		stream_drain(&s);
		assert_false(stream_drain(&s));
		holds(s.kept, "one\ntwo\n");
		holds(shown, "one\ntwo\n");
		writes(&s, "of the run before");
		stream_begin(&s);
		writes(&s, "three\n");
		stream_drain(&s);
		holds(s.kept, "three\n");
		holds(shown, "one\ntwo\nthree\n");
		stream_close(&s);
	}
	close(shown);
}

/* Terminal modes set by a program are reset for the next run. */
static void test_modes(void **state)
{
	struct stream s;
	struct termios modes;
	struct winsize size;
	ERROR(err);

	(void)state;
	assert_int_equal(stream_open(&s, STREAM_TERMINAL, "stdout", -1, &err), 0);
	assert_int_equal(tcgetattr(s.program, &modes), 0);
	modes.c_oflag |= OPOST | ONLCR;
	assert_int_equal(tcsetattr(s.program, TCSANOW, &modes), 0);
	fcntl(s.program, F_SETFL, O_NONBLOCK);
	size = (struct winsize){.ws_row = 5, .ws_col = 7};
	assert_int_equal(ioctl(s.program, TIOCSWINSZ, &size), 0);
	stream_begin(&s);
	writes(&s, "a\n");
	stream_drain(&s);
	holds(s.kept, "a\n");
	assert_int_equal(ioctl(s.program, TIOCGWINSZ, &size), 0);
	assert_true(size.ws_row == 24 && size.ws_col == 80);
	assert_false(fcntl(s.program, F_GETFL) & O_NONBLOCK);
	stream_close(&s);
}

static void test_closed(void **state)
{
	struct stream s, none = {0};
	ERROR(err);

	(void)state;
	assert_int_equal(stream_open(&s, STREAM_CLOSED, "stdout", -1, &err), 0);
	assert_int_equal(stream_give(&s), -1);
	assert_false(stream_drain(&s));
	stream_close(&s);
	assert_int_equal(stream_give(&none), -1);
	stream_begin(&none);
	assert_false(stream_drain(&none));
	stream_close(&none);
}

static void test_names(void **state)
{
	(void)state;
	for (int i = STREAM_FILE; i <= STREAM_CLOSED; i++)
		assert_int_equal(stream_kind_named(stream_kind_name((enum stream_kind)i)), i);
	assert_int_equal(stream_kind_named("socket"), STREAM_INHERITED);
	assert_null(stream_kind_name(STREAM_INHERITED));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_modes),
		cmocka_unit_test(test_closed),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
