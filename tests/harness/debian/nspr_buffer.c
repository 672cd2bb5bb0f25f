/* NSPR: a buffer of one item, with a lock and condition variables. */
#include <prcvar.h>
#include <prlock.h>
#include <stdlib.h>

struct subject {
	PRLock *lock;
	PRCondVar *changed;
	int item; /* 0: empty */
};

struct subject *object_new(void)
{
	struct subject *o = calloc(1, sizeof(*o));

	o->lock = PR_NewLock();
	o->changed = PR_NewCondVar(o->lock);
	return o;
}

void object_put(struct subject *o, int item)
{
	PR_Lock(o->lock);
	while (o->item)
		PR_WaitCondVar(o->changed, PR_INTERVAL_NO_TIMEOUT);
#ifdef PLANTED
	PR_Unlock(o->lock);
	PR_Lock(o->lock);
#endif
	o->item = item + 1;
	PR_NotifyAllCondVar(o->changed);
	PR_Unlock(o->lock);
}

int object_take(struct subject *o)
{
	int item;

	PR_Lock(o->lock);
	while (!o->item)
		PR_WaitCondVar(o->changed, PR_INTERVAL_NO_TIMEOUT);
	item = o->item;
	o->item = 0;
	PR_NotifyAllCondVar(o->changed);
	PR_Unlock(o->lock);
	return item;
}

int object_try_take(struct subject *o)
{
	int item;

	PR_Lock(o->lock);
	item = o->item;
	o->item = 0;
	PR_NotifyAllCondVar(o->changed);
	PR_Unlock(o->lock);
	return item;
}
