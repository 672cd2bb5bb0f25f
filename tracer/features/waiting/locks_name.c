/* Names the object for which a thread waits: by its variable, else by the expression in the
 * tester's call, if the debug information confirms that the expression means this object. README.md
 * says what happens to two objects of one name. */
#include "tracer/run/modules/images.h"
#include "tracer/features/waiting/waiting_internal.h"
#include "tracer/source/lines/source_lines.h"
#include "tracer/base/text/word.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { MOST_TEXT = 200, MOST_WORDS = 80, MOST_ASKED = 4000 };
enum { CALL_LINES = 8 }; /* lines that a call may extend above and below its line */

enum rank {
	RANK_NONE,
	RANK_POINTER, /* "m": other threads may have other names for it */
	RANK_MEMBER,  /* "Queue::m_": without the object */
	RANK_OBJECT,  /* "from->lock" */
	RANK_GLOBAL,  /* "bank.accounts[1].lock" */
};

static bool same_object(const struct waiter *a, const struct waiter *b)
{
	return a->object == b->object && run_process_of(a->thread) == run_process_of(b->thread);
}

/* ---- variables ------------------------------------------------------------------------------- */

/* Names the member at that offset: "bank.accounts[1].lock". Returns false if it is unknown. gcc
 * appends a number to a function's static variable: "q.1" is no name in the source. */
static bool name_member(struct waiter *w, uint64_t object, const char *symbol, size_t n,
			struct str *out)
{
	const char *dot = memchr(symbol, '.', n);
	char *variable = base_strndup(symbol, n);
	struct inspect_value v;
	ERROR(ignored);
	STR(path);
	bool found;

	found = !(dot && isdigit((unsigned char)dot[1])) &&
		inspect_global(run_process_program(run_process_of(w->thread)), NULL, variable, &v,
			       &ignored) == 0 &&
		inspect_member_at(&v, object, &path, &ignored) == 0;
	if (found)
		str_addf(out, "%s%s", variable, str_text(&path));
	base_free(variable);
	return found;
}

static char *name_global(struct waiter *w, uint64_t object)
{
	struct image *image = images_at(run_process_of(w->thread), object);
	char *symbol = image ? source_name_of(image->module, object - image->bias) : NULL;
	struct str name = {0};

	if (!symbol)
		return NULL;
	if (!name_member(w, object, symbol, strcspn(symbol, "+"), &name))
		str_add(&name, symbol);
	base_free(symbol);
	return str_take(&name);
}

/* ---- expressions ----------------------------------------------------------------------------- */

bool locks_means(const struct inspect_call *call, const char *expression, uint64_t object,
		 struct str *inside)
{
	struct inspect_value v;
	ERROR(ignored);
	uint64_t address;

	if (inspect_eval(call, expression, &v, &ignored) < 0)
		return false;
	if (inside && inspect_member_at(&v, object, inside, &ignored) == 0)
		return true;
	return inspect_address(&v, &address, &ignored) == 0 && address == object;
}

/* Shortens "&from->lock" to "from->lock". */
static const char *shown(const char *expression)
{
	return expression + strspn(expression, "& ");
}

/* True if a local variable only points or refers to the object. */
static bool is_pointer(const struct inspect_call *call, const char *name, uint64_t object)
{
	struct inspect_value v;
	ERROR(ignored);

	return inspect_variable_local(call, name, &v, &ignored) == 0 &&
	       (v.place != INSPECT_IN_MEMORY || v.address != object);
}

/* Returns the length of "Pool" in "Pool::add" and "Pool::add(int)::{lambda()#1}::operator()";
 * 0 outside of a class. */
static size_t class_length(const char *function)
{
	const char *lambda = strstr(function, "::{lambda");
	size_t end = lambda ? strcspn(function, "(") : strlen(function), length = 0;

	if (lambda && end > (size_t)(lambda - function))
		end = (size_t)(lambda - function);
	for (const char *at = strstr(function, "::"); at && at < function + end;
	     at = strstr(at + 2, "::"))
		length = (size_t)(at - function);
	return length;
}

/* A member of the function's own object is written without the object. */
static bool is_member(const struct inspect_call *call, const char *name, uint64_t object,
		      struct str *out)
{
	const char *function = call->function ? call->function : "";
	size_t length = class_length(function);
	STR(member);
	bool found;

	str_addf(&member, "this->%s", name);
	found = length && locks_means(call, str_text(&member), object, NULL);
	if (found)
		str_addf(out, "%.*s::%s", (int)length, function, name);
	return found;
}

struct lock_name {
	struct str name;
	enum rank rank;
};

static void try_expression(const struct inspect_call *call, const char *expression, uint64_t object,
			   bool parts, struct lock_name *best)
{
	struct lock_name c = {.rank = RANK_OBJECT};
	const char *text = shown(expression);
	STR(inside);
	bool plain;

	if (!*text || strlen(text) > MOST_TEXT || strpbrk(text, "\"?=") ||
	    !locks_means(call, expression, object, parts ? &inside : NULL)) {
		return;
	}
	plain = !inside.length && !text[word_length(text)];
	if (plain && is_member(call, text, object, &c.name))
		c.rank = RANK_MEMBER;
	else if (plain && is_pointer(call, text, object))
		c.rank = RANK_POINTER;
	if (!c.name.length)
		str_addf(&c.name, "%s%s", text, str_text(&inside));
	if (c.rank > best->rank) {
		str_fini(&best->name);
		*best = c;
	} else {
		str_fini(&c.name);
	}
}

/* The calls in the source text at the line of a call frame. */
struct written {
	struct locks_calls all;
	ARRAY(const struct locks_call *) here;
};

static void written_at(struct run *s, const struct inspect_call *call, struct written *out)
{
	unsigned from = call->line > CALL_LINES ? call->line - CALL_LINES : 1;
	struct source_text text;

	*out = (struct written){0};
	if (source_text(run_symbols(s), call->file, &text))
		locks_text(text.lines, text.count, from, call->line + CALL_LINES, &out->all);
	array_each(const struct locks_call, c, &out->all)
		if (c->line <= call->line && call->line <= c->last)
			*array_add(&out->here) = c;
}

static void written_fini(struct written *w)
{
	locks_text_fini(&w->all);
	array_fini(&w->here);
}

static void try_call(struct run *s, const struct inspect_call *call, uint64_t object, bool parts,
		     struct lock_name *best)
{
	struct written written;

	written_at(s, call, &written);
	array_each(const struct locks_call *, c, &written.here) {
		if ((*c)->object)
			try_expression(call, (*c)->object, object, parts, best);
		for (unsigned i = 0; i < (*c)->args; i++)
			try_expression(call, (*c)->arg[i], object, parts, best);
	}
	written_fini(&written);
}

bool locks_is_argument(struct run *s, const struct inspect_call *call, uint64_t object)
{
	struct written written;
	bool found = false;

	written_at(s, call, &written);
	array_each(const struct locks_call *, c, &written.here)
		for (unsigned i = 0; i < (*c)->args && !found; i++)
			found = locks_means(call, (*c)->arg[i], object, NULL);
	written_fini(&written);
	return found;
}

enum waiting_kind locks_kind(struct run *s, const struct waiter *w)
{
	enum waiting_kind found = WAITING_GONE;
	const struct inspect_call *call = &w->stack.items[w->own];
	struct written written;

	if (w->own >= w->stack.count)
		return found;
	written_at(s, call, &written);
	array_each(const struct locks_call *, c, &written.here)
		if (!found && !(*c)->object && (*c)->args &&
		    locks_means(call, (*c)->arg[0], w->object, NULL))
			found = kinds_of((*c)->word);
	written_fini(&written);
	return found;
}

/* ---- name of one object ------------------------------------------------------------------ */

/* From the waiting call outwards while the name is only of a parameter or member; then at the line
 * where the owner took the object. */
static void name_expression(struct run *s, struct waiter *w, uint64_t object,
			    struct lock_name *best)
{
	for (size_t i = w->own; object && best->rank < RANK_OBJECT && i < w->stack.count;
	     i = caller_own(w, i + 1))
		try_call(s, &w->stack.items[i], object, i > w->own, best);
	array_each(const struct owner, o, &w->owners) {
		struct inspect_call there;

		if (!o->call || best->rank)
			continue;
		there = *o->call;
		there.line = o->line;
		try_call(s, &there, object, false, best);
	}
}

static void name_object(struct run *s, struct waiter *w)
{
	struct lock_name best = {.rank = RANK_NONE};
	uint64_t object = w->stream ? w->stream : w->object;

	if (w->object) {
		w->name = name_global(w, object);
		w->rank = w->name ? RANK_GLOBAL : RANK_NONE;
	}
	if (w->name && !strchr(w->name, '+'))
		return;
	name_expression(s, w, object, &best);
	if (best.rank) {
		base_free(w->name);
		w->name = str_take(&best.name);
		w->rank = best.rank;
	}
	str_fini(&best.name);
}

/* All threads use the best name that any thread has for the object. */
static void share_names(struct waiters *all)
{
	for (size_t i = 0; i < all->count; i++) {
		struct waiter *w = &all->items[i];

		for (size_t k = 0; w->object && k < all->count; k++) {
			const struct waiter *other = &all->items[k];

			if (!same_object(w, other) || other->rank < w->rank ||
			    (other->rank == w->rank && k >= i) || !other->name)
				continue;
			base_free(w->name);
			w->name = base_strdup(other->name);
			w->rank = other->rank;
		}
	}
}

/* ---- the mutex of a condition variable --------------------------------------------------- */

static uint64_t address_of(const struct inspect_call *call, const char *expression)
{
	struct inspect_value v;
	ERROR(ignored);
	uint64_t address;

	return inspect_eval(call, expression, &v, &ignored) == 0 &&
			       inspect_address(&v, &address, &ignored) == 0
		       ? address
		       : 0;
}

/* Returns the name in the declaration of the lock that is passed to
 * std::condition_variable::wait. */
static char *name_where_declared(struct run *s, const struct inspect_call *call, uint64_t object)
{
	struct lock_name best = {.rank = RANK_NONE};
	struct locks_calls calls = {0};
	struct source_text text;

	if (source_text(run_symbols(s), call->file, &text))
		locks_text(text.lines, text.count, inspect_call_begins(call), call->line, &calls);
	array_each(const struct locks_call, c, &calls)
		for (unsigned i = 0; c->declares && i < c->args; i++)
			try_expression(call, c->arg[i], object, false, &best);
	locks_text_fini(&calls);
	return best.rank ? str_take(&best.name) : NULL;
}

/* Names the mutex of a std::unique_lock, the first argument of std::condition_variable::wait. */
static void name_mutex_of_lock(struct run *s, struct waiter *w, const struct locks_call *c)
{
	const struct inspect_call *call = &w->stack.items[w->own];
	STR(device);

	str_addf(&device, "%s._M_device", c->arg[0]);
	w->mutex_object = address_of(call, str_text(&device));
	if (!w->mutex_object)
		return;
	w->by_lock = true;
	w->mutex = name_where_declared(s, call, w->mutex_object);
	if (!w->mutex)
		w->mutex = name_global(w, w->mutex_object);
}

/* Names the mutex that is the second argument of pthread_cond_wait. */
static void name_mutex(struct run *s, struct waiter *w)
{
	const struct inspect_call *call = &w->stack.items[w->own];
	struct written written;

	written_at(s, call, &written);
	array_each(const struct locks_call *, it, &written.here) {
		const struct locks_call *c = *it;

		if (!strstr(c->word, "wait") || w->mutex || c->args < (c->object ? 1 : 2) ||
		    !locks_means(call, c->object ? c->object : c->arg[0], w->object, NULL))
			continue;
		if (c->object) {
			name_mutex_of_lock(s, w, c);
		} else {
			w->mutex = base_strdup(shown(c->arg[1]));
			w->mutex_object = address_of(call, c->arg[1]);
		}
	}
	written_fini(&written);
}

/* Names an object that does not contain its futex word: the object of future.get(), if only one
 * such call is written there. */
static void name_receiver(struct run *s, struct waiter *w)
{
	const struct locks_call *found = NULL;
	struct written written;
	unsigned many = 0;

	written_at(s, &w->stack.items[w->own], &written);
	array_each(const struct locks_call *, c, &written.here)
		if ((*c)->object && (strstr((*c)->word, "wait") || strstr((*c)->word, "get") ||
				     strstr((*c)->word, "acquire"))) {
			found = *c;
			many++;
		}
	if (many == 1)
		w->name = base_strdup(found->object);
	written_fini(&written);
}

/* ---- two objects with one name ----------------------------------------------------------- */

/* A name that an object may have. */
struct called {
	const struct waiter *who;
	char *name;
};

struct apart {
	struct waiters *all;
	ARRAY(struct called) names;
	unsigned asked;
};

static void try_variable(struct apart *apart, const struct waiter *w,
			 const struct inspect_call *call, const char *name)
{
	struct inspect_value v;
	ERROR(ignored);
	STR(path);
	STR(words);

	if (apart->asked++ > MOST_ASKED || inspect_variable_local(call, name, &v, &ignored) < 0)
		return;
	if (inspect_member_at(&v, w->object, &path, &ignored) == 0 && path.length &&
	    path.length < MOST_WORDS) {
		str_addf(&words, "%s%s", name, str_text(&path));
		*array_add(&apart->names) = (struct called){w, str_take(&words)};
	}
}

/* Tries the variables in the other thread's calls that lead to w's object. */
static void try_thread(struct apart *apart, const struct waiter *w, const struct waiter *other)
{
	for (size_t i = other->own; i < other->stack.count; i = caller_own(other, i + 1)) {
		const struct inspect_call *call = &other->stack.items[i];
		struct inspect_variables homes = {0};
		ERROR(ignored);

		if (run_process_of(other->thread) != run_process_of(w->thread) ||
		    !call->frame.module)
			continue;
		if (inspect_variables_at(call->frame.module,
					 call->frame.lookup_pc - call->frame.bias, call->scope,
					 &homes, &ignored) == 0)
			array_each(const struct inspect_variable, h, &homes)
				if (h->name && !h->optimised_out)
					try_variable(apart, w, call, h->name);
		inspect_variables_fini(&homes);
	}
}

/* True if another object has this name. */
static bool is_taken(const struct waiters *all, const struct waiter *w, const char *name)
{
	array_each(const struct waiter, other, all)
		if (other->name && !same_object(other, w) && strcmp(other->name, name) == 0)
			return true;
	return false;
}

static const char *own_name(const struct apart *apart, const struct waiter *w)
{
	array_each(const struct called, c, &apart->names) {
		bool taken = !same_object(c->who, w) || is_taken(apart->all, w, c->name);

		array_each(const struct called, other, &apart->names)
			taken |= !same_object(other->who, w) && strcmp(other->name, c->name) == 0;
		if (!taken)
			return c->name;
	}
	return NULL;
}

/* Changes the name to "to->lock (alice->lock)". */
static void add_words(const char *words, char **name)
{
	struct str with = {0};

	str_addf(&with, *name ? "%s (%s)" : "%s%s", *name ? *name : "", words);
	base_free(*name);
	*name = str_take(&with);
}

static void add_address(uint64_t address, char **name)
{
	char words[32];

	snprintf(words, sizeof(words), "0x%llx", (unsigned long long)address);
	add_words(words, name);
}

static void rename_all(struct apart *apart, const bool *doubtful)
{
	for (size_t i = 0; i < apart->all->count; i++) {
		struct waiter *w = &apart->all->items[i];
		const char *words = doubtful[i] ? own_name(apart, w) : NULL;

		if (words)
			add_words(words, &w->name);
		else if (doubtful[i] || (!w->name && w->object))
			add_address(w->object, &w->name);
	}
}

/* True if the name of the condition's mutex is also that of another object or mutex. */
static bool is_mutex_taken(const struct waiters *all, const struct waiter *w)
{
	array_each(const struct waiter, other, all)
		if ((other->name && other->object != w->mutex_object &&
		     strcmp(other->name, w->mutex) == 0) ||
		    (other->mutex && other->mutex_object != w->mutex_object &&
		     strncmp(other->mutex, w->mutex, strlen(w->mutex)) == 0))
			return true;
	return false;
}

static void name_mutexes(struct waiters *all)
{
	array_each(struct waiter, w, all) {
		const char *name = NULL;

		if (!w->mutex || !w->mutex_object)
			continue;
		array_each(const struct waiter, other, all)
			if (!name && other->object == w->mutex_object &&
			    run_process_of(other->thread) == run_process_of(w->thread))
				name = other->name;
		if (name) {
			base_free(w->mutex);
			w->mutex = base_strdup(name);
		} else if (is_mutex_taken(all, w)) {
			add_address(w->mutex_object, &w->mutex);
		}
	}
}

static void tell_apart(struct waiters *all)
{
	bool *doubtful = base_alloc(all->count + 1, sizeof(*doubtful));
	struct apart apart = {.all = all};

	for (size_t i = 0; i < all->count; i++) {
		const struct waiter *w = &all->items[i];

		array_each(const struct waiter, other, all)
			doubtful[i] |= w->name && other->name && other->object != w->object &&
				       strcmp(other->name, w->name) == 0;
		if (!doubtful[i] || !w->object)
			continue;
		try_thread(&apart, w, w); /* the waiting thread's own variables come first */
		array_each(const struct waiter, other, all)
			if (other != w)
				try_thread(&apart, w, other);
	}
	rename_all(&apart, doubtful);
	name_mutexes(all);
	array_each(struct called, c, &apart.names)
		base_free(c->name);
	array_fini(&apart.names);
	base_free(doubtful);
}

/* ---- all objects ------------------------------------------------------------------------- */

/* libstdc++ uses shared words of its own for many objects. */
static void forget_proxy(struct waiter *w)
{
	if (!w->name || !strstr(w->name, "__waiter_pool"))
		return;
	base_free(w->name);
	w->name = NULL;
	w->object = 0;
	w->rank = RANK_NONE;
}

void locks_name_all(struct waiters *all)
{
	array_each(struct waiter, w, all) {
		if (w->block.number != 0 || w->what)
			name_object(all->run, w);
		forget_proxy(w);
		if (!w->object && w->what && w->what != WAITING_JOIN && w->own < w->stack.count)
			name_receiver(all->run, w);
		if (w->what == WAITING_CONDITION && w->own < w->stack.count)
			name_mutex(all->run, w);
	}
	share_names(all);
	tell_apart(all);
}
