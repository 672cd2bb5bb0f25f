/* The trapped line is in a library that the program is linked with: it runs before main as well. */
// so: libctor
// link: libctor
// trap: libctor.so!//born
// arrivals: 1
#include <stdio.h>

int ctor_value(void);

int main(void)
{
	printf("value %d\n", ctor_value());
	return 0;
}
