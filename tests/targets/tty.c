/* On a terminal: it is ours, its size and modes are as they were, and reading from it works. */
// pty: yes
// stdin: typed\n
// arrivals: 1
#include <stdio.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

int main(void)
{
	struct termios t;
	struct winsize w;
	char line[64];
	tcgetattr(0, &t);
	ioctl(1, TIOCGWINSZ, &w);
	printf("tty %d %d %d size %d %d\n", isatty(0), isatty(1), isatty(2), w.ws_row, w.ws_col);
	printf("modes %x %x %x\n", t.c_iflag, t.c_oflag, t.c_lflag);
	printf("foreground %d\n", tcgetpgrp(0) == getpgrp()); /* gate: here */
	fflush(stdout);
	if (fgets(line, sizeof line, stdin))
		printf("line %s", line);
	return 0;
}
