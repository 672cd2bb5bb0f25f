/* As dlopen_loop, but the trap is in the object that comes and goes. */
// so: libplug
// libs: -ldl
// trap: libplug.so!//plugged
// arrivals: 20
#include <dlfcn.h>
#include <stdio.h>

int main(void)
{
	int sum = 0;
	for (int i = 0; i < 20; i++) {
		void *h = dlopen("libplug.so", i % 2 ? RTLD_LAZY : RTLD_NOW);
		if (!h) {
			fprintf(stderr, "%s\n", dlerror());
			return 1;
		}
		int (*add)(int, int);
		*(void **)&add = dlsym(h, "plug_add");
		sum = add(sum, i);
		dlclose(h);
	}
	printf("sum %d\n", sum);
	return 0;
}
