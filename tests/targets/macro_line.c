/* The trapped line is a macro with several statements, one execution is still one arrival. */
// arrivals: 100
#include <stdio.h>

#define BUMP(a, b)                                                                                 \
	do {                                                                                       \
		(a)++;                                                                             \
		(b) += (a);                                                                        \
		if ((a) % 2)                                                                       \
			(b)++;                                                                     \
	} while (0)

static volatile int x, y;

int main(void)
{
	for (int i = 0; i < 100; i++) {
		BUMP(x, y); /* gate: here */
	}
	printf("%d %d\n", x, y);
	return 0;
}
