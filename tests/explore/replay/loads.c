/* Libraries that come and go while threads run. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static int n;

static void *use(void *name)
{
	void *library = dlopen(name, RTLD_NOW);
	double (*cosine)(double) = 0;
	int seen = n;

	if (library)
		*(void **)&cosine = dlsym(library, "cos");
	printf("%s: %d\n", (const char *)name, cosine ? (int)cosine(0) : -1);
	n = seen + 1;
	if (library)
		dlclose(library);
	return 0;
}

int main(void)
{
	static const char *const names[] = {"libm.so.6", "libresolv.so.2", "libm.so.6"};
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], 0, use, (void *)names[i]);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	return 7 + n;
}
