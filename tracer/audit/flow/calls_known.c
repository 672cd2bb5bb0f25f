#include "tracer/audit/flow/calls.h"

#include <string.h>

static const struct known {
	const char *name;
	enum call_effect effect;
} known[] = {
	{"pthread_mutex_lock", DOES_LOCK},
	{"pthread_mutex_trylock", DOES_TRY},
	{"pthread_mutex_timedlock", DOES_TRY},
	{"pthread_mutex_clocklock", DOES_TRY},
	{"pthread_mutex_unlock", DOES_UNLOCK},
	{"pthread_mutex_init", DOES_INIT},
	{"pthread_mutex_destroy", DOES_DESTROY},
	{"pthread_rwlock_rdlock", DOES_LOCK_SHARED},
	{"pthread_rwlock_wrlock", DOES_LOCK},
	{"pthread_rwlock_tryrdlock", DOES_TRY_SHARED},
	{"pthread_rwlock_timedrdlock", DOES_TRY_SHARED},
	{"pthread_rwlock_trywrlock", DOES_TRY},
	{"pthread_rwlock_timedwrlock", DOES_TRY},
	{"pthread_rwlock_unlock", DOES_UNLOCK},
	{"pthread_rwlock_init", DOES_INIT},
	{"pthread_rwlock_destroy", DOES_DESTROY},
	{"pthread_spin_lock", DOES_LOCK},
	{"pthread_spin_trylock", DOES_TRY},
	{"pthread_spin_unlock", DOES_UNLOCK},
	{"pthread_spin_init", DOES_INIT},
	{"pthread_spin_destroy", DOES_DESTROY},
	{"mtx_lock", DOES_LOCK},
	{"mtx_trylock", DOES_TRY},
	{"mtx_timedlock", DOES_TRY},
	{"mtx_unlock", DOES_UNLOCK},
	{"mtx_init", DOES_INIT},
	{"mtx_destroy", DOES_DESTROY},
	{"g_mutex_lock", DOES_LOCK},
	{"g_mutex_trylock", DOES_TRY_TRUE},
	{"g_mutex_unlock", DOES_UNLOCK},
	{"g_mutex_init", DOES_INIT},
	{"g_mutex_clear", DOES_DESTROY},
	{"g_rec_mutex_lock", DOES_LOCK},
	{"g_rec_mutex_unlock", DOES_UNLOCK},
	{"g_rw_lock_reader_lock", DOES_LOCK_SHARED},
	{"g_rw_lock_reader_unlock", DOES_UNLOCK},
	{"g_rw_lock_writer_lock", DOES_LOCK},
	{"g_rw_lock_writer_unlock", DOES_UNLOCK},
	{"uv_mutex_lock", DOES_LOCK},
	{"uv_mutex_trylock", DOES_TRY},
	{"uv_mutex_unlock", DOES_UNLOCK},
	{"uv_mutex_init", DOES_INIT},
	{"uv_mutex_init_recursive", DOES_INIT_RECURSIVE},
	{"uv_mutex_destroy", DOES_DESTROY},
	{"uv_rwlock_rdlock", DOES_LOCK_SHARED},
	{"uv_rwlock_rdunlock", DOES_UNLOCK},
	{"uv_rwlock_wrlock", DOES_LOCK},
	{"uv_rwlock_wrunlock", DOES_UNLOCK},
	{"malloc", DOES_ALLOCATE},
	{"aligned_alloc", DOES_ALLOCATE},
	{"calloc", DOES_ALLOCATE_ZEROED},
	{"g_malloc", DOES_ALLOCATE},
	{"g_malloc_n", DOES_ALLOCATE},
	{"g_malloc0", DOES_ALLOCATE_ZEROED},
	{"g_malloc0_n", DOES_ALLOCATE_ZEROED},
	{"g_object_new", DOES_ALLOCATE_ZEROED},
	{"g_slice_alloc", DOES_ALLOCATE},
	{"g_slice_alloc0", DOES_ALLOCATE_ZEROED},
	{"free", DOES_FREE},
	{"g_free", DOES_FREE},
	{"pthread_create", DOES_THREAD},
	{"thrd_create", DOES_C11_THREAD},
	{"uv_thread_create", DOES_C11_THREAD},
	{"pthread_join", DOES_JOIN},
	{"thrd_join", DOES_JOIN},
	{"uv_thread_join", DOES_JOIN},
	{"g_thread_join", DOES_JOIN},
	{"pthread_once", DOES_ONCE},
	{"call_once", DOES_ONCE},
	{"memset", DOES_WRITE},
	{"snprintf", DOES_WRITE},
	{"sprintf", DOES_WRITE},
	{"vsnprintf", DOES_WRITE},
	{"memcpy", DOES_COPY},
	{"memmove", DOES_COPY},
	{"strcpy", DOES_COPY},
	{"strncpy", DOES_COPY},
	{"strlcpy", DOES_COPY},
	{"strcat", DOES_COPY},
	{"exit", DOES_END},
	{"_exit", DOES_END},
	{"abort", DOES_END},
	{"__assert_fail", DOES_END},
	{"pthread_exit", DOES_END},
	{"longjmp", DOES_END},
	{"__sigsetjmp", DOES_SET_JUMP}, /* pthread_cleanup_push()'s */
	{"__sigsetjmp_cancel", DOES_SET_JUMP},
};

static bool calls_known_is_named(const char *name, const char *const *names)
{
	for (; names && *names; names++)
		if (strcmp(name, *names) == 0)
			return true;
	return false;
}

enum call_effect call_effect_of(const struct audit_options *o, const char *name)
{
	if (calls_known_is_named(name, o->lock))
		return DOES_LOCK;
	if (calls_known_is_named(name, o->unlock))
		return DOES_UNLOCK;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (strcmp(known[i].name, name) == 0)
			return known[i].effect;
	return DOES_NOTHING;
}

bool call_may_make_thread(const char *name)
{
	static const char *const verbs[] = {"create", "Create", "new", "start", "spawn", "pool"};
	bool says = false;

	/* Of these all that make one are known. */
	if (strncmp(name, "pthread_", 8) == 0 || strncmp(name, "thrd_", 5) == 0)
		return false;
	for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++)
		says |= strstr(name, verbs[i]) != NULL;
	return says && (strstr(name, "thread") || strstr(name, "Thread"));
}
