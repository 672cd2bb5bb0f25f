/* Exceptions thrown through frames whose lines are trapped: the unwinder sees only its own bytes. */
// lang: c++
// arrivals: 100
#include <cstdio>
#include <stdexcept>

static volatile int cleaned;

struct guard {
	~guard()
	{
		cleaned = cleaned + 1;
	}
};

__attribute__((noinline)) static int risky(int n)
{
	guard g;
	if (n % 2)
		throw std::runtime_error("odd");
	return n;
}

__attribute__((noinline)) static int through(int n)
{
	guard g;
	return risky(n) + 1; /* gate: here */
}

int main()
{
	int caught = 0, sum = 0;
	for (int i = 0; i < 100; i++) {
		try {
			sum += through(i);
		} catch (const std::exception &e) {
			caught += e.what()[0] == 'o';
		}
	}
	printf("caught %d sum %d cleaned %d\n", caught, sum, cleaned);
	return 0;
}
