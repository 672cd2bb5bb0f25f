/* A GRecMutex may be taken again by the thread that holds it. */
typedef struct _GRecMutex {
	void *p;
	unsigned i[2];
} GRecMutex;
void g_rec_mutex_lock(GRecMutex *m);
void g_rec_mutex_unlock(GRecMutex *m);

static GRecMutex state_lock;
static int level, lines;

void log_line(int of)
{
	g_rec_mutex_lock(&state_lock);
	if (of <= level)
		lines++;
	g_rec_mutex_unlock(&state_lock);
}

void log_level(int to)
{
	g_rec_mutex_lock(&state_lock);
	level = to;
	log_line(to);
	g_rec_mutex_unlock(&state_lock);
}
