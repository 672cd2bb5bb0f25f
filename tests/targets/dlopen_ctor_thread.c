/* A constructor that makes a thread during dlopen: the first line it runs is trapped already. */
// so: libctor
// libs: -ldl
// trap: libctor.so!//born
// arrivals: 1
#include <dlfcn.h>
#include <stdio.h>

int main(void)
{
	void *h = dlopen("libctor.so", RTLD_NOW);
	if (!h) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	int (*value)(void);
	*(void **)&value = dlsym(h, "ctor_value");
	printf("value %d\n", value());
	return 0;
}
