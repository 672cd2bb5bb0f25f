/* One source line, three instances of a template: three places in the code. */
// lang: c++
// arrivals: 60
#include <cstdio>

template <typename T> __attribute__((noinline)) static T accumulate(volatile T *into, T by)
{
	*into = *into + by; /* gate: here */
	return *into;
}

int main()
{
	volatile int a = 0;
	volatile long b = 0;
	volatile double c = 0;
	for (int i = 0; i < 20; i++) {
		accumulate<int>(&a, i);
		accumulate<long>(&b, i);
		accumulate<double>(&c, i);
	}
	printf("%d %ld %.1f\n", a, b, c);
	return 0;
}
