/* The same object is loaded and unloaded twenty times, maybe at the same address, maybe not. */
// so: libplug
// libs: -ldl
// arrivals: 20
#include <dlfcn.h>
#include <stdio.h>

int main(void)
{
	int sum = 0;
	for (int i = 0; i < 20; i++) {
		void *h = dlopen("libplug.so", RTLD_NOW);
		if (!h) {
			fprintf(stderr, "%s\n", dlerror());
			return 1;
		}
		int (*add)(int, int);
		*(void **)&add = dlsym(h, "plug_add");
		sum = add(sum, i); /* gate: here */
		dlclose(h);
	}
	printf("sum %d\n", sum);
	return 0;
}
