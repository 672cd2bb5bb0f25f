/* Two trees may be of two forests: the lock of one does not do for the other. What is made for each tree alone is not its branch's. */
#include <pthread.h>
#include <stdlib.h>

struct forest {
	pthread_mutex_t lock;
	int leaves, trees;
	struct tree *last;
};

struct rings {
	pthread_mutex_t lock;
	int count;
};

struct tree {
	struct forest *forest;
	struct rings *rings;
	struct tree *branches[4];
};

static void tree_count(struct tree *tree)
{
	tree->forest->leaves++; /* finding: P3 leaves */
}

static void tree_plant(struct tree *tree)
{
	tree->forest->trees++; /* finding: P3 trees */
}

void tree_graft(struct tree *tree, struct tree *from)
{
	pthread_mutex_lock(&tree->forest->lock);
	tree_count(tree);
	tree_count(from->branches[0]);
	pthread_mutex_unlock(&tree->forest->lock);
}

struct tree *tree_new(struct forest *forest, struct forest *nursery)
{
	struct tree *tree = calloc(1, sizeof(*tree));

	if (!tree)
		return NULL;
	tree->forest = forest;
	tree->rings = calloc(1, sizeof(*tree->rings));
	pthread_mutex_lock(&nursery->lock);
	nursery->last = tree;
	tree_plant(tree);
	pthread_mutex_unlock(&nursery->lock);
	return tree;
}

int forest_size(struct forest *forest)
{
	pthread_mutex_lock(&forest->lock);
	int size = forest->leaves + forest->trees;
	pthread_mutex_unlock(&forest->lock);
	return size;
}

void forest_clear(struct forest *forest)
{
	pthread_mutex_lock(&forest->lock);
	forest->leaves = forest->trees = 0;
	pthread_mutex_unlock(&forest->lock);
}

void tree_grow(struct tree *tree)
{
	pthread_mutex_lock(&tree->rings->lock);
	tree->rings->count++;
	tree->branches[0]->rings->count++; /* finding: P3 count */
	pthread_mutex_unlock(&tree->rings->lock);
}

int tree_age(struct tree *tree)
{
	pthread_mutex_lock(&tree->rings->lock);
	int age = tree->rings->count;
	pthread_mutex_unlock(&tree->rings->lock);
	return age;
}
