/* Static objects are built before main and torn down after it; a local static is guarded. */
// lang: c++
// arrivals: 3
#include <cstdio>

struct loud {
	const char *name;
	explicit loud(const char *n) : name(n)
	{
		printf("built %s\n", name); /* gate: here */
	}
	~loud()
	{
		printf("gone %s\n", name);
	}
};

static loud first("first"), second("second");

int main()
{
	for (int i = 0; i < 2; i++)
		static loud local("local");
	printf("main\n");
	return 0;
}
