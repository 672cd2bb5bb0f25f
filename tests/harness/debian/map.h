/* Operations of a map under o->lock. The file that includes this defines struct subject, and get() and set() of a value by its key;
 * 0 means that there is none. The planted fault: the lock is released between the look and the change. */
int object_put(struct subject *o, unsigned key, int value)
{
	int old;

	pthread_mutex_lock(&o->lock);
	old = get(o, key);
	set(o, key, value + 1);
	pthread_mutex_unlock(&o->lock);
	return old;
}

int object_get(struct subject *o, unsigned key)
{
	int value;

	pthread_mutex_lock(&o->lock);
	value = get(o, key);
	pthread_mutex_unlock(&o->lock);
	return value;
}

int object_remove(struct subject *o, unsigned key)
{
	int old;

	pthread_mutex_lock(&o->lock);
	old = get(o, key);
	if (old)
		set(o, key, 0);
	pthread_mutex_unlock(&o->lock);
	return old;
}

int object_put_absent(struct subject *o, unsigned key, int value)
{
	int old;

	pthread_mutex_lock(&o->lock);
	old = get(o, key);
#ifdef PLANTED
	pthread_mutex_unlock(&o->lock);
	pthread_mutex_lock(&o->lock);
#endif
	if (!old)
		set(o, key, value + 1);
	pthread_mutex_unlock(&o->lock);
	return old;
}
