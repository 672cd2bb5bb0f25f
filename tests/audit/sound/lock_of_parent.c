/* Players have no lock of their own: each access holds that of the game, reached as player->game->lock. */
#include <pthread.h>
#include <stdlib.h>

struct game {
	pthread_mutex_t lock;
	int players;
};

/* @thread_safe */
struct player {
	struct game *game;
	int lives;
};

struct game *game_new(void)
{
	struct game *game = calloc(1, sizeof(*game));
	if (!game)
		return NULL;
	pthread_mutex_init(&game->lock, NULL);
	return game;
}

struct player *player_join(struct game *game, int lives)
{
	struct player *player = malloc(sizeof(*player));
	if (!player)
		return NULL;
	player->game = game;
	player->lives = lives;
	pthread_mutex_lock(&game->lock);
	game->players++;
	pthread_mutex_unlock(&game->lock);
	return player;
}

void player_hit(struct player *player)
{
	struct game *game = player->game;
	pthread_mutex_lock(&game->lock);
	if (--player->lives == 0)
		game->players--;
	pthread_mutex_unlock(&game->lock);
}

int player_lives(struct player *player)
{
	pthread_mutex_lock(&player->game->lock);
	int lives = player->lives;
	pthread_mutex_unlock(&player->game->lock);
	return lives;
}
