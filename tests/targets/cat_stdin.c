/* Standard input goes to standard output byte by byte; the tracer must not take a byte of it. */
// stdin: first line\nsecond\twith a tab\n\nno newline at the end
#include <stdio.h>

static volatile long bytes;

int main(void)
{
	int c;
	while ((c = getchar()) != EOF) {
		bytes++; /* gate: here */
		putchar(c);
	}
	fprintf(stderr, "bytes %ld\n", bytes);
	return 0;
}
