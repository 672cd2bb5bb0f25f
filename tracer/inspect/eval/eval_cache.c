/*
 * Cache of trees by text and function: a condition may be evaluated hundreds of thousands of
 * times. The function is part of the key because the names of types depend on it.
 */
#include "tracer/base/hash.h"
#include "tracer/inspect/eval/eval.h"

#include <string.h>

enum { CACHE_SLOTS = 256, CACHE_MOST = 512 };

struct cached {
	struct cached *next;
	struct eval_tree *tree;
	const struct module *module;
	const char *function; /* the module owns it */
};

struct eval_cache {
	struct cached *slots[CACHE_SLOTS];
	size_t count;
};

static size_t eval_cache_slot_of(const char *text)
{
	return hash_slot(hash_text(HASH_START, text)) % CACHE_SLOTS;
}

static void clear(struct eval_cache *c)
{
	for (size_t i = 0; i < CACHE_SLOTS; i++) {
		while (c->slots[i]) {
			struct cached *old = c->slots[i];

			c->slots[i] = old->next;
			eval_tree_free(old->tree);
			base_free(old);
		}
	}
	c->count = 0;
}

static void eval_cache_free(void *data)
{
	clear(data);
	base_free(data);
}

/* True if the x of "(x) - 1" is a type. A variable in scope hides a type of the same name. */
static bool is_type(void *ctx, const char *name)
{
	const struct eval_scope *s = ctx;
	struct inspect_value *v = base_alloc(1, sizeof(*v));
	ERROR(ignored);
	bool variable = inspect_variable(s->call, name, v, &ignored) == 0 ||
			inspect_variable_known(s->call, name);

	base_free(v);
	return !variable && eval_type_exists(s, name);
}

static struct eval_tree *eval_cache_parse(const struct eval_scope *s, const char *text)
{
	struct eval_scope copy = *s;
	struct eval_parsing how = {.is_type = is_type, .ctx = &copy};

	return eval_parse(text, &how, s->err);
}

/* Returns the owner of the cache, found through any module; NULL: no module is loaded. */
static struct modules *symbols_of(const struct eval_scope *s)
{
	struct module *m = s->call->frame.module;
	uint64_t bias;

	if (!m)
		m = dwarf_module(s->program, 0, &bias);
	return m ? m->owner : NULL;
}

/* Returns the cached tree, or parses the text. NULL with *err set. `*own`: there is no cache,
   and the caller frees the tree. */
static struct eval_tree *eval_cache_tree(const struct eval_scope *s, const char *text, bool *own)
{
	struct modules *symbols = symbols_of(s);
	size_t slot = eval_cache_slot_of(text);
	struct eval_tree *tree;
	struct cached *new;

	*own = !symbols;
	if (!symbols)
		return eval_cache_parse(s, text);
	if (!symbols->evals)
		symbols->evals =
			cleanup_alloc(&symbols->cleanups, sizeof(*symbols->evals), eval_cache_free);
	for (struct cached *c = symbols->evals->slots[slot]; c; c = c->next) {
		if (c->function == s->call->function && c->module == s->call->frame.module &&
		    strcmp(c->tree->text, text) == 0)
			return c->tree;
	}
	tree = eval_cache_parse(s, text);
	if (!tree)
		return NULL;
	if (symbols->evals->count++ >= CACHE_MOST)
		clear(symbols->evals);
	new = base_alloc(1, sizeof(*new));
	*new = (struct cached){symbols->evals->slots[slot], tree, s->call->frame.module,
			       s->call->function};
	symbols->evals->slots[slot] = new;
	return tree;
}

int eval_with_tree(const struct inspect_call *call, const char *text,
		   int (*use)(const struct eval_scope *s, struct eval_node *root, void *ctx),
		   void *ctx, struct error *err)
{
	struct eval_scope s = {call, call->frame.program, text, err};
	struct eval_tree *tree;
	bool own;
	int answer;

	tree = eval_cache_tree(&s, text, &own);
	if (!tree)
		return -1;
	s.text = tree->text; /* the tree's positions point into its own copy */
	answer = use(&s, tree->root, ctx);
	if (own)
		eval_tree_free(tree);
	return answer;
}
