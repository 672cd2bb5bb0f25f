// htslib pull request 746: a pool of threads locks up after a queue is detached. Needs thread_pool.c of htslib: the
// parent of 2be9e0b9 has the bug, 2be9e0b9 the repair. One round of what thrash_threads7.c does, which is from the report.
#include <htslib/thread_pool.h>
#include <stdlib.h>

static void *job(void *value)
{
	return value;
}

int main(void)
{
	hts_tpool *pool = hts_tpool_init(2);
	hts_tpool_process *one = hts_tpool_process_init(pool, 4, 1);
	hts_tpool_process *two = hts_tpool_process_init(pool, 4, 1);

	for (int i = 0; i < 2; i++)
		hts_tpool_dispatch(pool, one, job, NULL);
	hts_tpool_process_flush(one);
	hts_tpool_process_destroy(one);
	hts_tpool_dispatch(pool, two, job, NULL);
	hts_tpool_process_flush(two);
	hts_tpool_process_destroy(two);
	hts_tpool_destroy(pool);
	return 0;
}
