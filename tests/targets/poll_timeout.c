/* poll that nothing will ever wake but its time limit: not a deadlock. */
// arrivals: 3
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	int fd[2], zero = 0;
	if (pipe(fd))
		return 1;
	struct pollfd p = {.fd = fd[0], .events = POLLIN};
	for (int i = 0; i < 3; i++)
		zero += poll(&p, 1, 30) == 0; /* gate: here */
	printf("timeouts %d\n", zero);
	return 0;
}
