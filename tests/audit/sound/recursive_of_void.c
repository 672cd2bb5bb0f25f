/* Wrappers of a recursive lock, whose parameter is any pointer. */
typedef struct _GRecMutex { void *p; unsigned i[2]; } GRecMutex;
void g_rec_mutex_lock(GRecMutex *mutex);
void g_rec_mutex_unlock(GRecMutex *mutex);

static GRecMutex main_lock;
static int depth;

void wrap_lock(void *mutex)
{
	g_rec_mutex_lock((GRecMutex *)mutex);
}

void wrap_unlock(void *mutex)
{
	g_rec_mutex_unlock((GRecMutex *)mutex);
}

static void enter(void)
{
	wrap_lock(&main_lock);
	depth++;
	wrap_unlock(&main_lock);
}

void run(void)
{
	wrap_lock(&main_lock);
	enter();
	wrap_unlock(&main_lock);
}
