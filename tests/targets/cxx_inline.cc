/* A line that is inlined into several callers when optimised: every copy counts. */
// lang: c++
// arrivals: 90
// inexact: clang-O2 (it melts copies into one another)
#include <cstdio>

static volatile int total;

static inline void bump(int by)
{
	total = total + by; /* gate: here */
}

static void one(int n)
{
	bump(n);
}

int main()
{
	for (int i = 0; i < 30; i++) {
		bump(1);
		one(i);
		if (i % 2)
			bump(2);
		else
			bump(3);
	}
	printf("total %d\n", total);
	return 0;
}
