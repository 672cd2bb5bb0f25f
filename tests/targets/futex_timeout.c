/* A futex wait with a time limit, and one whose word has changed already. */
// arrivals: 4
#include <errno.h>
#include <linux/futex.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int main(void)
{
	uint32_t word = 1;
	int timeouts = 0, agains = 0;
	for (int i = 0; i < 4; i++) {
		struct timespec t = {0, 30000000};
		long r = syscall(SYS_futex, &word, FUTEX_WAIT, i % 2, &t, NULL, 0); /* gate: here */
		timeouts += r == -1 && errno == ETIMEDOUT;
		agains += r == -1 && errno == EAGAIN;
	}
	printf("timeouts %d agains %d\n", timeouts, agains);
	return 0;
}
