/* Constructors before main and destructors after it, with priorities. */
// arrivals: 5
#include <stdio.h>

static volatile int order;

static void say(const char *what)
{
	order++; /* gate: here */
	printf("%d %s\n", order, what);
}

__attribute__((constructor(101))) static void early(void)
{
	say("constructor 101");
}

__attribute__((constructor(202))) static void later(void)
{
	say("constructor 202");
}

__attribute__((destructor(202))) static void first_down(void)
{
	say("destructor 202");
}

__attribute__((destructor(101))) static void last_down(void)
{
	say("destructor 101");
}

int main(void)
{
	say("main");
	return 0;
}
