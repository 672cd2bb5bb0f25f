/* atexit handlers run in reverse order, the trapped one among them, and output is flushed last. */
// arrivals: 3
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static volatile int n;

static void handler(void)
{
	n++; /* gate: here */
	printf("handler %d\n", n);
}

static void last(void)
{
	printf("registered first, runs last\n");
}

int main(void)
{
	atexit(last);
	for (int i = 0; i < 3; i++)
		atexit(handler);
	printf("main\n");
	return 7;
}
