/* A printer tray under a C11 lock: when it runs out of paper, the branch that refills it locks once more. */
#include <stdlib.h>
#include <threads.h>

struct tray {
	mtx_t lock;
	int sheets;
	int refills;
};

struct tray *tray_new(void)
{
	struct tray *tray = calloc(1, sizeof(*tray));
	if (!tray)
		return NULL;
	if (mtx_init(&tray->lock, mtx_plain) != thrd_success) {
		free(tray);
		return NULL;
	}
	return tray;
}

void tray_pull(struct tray *tray)
{
	mtx_lock(&tray->lock);
	if (tray->sheets == 0) {
		mtx_lock(&tray->lock); /* finding: double-lock lock */
		tray->sheets = 500;
		tray->refills++;
	}
	tray->sheets--;
	mtx_unlock(&tray->lock);
}

int tray_refills(struct tray *tray)
{
	mtx_lock(&tray->lock);
	int refills = tray->refills;
	mtx_unlock(&tray->lock);
	return refills;
}
