/* A score board with a guard that unlocks at the end of its block: the total is changed after that block. */
#include <pthread.h>
#include <stdlib.h>

#define GUARD(lock) pthread_mutex_t *guard __attribute__((cleanup(unguard), unused)) = guarded(lock)

struct board {
	pthread_mutex_t lock;
	int best;
	int total;
};

static pthread_mutex_t *guarded(pthread_mutex_t *lock)
{
	pthread_mutex_lock(lock);
	return lock;
}

static void unguard(pthread_mutex_t **lock)
{
	pthread_mutex_unlock(*lock);
}

struct board *board_new(void)
{
	struct board *board = calloc(1, sizeof(*board));
	if (!board)
		return NULL;
	pthread_mutex_init(&board->lock, NULL);
	return board;
}

void board_score(struct board *board, int score)
{
	{
		GUARD(&board->lock);
		if (score > board->best)
			board->best = score;
	}
	board->total += score; /* finding: P3 total */
}

void board_penalty(struct board *board, int points)
{
	GUARD(&board->lock);
	board->total -= points;
}

int board_total(struct board *board)
{
	GUARD(&board->lock);
	return board->total;
}

#ifdef DRIVER
static void *player(void *board)
{
	board_score(board, 5);
	board_penalty(board, 1);
	board_score(board, 5);
	return NULL;
}

int main(void)
{
	struct board *board = board_new();
	pthread_t one, two;
	pthread_create(&one, NULL, player, board);
	pthread_create(&two, NULL, player, board);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	return board_total(board) != 18;
}
#endif
