/* A library that sleeps in slices, as it looks at its clock between them. */
#include <time.h>
#include <unistd.h>

void library_sleep(unsigned ms);

static unsigned long now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (unsigned long)t.tv_sec * 1000000 + (unsigned long)t.tv_nsec / 1000;
}

void library_sleep(unsigned ms)
{
	unsigned long end = now_us() + ms * 1000ul, now;

	while ((now = now_us()) < end)
		usleep(end - now < 50000 ? (useconds_t)(end - now) : 50000);
}
