/* A rate limiter: what is urgent takes its tokens before the lock is taken. */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct limiter {
	pthread_mutex_t lock;
	long tokens;
};

struct limiter *limiter_new(long tokens)
{
	struct limiter *limiter = malloc(sizeof(*limiter));
	if (!limiter)
		return NULL;
	pthread_mutex_init(&limiter->lock, NULL);
	limiter->tokens = tokens;
	return limiter;
}

bool limiter_take(struct limiter *limiter, bool urgent)
{
	bool granted = true;
	if (urgent) {
		limiter->tokens--; /* finding: P3 tokens */
	} else {
		pthread_mutex_lock(&limiter->lock);
		granted = limiter->tokens > 0;
		if (granted)
			limiter->tokens--;
		pthread_mutex_unlock(&limiter->lock);
	}
	return granted;
}

void limiter_refill(struct limiter *limiter, long tokens)
{
	pthread_mutex_lock(&limiter->lock);
	limiter->tokens += tokens;
	pthread_mutex_unlock(&limiter->lock);
}

long limiter_tokens(struct limiter *limiter)
{
	pthread_mutex_lock(&limiter->lock);
	long tokens = limiter->tokens;
	pthread_mutex_unlock(&limiter->lock);
	return tokens;
}

#ifdef DRIVER
static void *hurry(void *limiter)
{
	limiter_take(limiter, true);
	limiter_take(limiter, true);
	return NULL;
}

static void *refill(void *limiter)
{
	limiter_refill(limiter, 10);
	limiter_take(limiter, false);
	return NULL;
}

int main(void)
{
	struct limiter *limiter = limiter_new(100);
	pthread_t one, two;
	pthread_create(&one, NULL, hurry, limiter);
	pthread_create(&two, NULL, refill, limiter);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	return limiter_tokens(limiter) != 107;
}
#endif
