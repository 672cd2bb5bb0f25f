// libuv issue 2226: the callback of an async handle frees it while uv_async_send() still uses it. Needs libuv: the
// parent of 37042a5b has the bug, 37042a5b the repair.
#include <stdlib.h>
#include <uv.h>

static void free_handle(uv_handle_t *handle)
{
	free(handle);
}

static void done(uv_async_t *async)
{
	uv_close((uv_handle_t *)async, free_handle);
}

static void work(void *async)
{
	uv_async_send(async);
}

int main(void)
{
	uv_loop_t loop;
	uv_thread_t threads[2];

	uv_loop_init(&loop);
	for (int i = 0; i < 2; i++) {
		uv_async_t *async = malloc(sizeof(*async));

		uv_async_init(&loop, async, done);
		uv_thread_create(&threads[i], work, async);
	}
	uv_run(&loop, UV_RUN_DEFAULT);
	for (int i = 0; i < 2; i++)
		uv_thread_join(&threads[i]);
	return uv_loop_close(&loop);
}
