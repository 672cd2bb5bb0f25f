/* An alarm whose fields nobody sets when it is made: calloc() did, and zero is what they start with. */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct alarm {
	pthread_mutex_t lock;
	bool silent;
	int rung;
};

struct alarm *alarm_new(void)
{
	struct alarm *alarm = calloc(1, sizeof(*alarm));
	if (!alarm)
		return NULL;
	pthread_mutex_init(&alarm->lock, NULL);
	return alarm;
}

int alarm_ring(struct alarm *alarm)
{
	pthread_mutex_lock(&alarm->lock);
	if (!alarm->silent)
		alarm->rung++;
	int rung = alarm->rung;
	pthread_mutex_unlock(&alarm->lock);
	return rung;
}

void alarm_silence(struct alarm *alarm)
{
	pthread_mutex_lock(&alarm->lock);
	alarm->silent = true;
	pthread_mutex_unlock(&alarm->lock);
}
