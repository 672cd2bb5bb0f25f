/* Order numbers: drawn by one atomic addition, and looked at by a load that nothing is stored after. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

struct numbers {
	atomic_long next;
	atomic_bool closed;
};

struct numbers *numbers_new(void)
{
	struct numbers *numbers = malloc(sizeof(*numbers));
	if (!numbers)
		return NULL;
	atomic_init(&numbers->next, 1);
	atomic_init(&numbers->closed, false);
	return numbers;
}

long numbers_draw(struct numbers *numbers)
{
	if (atomic_load(&numbers->closed))
		return -1;
	return atomic_fetch_add(&numbers->next, 1);
}

bool numbers_many(struct numbers *numbers)
{
	if (atomic_load(&numbers->next) > 1000)
		return true;
	return false;
}

void numbers_close(struct numbers *numbers)
{
	atomic_store(&numbers->closed, true);
}
