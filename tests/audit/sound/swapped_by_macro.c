/* The width of an image is read by a macro within a macro, behind an assignment: it is not what is assigned to. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#define SWAP(s) ((((s) & 0xff) << 8) | (((s) >> 8) & 0xff))
#define TO_NET(s) (swaps ? SWAP(s) : (s))

struct image {
	pthread_mutex_t lock;
	int width, shown;
};

struct header {
	uint16_t width;
};

static char swaps = 1;

struct image *image_new(int width)
{
	struct image *image = calloc(1, sizeof(*image));

	if (!image)
		return NULL;
	pthread_mutex_init(&image->lock, NULL);
	image->width = width;
	return image;
}

int image_show(struct image *image)
{
	pthread_mutex_lock(&image->lock);
	int width = image->width;
	image->shown++;
	pthread_mutex_unlock(&image->lock);
	return width;
}

int image_half(struct image *image)
{
	pthread_mutex_lock(&image->lock);
	int half = image->width / 2;
	pthread_mutex_unlock(&image->lock);
	return half;
}

int image_double(struct image *image)
{
	pthread_mutex_lock(&image->lock);
	int twice = image->width * 2;
	pthread_mutex_unlock(&image->lock);
	return twice;
}

void image_describe(struct image *image, struct header *header)
{
	header->width = TO_NET(image->width);
}
