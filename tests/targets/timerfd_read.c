/* Blocked in read of a timerfd: only the clock wakes it, not a deadlock. */
// arrivals: 3
#include <stdint.h>
#include <stdio.h>
#include <sys/timerfd.h>
#include <unistd.h>

int main(void)
{
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC), good = 0;
	for (int i = 0; i < 3; i++) {
		struct itimerspec once = {{0, 0}, {0, 30000000}};
		uint64_t n = 0;
		timerfd_settime(fd, 0, &once, NULL);
		good += read(fd, &n, 8) == 8 && n == 1; /* gate: here */
	}
	printf("good %d\n", good);
	return 0;
}
