/* A sign with a picture: who looks at it takes a reference under the lock, and gives it back; the last one frees the picture. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct picture {
	atomic_int references;
	int width;
};

struct sign {
	pthread_rwlock_t lock;
	struct picture *picture;
};

static void picture_put(struct picture *picture)
{
	if (picture && atomic_fetch_sub(&picture->references, 1) == 1)
		free(picture);
}

int sign_width(struct sign *sign)
{
	pthread_rwlock_rdlock(&sign->lock);
	struct picture *picture = sign->picture;
	if (picture)
		atomic_fetch_add(&picture->references, 1);
	pthread_rwlock_unlock(&sign->lock);
	int width = picture ? picture->width : 0;
	picture_put(picture);
	return width;
}

int sign_show(struct sign *sign, int width)
{
	struct picture *picture = malloc(sizeof(*picture));
	if (!picture)
		return -1;
	atomic_init(&picture->references, 1);
	picture->width = width;
	pthread_rwlock_wrlock(&sign->lock);
	struct picture *old = sign->picture;
	sign->picture = picture;
	pthread_rwlock_unlock(&sign->lock);
	picture_put(old);
	return 0;
}
