/* A function returns its result in a static buffer.
 * The other thread calls it before the first has read its result. The twin has a buffer for each thread. */
#include "bug.h"

#if FIXED
static _Thread_local volatile char text[2];
#else
static volatile char text[2];
#endif
static const char names[2] = {'a', 'b'};

static volatile char *to_text(char name)
{
	text[0] = name;
	return text;
}

static void *print_name(void *name)
{
	char mine = *(const char *)name;
	volatile char *result = to_text(mine);

	check(result[0] == mine, "somebody else's name");
	return NULL;
}

int main(void)
{
	start(print_name, (void *)&names[0]);
	start(print_name, (void *)&names[1]);
	join_all();
	return 0;
}
