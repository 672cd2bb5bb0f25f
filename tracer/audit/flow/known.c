/* Functions of libc and of libraries with locks, by name. */
#include "tracer/audit/flow/flow.h"

#include "tracer/base/text/word.h"

#include <string.h>

static const struct {
	enum call_effect effect;
	const char *names;
} known[] = {
	{DOES_LOCK, "pthread_mutex_lock pthread_rwlock_wrlock pthread_spin_lock mtx_lock "
		    "g_mutex_lock g_rw_lock_writer_lock uv_mutex_lock uv_rwlock_wrlock"},
	{DOES_LOCK_RECURSIVE, "g_rec_mutex_lock"},
	{DOES_LOCK_SHARED, "pthread_rwlock_rdlock g_rw_lock_reader_lock uv_rwlock_rdlock"},
	{DOES_TRY, "pthread_mutex_trylock pthread_mutex_timedlock pthread_mutex_clocklock "
		   "pthread_rwlock_trywrlock pthread_rwlock_timedwrlock pthread_spin_trylock "
		   "mtx_trylock mtx_timedlock uv_mutex_trylock"},
	{DOES_TRY_SHARED, "pthread_rwlock_tryrdlock pthread_rwlock_timedrdlock"},
	{DOES_TRY_TRUE, "g_mutex_trylock g_rec_mutex_trylock"},
	{DOES_UNLOCK, "pthread_mutex_unlock pthread_rwlock_unlock pthread_spin_unlock mtx_unlock "
		      "g_mutex_unlock g_rec_mutex_unlock g_rw_lock_reader_unlock "
		      "g_rw_lock_writer_unlock uv_mutex_unlock uv_rwlock_rdunlock "
		      "uv_rwlock_wrunlock"},
	{DOES_SEM_WAIT, "sem_wait"},
	{DOES_SEM_POST, "sem_post"},
	{DOES_INIT, "pthread_mutex_init pthread_rwlock_init pthread_spin_init mtx_init "
		    "g_mutex_init uv_mutex_init"},
	{DOES_INIT_RECURSIVE, "uv_mutex_init_recursive"},
	{DOES_DESTROY, "pthread_mutex_destroy pthread_rwlock_destroy pthread_spin_destroy "
		       "mtx_destroy g_mutex_clear uv_mutex_destroy"},
	{DOES_ALLOCATE, "malloc aligned_alloc g_malloc g_malloc_n g_slice_alloc"},
	{DOES_ALLOCATE_ZEROED, "calloc g_malloc0 g_malloc0_n g_object_new g_slice_alloc0"},
	{DOES_FREE, "free g_free"},
	{DOES_THREAD, "pthread_create"},
	{DOES_C11_THREAD, "thrd_create uv_thread_create"},
	{DOES_JOIN, "pthread_join thrd_join uv_thread_join g_thread_join"},
	{DOES_WAIT, "pthread_cond_wait cnd_wait g_cond_wait uv_cond_wait"},
	{DOES_ONCE, "pthread_once call_once"},
	{DOES_WRITE, "memset snprintf sprintf vsnprintf"},
	{DOES_COPY, "memcpy memmove strcpy strncpy strlcpy strcat"},
	{DOES_END, "exit _exit abort __assert_fail pthread_exit longjmp __builtin_trap "
		   "__builtin_unreachable"},
	{DOES_SUCCEED, "clock_gettime gettimeofday pthread_cond_signal pthread_cond_broadcast"},
	{DOES_SET_JUMP, "__sigsetjmp __sigsetjmp_cancel"}, /* from pthread_cleanup_push() */
};

/* The name of a C++ function is followed by the types of its parameters; an option may name the
   class, too. */
static bool is_in_option(const char *name, const char *const *names)
{
	const size_t length = strcspn(name, "#");

	for (; names && *names; names++) {
		const char *class = strrchr(*names, ':'), *function = class ? class + 1 : *names;

		if (strlen(function) == length && strncmp(name, function, length) == 0)
			return true;
	}
	return false;
}

enum call_effect call_effect_of(const struct audit_options *o, const char *name)
{
	if (is_in_option(name, o->lock))
		return DOES_LOCK;
	if (is_in_option(name, o->unlock))
		return DOES_UNLOCK;
	if (is_in_option(name, o->init))
		return DOES_INIT;
	for (size_t i = 0; word_char(*name) && i < sizeof(known) / sizeof(*known); i++)
		if (word_find(known[i].names, name, strlen(name)))
			return known[i].effect;
	return call_effect_cxx(name);
}

bool call_synchronizes(const char *name)
{
	static const char *const libraries[] = {"pthread_", "sem_",   "thrd_",	 "mtx_",
						"cnd_",	    "tss_",   "g_cond_", "g_mutex_",
						"g_rw_",    "g_rec_", "uv_"};

	if (strpbrk(name, "#:"))
		return true;
	for (size_t i = 0; i < sizeof(libraries) / sizeof(*libraries); i++)
		if (strncmp(name, libraries[i], strlen(libraries[i])) == 0)
			return true;
	return false;
}

bool call_may_make_thread(const char *name)
{
	static const char *const verbs[] = {"create", "Create", "new", "start", "spawn", "pool"};
	bool says = false;

	/* All functions of these libraries that create a thread are listed. */
	if (strncmp(name, "pthread_", 8) == 0 || strncmp(name, "thrd_", 5) == 0)
		return false;
	for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++)
		says |= strstr(name, verbs[i]) != NULL;
	return says && (strstr(name, "thread") || strstr(name, "Thread"));
}
