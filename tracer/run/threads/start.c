/* The start routine of a thread, read before the thread's first instruction
   (tracer/run/README.md). */
#include "tracer/run/run_internal.h"
#include "tracer/run/modules/images.h"
#include "tracer/run/threads/start.h"

#include <string.h>

enum { STATE_WORDS = 64, ASYNC_WORDS = 24, TYPE_NAME_MAX = 4096, PART = 256 };

/* The offset of start_routine in struct pthread; 0: not known. */
static uint32_t descriptor(struct run_process *p)
{
	uint64_t offset, size;
	uint32_t words[3];

	array_each(struct image, image, &p->images)
		if (module_symbol(image->module, "_thread_db_pthread_start_routine", &offset,
				  &size) == 0 &&
		    module_bytes(image->module, offset, words, sizeof(words)) == sizeof(words))
			return words[2];
	return 0;
}

static uint64_t start_read_word(struct run_process *p, uint64_t address)
{
	uint64_t word = 0;

	return tracee_read(p->tracee, address, &word, sizeof(word)) < 0 ? 0 : word;
}

/* Returns the name of the function that begins exactly at the address, or NULL. */
static char *function_in(const struct image *image, uint64_t address)
{
	struct source_symbolised where;
	char *name = NULL;

	if (!image || !source_symbolise(image->module, address - image->bias, false, &where))
		return NULL;
	if (where.function && where.start == address - image->bias)
		name = base_strdup(where.function);
	source_symbolised_fini(&where);
	return name;
}

static char *function_at(struct run *s, struct run_process *p, uint64_t address)
{
	return function_in(images_find(s, p, address), address);
}

/* The word may be no address of code. If loads are watched, all images are known, and the costly
   search for another one is skipped. */
static char *function_maybe_at(struct run *s, struct run_process *p, uint64_t word)
{
	bool all = s->loading.loads_matter && p->load_site;

	return function_in(all ? images_at(p, word) : images_find(s, p, word), word);
}

/* Reads up to the terminating NUL, or to unreadable memory. */
static void read_text(struct run_process *p, uint64_t text, char *to, size_t most)
{
	size_t n = 0, part;

	for (; text && n < most - 1 && !memchr(to, 0, n); n += part) {
		part = PART - (text + n) % PART; /* parts do not cross pages */
		part = part < most - 1 - n ? part : most - 1 - n;
		if (tracee_read(p->tracee, text + n, to + n, part) < 0)
			break;
	}
	to[n] = '\0';
}

static bool read_type_name(struct run_process *p, uint64_t object, char *name)
{
	uint64_t vtable = start_read_word(p, object);
	uint64_t info = vtable ? start_read_word(p, vtable - 8) : 0;

	read_text(p, info ? start_read_word(p, info + 8) : 0, name, TYPE_NAME_MAX);
	if (name[0] == '*') /* the type has no name outside its function */
		memmove(name, name + 1, strlen(name));
	return strstr(name, "6thread11_State_impl") != NULL; /* std::thread::_State_impl, mangled */
}

/* Returns the first type of "...std::tuple<FIRST, ...>..." in the demangler's form, or NULL. The
   caller frees it. */
static char *first_of_tuple(const char *type)
{
	const char *at = strstr(type, "std::tuple<"), *end;
	int depth = 0;

	if (!at)
		return NULL;
	at += strlen("std::tuple<");
	for (end = at; *end; end++) {
		if (depth == 0 && (*end == ',' || *end == '>'))
			break;
		depth += strchr("<({", *end) ? 1 : strchr(">)}", *end) ? -1 : 0;
	}
	while (end > at && end[-1] == ' ')
		end--;
	return base_strndup(at, (size_t)(end - at));
}

/* The size of an object in words: glibc's malloc keeps the size of a block in the word before
   it. */
static uint64_t start_words_of(struct run_process *p, uint64_t object)
{
	uint64_t size = start_read_word(p, object - 8) & ~(uint64_t)7;

	return !p->sanitized && size / 8 - 1 < STATE_WORDS ? size / 8 - 1 : STATE_WORDS;
}

/* Returns the name of the function that the last of these words points to, ignoring functions of
   the library. With a sanitizer's allocator, whose block sizes are unknown, it is the first one. */
static char *last_function(struct run *s, struct run_process *p, uint64_t object, uint64_t words)
{
	char *found = NULL;

	for (uint64_t i = 1; i < words && !(found && p->sanitized); i++) {
		uint64_t word = start_read_word(p, object + i * 8);
		char *name = word ? function_maybe_at(s, p, word) : NULL;

		if (!name || strncmp(name, "std::", 5) == 0) {
			base_free(name);
			continue;
		}
		base_free(found);
		found = name;
	}
	return found;
}

/* std::async: the thread has a pointer to the state, which contains the user's function. */
static char *async_function(struct run *s, struct run_process *p, uint64_t object)
{
	char *found = NULL;

	for (uint64_t i = 1; i < start_words_of(p, object) && !found; i++)
		found = last_function(s, p, start_read_word(p, object + i * 8), ASYNC_WORDS);
	return found;
}

static bool start_is_pointer(const char *type)
{
	return strstr(type, "(*)") || strstr(type, "::*)");
}

static char *std_thread_function(struct run *s, struct run_process *p, uint64_t object)
{
	static const char async_state[] = "std::__future_base::_Async_state_impl";
	char mangled[TYPE_NAME_MAX] = "_ZTI", *type, *first, *inner = NULL, *function = NULL;
	bool async;

	if (!object || !read_type_name(p, object, mangled + 4))
		return NULL;
	type = source_demangle(mangled);
	first = first_of_tuple(type);
	async = first && strstr(first, async_state);
	if (async)
		inner = first_of_tuple(strstr(type, async_state));
	base_free(type);
	if (async) {
		base_free(first);
		first = inner;
	}
	if (!first || !start_is_pointer(first))
		return first;
	base_free(first);
	function = async ? async_function(s, p, object)
			 : last_function(s, p, object, start_words_of(p, object));
	return function;
}

static bool may_be_std_thread(struct run_process *p, uint64_t routine, const char *name)
{
	struct image *image = images_at(p, routine);

	return (name && strcmp(name, "execute_native_thread_routine") == 0) ||
	       (image && module_matches(image->module, "libstdc++.so"));
}

char *start_without_anonymous(char *name)
{
	static const char anonymous[] = "(anonymous namespace)::";
	size_t length = strlen(anonymous);

	for (char *at; (at = strstr(name, anonymous));)
		memmove(at, at + length, strlen(at + length) + 1);
	return name;
}

/* Returns the start routine that libc calls, and its argument; 0: not known. */
static uint64_t start_address(struct run_process *p, uint64_t thread_pointer, uint64_t *argument)
{
	uint32_t offset = descriptor(p);

	*argument = offset ? start_read_word(p, thread_pointer + offset + 8) : 0;
	return offset ? start_read_word(p, thread_pointer + offset) : 0;
}

uint64_t run_thread_routine(const struct run_thread *t)
{
	uint64_t argument;

	return t->process->tracee ? start_address(t->process, t->scheduler_block, &argument) : 0;
}

char *start_routine(struct run *s, struct run_process *p, struct tracee_thread *t)
{
	struct run_thread *creator = t->creator ? t->creator->user : NULL;
	struct arch_regs regs;
	uint64_t routine, argument;
	char *name, *user = NULL;
	bool other = false;

	if (!p->images.count || tracee_regs(t, &regs) < 0 || !regs.fs_base)
		return base_strdup(START_UNKNOWN);
	/* adds libc's image, if the loader has no trap */
	images_find(s, p, regs.dwarf[ARCH_DWARF_PC]);
	routine = start_address(p, regs.fs_base, &argument);
	name = routine ? function_at(s, p, routine) : NULL;
	if (creator)
		observe_until(other, start, s, creator, name, &routine, &argument);
	if (other) {
		base_free(name);
		name = function_at(s, p, routine);
	}
	if (routine && may_be_std_thread(p, routine, name))
		user = std_thread_function(s, p, argument);
	if (user) {
		base_free(name);
		name = user;
	}
	return name ? start_without_anonymous(name) : base_strdup(START_UNKNOWN);
}
