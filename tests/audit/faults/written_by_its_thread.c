/* One thread, made anew after each stop, writes what others read under the lock: once without. */
#include <pthread.h>

static pthread_mutex_t song_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t player_thread, loader_thread;
static int song = -1, buffered;

static void *load(void *unused)
{
	(void)unused;
	buffered = 1;
	return NULL;
}

static void *play(void *unused)
{
	(void)unused;
	if (song < 0)
		return NULL;
	pthread_create(&loader_thread, NULL, load, NULL);
	pthread_join(loader_thread, NULL);
	song = -1; /* finding: P3 song */
	pthread_mutex_lock(&song_lock);
	song++;
	pthread_mutex_unlock(&song_lock);
	return NULL;
}

int player_song(void)
{
	int now;

	pthread_mutex_lock(&song_lock);
	now = song;
	pthread_mutex_unlock(&song_lock);
	return now;
}

int player_is_first(void)
{
	int is;

	pthread_mutex_lock(&song_lock);
	is = song == 0;
	pthread_mutex_unlock(&song_lock);
	return is;
}

void player_restart(void)
{
	pthread_join(player_thread, NULL);
	pthread_create(&player_thread, NULL, play, NULL);
}
