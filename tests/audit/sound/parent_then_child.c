/* A bank and its branches: whoever needs both locks takes the bank's first. */
#include <pthread.h>
#include <stdlib.h>

struct bank {
	pthread_mutex_t bank_lock;
	long reserve;
};

struct branch {
	pthread_mutex_t branch_lock;
	struct bank *bank;
	long cash;
};

struct bank *bank_new(long reserve)
{
	struct bank *bank = calloc(1, sizeof(*bank));
	if (!bank)
		return NULL;
	pthread_mutex_init(&bank->bank_lock, NULL);
	bank->reserve = reserve;
	return bank;
}

struct branch *branch_new(struct bank *bank)
{
	struct branch *branch = calloc(1, sizeof(*branch));
	if (!branch)
		return NULL;
	pthread_mutex_init(&branch->branch_lock, NULL);
	branch->bank = bank;
	return branch;
}

void bank_supply(struct bank *bank, struct branch *branch, long cash)
{
	pthread_mutex_lock(&bank->bank_lock);
	pthread_mutex_lock(&branch->branch_lock);
	bank->reserve -= cash;
	branch->cash += cash;
	pthread_mutex_unlock(&branch->branch_lock);
	pthread_mutex_unlock(&bank->bank_lock);
}

void branch_return(struct branch *branch)
{
	pthread_mutex_lock(&branch->bank->bank_lock);
	pthread_mutex_lock(&branch->branch_lock);
	branch->bank->reserve += branch->cash;
	branch->cash = 0;
	pthread_mutex_unlock(&branch->branch_lock);
	pthread_mutex_unlock(&branch->bank->bank_lock);
}

void branch_pay(struct branch *branch, long cash)
{
	pthread_mutex_lock(&branch->branch_lock);
	branch->cash -= cash;
	pthread_mutex_unlock(&branch->branch_lock);
}
