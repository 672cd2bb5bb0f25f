/* A shared buffer: who drops the last reference, as the atomic subtraction tells one thread only, frees it. */
#include <stdatomic.h>
#include <stdlib.h>

struct buffer {
	atomic_int references;
	size_t size;
};

struct buffer *buffer_new(size_t size)
{
	struct buffer *buffer = malloc(sizeof(*buffer));
	if (!buffer)
		return NULL;
	atomic_init(&buffer->references, 1);
	buffer->size = size;
	return buffer;
}

struct buffer *buffer_hold(struct buffer *buffer)
{
	atomic_fetch_add_explicit(&buffer->references, 1, memory_order_relaxed);
	return buffer;
}

void buffer_drop(struct buffer *buffer)
{
	if (atomic_fetch_sub_explicit(&buffer->references, 1, memory_order_acq_rel) == 1)
		free(buffer);
}

size_t buffer_size(const struct buffer *buffer)
{
	return buffer->size;
}
