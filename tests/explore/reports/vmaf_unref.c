// Netflix/vmaf issue 972: the last two references of a picture are given back at once. Needs picture.c, ref.c and
// mem.c of libvmaf: the parent of 4c0e6311 has the bug, 4c0e6311 the repair.
#include "picture.h"
#include "ref.h"
#include <pthread.h>

static void *unref(void *picture)
{
	vmaf_picture_unref(picture);
	return NULL;
}

int main(void)
{
	VmafPicture pictures[2];
	pthread_t threads[2];

	vmaf_picture_alloc(&pictures[0], VMAF_PIX_FMT_YUV420P, 8, 16, 16);
	vmaf_picture_ref(&pictures[1], &pictures[0]);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, unref, &pictures[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
