/* A free list of frames under a spin lock, held for a few instructions each. */
#include <pthread.h>
#include <stdlib.h>

struct frames {
	pthread_spinlock_t lock;
	unsigned long free_bits;
};

struct frames *frames_new(void)
{
	struct frames *frames = malloc(sizeof(*frames));
	if (!frames)
		return NULL;
	pthread_spin_init(&frames->lock, PTHREAD_PROCESS_PRIVATE);
	frames->free_bits = ~0ul;
	return frames;
}

int frames_take(struct frames *frames)
{
	int frame = -1;
	pthread_spin_lock(&frames->lock);
	if (frames->free_bits) {
		frame = __builtin_ctzl(frames->free_bits);
		frames->free_bits &= ~(1ul << frame);
	}
	pthread_spin_unlock(&frames->lock);
	return frame;
}

void frames_give(struct frames *frames, int frame)
{
	pthread_spin_lock(&frames->lock);
	frames->free_bits |= 1ul << frame;
	pthread_spin_unlock(&frames->lock);
}
