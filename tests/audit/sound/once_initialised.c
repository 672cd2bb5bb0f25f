/* A table of squares that pthread_once() fills: whoever reads it has been through the once before. */
#include <pthread.h>

#define SQUARES 64

/* @thread_safe */
struct squares {
	int of[SQUARES];
	int size;
};

static struct squares squares;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void fill(void)
{
	for (int i = 0; i < SQUARES; i++)
		squares.of[i] = i * i;
	squares.size = SQUARES;
}

int square_of(int number)
{
	pthread_once(&once, fill);
	return number >= 0 && number < squares.size ? squares.of[number] : -1;
}

int squares_size(void)
{
	pthread_once(&once, fill);
	return squares.size;
}
