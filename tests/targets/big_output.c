/* Five megabytes through standard output while traps are hit in between. */
// arrivals: 1280
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
	char block[4096];
	for (int i = 0; i < 1280; i++) {
		memset(block, 'a' + i % 26, sizeof block);
		block[sizeof block - 1] = '\n';
		for (size_t done = 0; done < sizeof block;) {
			ssize_t n = write(1, block + done, sizeof block - done);
			if (n <= 0)
				return 1;
			done += (size_t)n;
		}
		fflush(stdout); /* gate: here */
	}
	return 0;
}
