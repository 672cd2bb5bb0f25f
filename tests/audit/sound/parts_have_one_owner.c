/* All parts of a tree are of one forest, whose lock is taken by way of the first of them. What a new part does is done to the
   forest that it was put in. */
#include <pthread.h>
#include <stdlib.h>

struct forest {
	pthread_mutex_t lock;
	int leaves, trees;
	struct tree *last;
};

struct tree {
	struct forest *forest;
	struct tree *branches[4];
};

static void tree_count(struct tree *tree)
{
	tree->forest->leaves++;
}

static void tree_plant(struct tree *tree)
{
	tree->forest->trees++;
}

void tree_count_all(struct tree *tree)
{
	pthread_mutex_lock(&tree->forest->lock);
	tree_count(tree);
	for (int i = 0; i < 4; i++)
		tree_count(tree->branches[i]);
	pthread_mutex_unlock(&tree->forest->lock);
}

struct tree *tree_new(struct forest *forest)
{
	struct tree *tree = calloc(1, sizeof(*tree));

	if (!tree)
		return NULL;
	tree->forest = forest;
	pthread_mutex_lock(&forest->lock);
	forest->last = tree;
	tree_plant(tree);
	pthread_mutex_unlock(&forest->lock);
	return tree;
}

int forest_size(struct forest *forest)
{
	pthread_mutex_lock(&forest->lock);
	int size = forest->leaves + forest->trees;
	pthread_mutex_unlock(&forest->lock);
	return size;
}
