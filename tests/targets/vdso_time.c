/* Clock calls through the vDSO keep running forwards between trapped lines. */
// arrivals: 200
#include <stdio.h>
#include <sys/time.h>
#include <time.h>

int main(void)
{
	struct timespec last = {0, 0}, now;
	int backwards = 0;
	for (int i = 0; i < 200; i++) {
		clock_gettime(CLOCK_MONOTONIC, &now); /* gate: here */
		backwards += now.tv_sec < last.tv_sec ||
			     (now.tv_sec == last.tv_sec && now.tv_nsec < last.tv_nsec);
		last = now;
	}
	printf("backwards %d\n", backwards);
	return 0;
}
