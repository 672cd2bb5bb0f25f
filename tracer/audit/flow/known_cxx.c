/* Functions of the C++ standard library, by class and name, and those that the frontend names. */
#include "tracer/audit/flow/flow.h"

#include "tracer/base/text/word.h"

#include <string.h>

static const struct {
	enum call_effect effect;
	const char *classes, *functions;
} members[] = {
	{DOES_LOCK,
	 "mutex recursive_mutex timed_mutex recursive_timed_mutex shared_mutex shared_timed_mutex",
	 "lock"},
	{DOES_UNLOCK,
	 "mutex recursive_mutex timed_mutex recursive_timed_mutex shared_mutex shared_timed_mutex",
	 "unlock unlock_shared"},
	{DOES_TRY_TRUE,
	 "mutex recursive_mutex timed_mutex recursive_timed_mutex shared_mutex shared_timed_mutex",
	 "try_lock try_lock_for try_lock_until"},
	{DOES_LOCK_SHARED, "shared_mutex shared_timed_mutex", "lock_shared"},
	{DOES_TRY_SHARED_TRUE, "shared_mutex shared_timed_mutex",
	 "try_lock_shared try_lock_shared_for try_lock_shared_until"},
	{DOES_INIT, "mutex", "mutex"},
	{DOES_INIT, "timed_mutex", "timed_mutex"},
	{DOES_INIT, "shared_mutex", "shared_mutex"},
	{DOES_INIT, "shared_timed_mutex", "shared_timed_mutex"},
	{DOES_INIT_RECURSIVE, "recursive_mutex", "recursive_mutex"},
	{DOES_INIT_RECURSIVE, "recursive_timed_mutex", "recursive_timed_mutex"},
	{DOES_CXX_THREAD, "thread", "thread"},
	{DOES_JOIN, "thread jthread", "join"},
	{DOES_JOIN, "future shared_future", "get wait"},
	{DOES_OWNS, "unique_lock", "owns_lock"},
};

static const struct {
	enum call_effect effect;
	const char *name;
} others[] = {
	{DOES_LOCK_ALL, "std::lock"},
	{DOES_ONCE, "std::call_once"},
	{DOES_END, "std::terminate"},
	{DOES_RELEASE, "std::unique_lock::~unique_lock"},
	{DOES_RELEASE_GIVEN, "std::unique_lock::~unique_lock(given)"},
	{DOES_JOIN, "std::jthread::~jthread"},
	{DOES_DESTROY, "std::mutex::~mutex"},
	{DOES_DESTROY, "std::recursive_mutex::~recursive_mutex"},
	{DOES_DESTROY, "std::timed_mutex::~timed_mutex"},
	{DOES_DESTROY, "std::recursive_timed_mutex::~recursive_timed_mutex"},
	{DOES_DESTROY, "std::shared_mutex::~shared_mutex"},
	{DOES_DESTROY, "std::shared_timed_mutex::~shared_timed_mutex"},
	{DOES_ALLOCATE_ZEROED, "operator-new"},
	{DOES_FREE, "operator-delete"},
	/* All members of the object are set, and no other thread has it. */
	{DOES_MAKE, "(constructor)"},
	{DOES_MAKE, "(destructor)"},
};

static enum call_effect effect_of_member(const char *name)
{
	const char *class = name + strlen("std::"), *at = strstr(class, "::"), *function;

	if (!at)
		return DOES_NOTHING;
	function = at + 2;
	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++)
		if (word_find(members[i].classes, class, (size_t)(at - class)) &&
		    word_length(function) == strlen(function) &&
		    word_find(members[i].functions, function, strlen(function)))
			return members[i].effect;
	return DOES_NOTHING;
}

enum call_effect call_effect_cxx(const char *name)
{
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (strcmp(name, others[i].name) == 0)
			return others[i].effect;
	return strncmp(name, "std::", 5) == 0 ? effect_of_member(name) : DOES_NOTHING;
}

const char *known_name_in_usr(const char *usr)
{
	const char *at = usr;

	for (const char *next; (next = strstr(at, "@F@"));)
		at = next + strlen("@F@");
	return at;
}
