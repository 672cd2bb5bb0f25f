/* Looks at the flag in each turn of its loop, by the inline function of the header. */
#include "inline_in_header.h"

long sum_until_cancelled(struct cancel *cancel, const int *numbers, int size)
{
	long sum = 0;
	for (int i = 0; i < size && !cancel_asked(cancel); i++)
		sum += numbers[i];
	return sum;
}
