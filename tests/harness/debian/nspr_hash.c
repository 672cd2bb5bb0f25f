/* NSPR: a hash table under a monitor. */
#include <plhash.h>
#include <prmon.h>
#include <stdlib.h>

struct subject {
	PRMonitor *monitor;
	PLHashTable *table;
};

static PLHashNumber hash(const void *key)
{
	return (PLHashNumber)(long)key;
}

struct subject *object_new(void)
{
	struct subject *o = calloc(1, sizeof(*o));

	o->monitor = PR_NewMonitor();
	o->table = PL_NewHashTable(8, hash, PL_CompareValues, PL_CompareValues, NULL, NULL);
	return o;
}

static int get(struct subject *o, unsigned key)
{
	return (int)(long)PL_HashTableLookup(o->table, (void *)(long)key);
}

static void set(struct subject *o, unsigned key, int value)
{
	if (value)
		PL_HashTableAdd(o->table, (void *)(long)key, (void *)(long)value);
	else
		PL_HashTableRemove(o->table, (void *)(long)key);
}

int object_put(struct subject *o, unsigned key, int value)
{
	int old;

	PR_EnterMonitor(o->monitor);
	old = get(o, key);
	set(o, key, value + 1);
	PR_ExitMonitor(o->monitor);
	return old;
}

int object_get(struct subject *o, unsigned key)
{
	int value;

	PR_EnterMonitor(o->monitor);
	value = get(o, key);
	PR_ExitMonitor(o->monitor);
	return value;
}

int object_remove(struct subject *o, unsigned key)
{
	int old;

	PR_EnterMonitor(o->monitor);
	old = get(o, key);
	if (old)
		set(o, key, 0);
	PR_ExitMonitor(o->monitor);
	return old;
}

int object_put_absent(struct subject *o, unsigned key, int value)
{
	int old;

	PR_EnterMonitor(o->monitor);
	old = get(o, key);
#ifdef PLANTED
	PR_ExitMonitor(o->monitor);
	PR_EnterMonitor(o->monitor);
#endif
	if (!old)
		set(o, key, value + 1);
	PR_ExitMonitor(o->monitor);
	return old;
}
