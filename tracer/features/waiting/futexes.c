/* Threads blocked at a futex word, and who could wake them. The word of a mutex or join is the tid
 * of a thread; for others only the processes that share the memory are known. */
#include "tracer/features/waiting/waiting_internal.h"
#include "tracer/run/modules/images.h"
#include "tracer/tracee/threads/threads.h"

#include <dirent.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>

enum { MUTEX_CONTENDED = 2 };

static struct run_thread *by_tid(struct run *s, int tid)
{
	struct run_thread *last = NULL;

	run_each_thread(t, s)
		if (run_thread_lives(t) && run_thread_tracee(t)->tid == tid)
			last = t;
	return last;
}

/* Returns the thread that a join waits for: the kernel clears a word of its struct pthread at its
 * end. Before glibc 2.43 the word is its tid; since then it is a state, and only the address
 * identifies the thread. */
static struct run_thread *joined(struct run *s, const struct run_process *p,
				 const struct tracee_block *b, uint32_t word)
{
	struct run_thread *found = word == (uint32_t)b->args[2] ? by_tid(s, (int)word) : NULL;

	if (found)
		return found;
	run_each_thread(t, s)
		if (run_thread_lives(t) && run_process_of(t) == p &&
		    glibc_thread_has(t, b->args[0]))
			found = t;
	return found;
}

static bool begins_with(const char *text, const char *begin)
{
	return strncmp(text, begin, strlen(begin)) == 0;
}

/* True for "/dev/shm/sem.kK4Fxy (deleted)", which sem_open(3) has linked to another name before it
 * deleted the first one. */
static bool has_another_name(const struct run_process *p, const struct tracee_mapping *map,
			     size_t length)
{
	STR(path);
	struct dirent *entry;
	bool found = false;
	DIR *dir;

	if (begins_with(map->path, "/memfd:"))
		return false;
	while (length && map->path[length - 1] != '/')
		length--;
	str_addf(&path, "/proc/%d/root%.*s", (int)run_process_pid(p), (int)length, map->path);
	dir = opendir(str_text(&path));
	while (dir && !found && (entry = readdir(dir)))
		found = entry->d_ino == map->ino;
	if (dir)
		closedir(dir);
	return found;
}

/* Any process can map a file with a name; a file without one, only the processes that hold it. */
enum reach futexes_reach(const struct run *s, struct run_process *p, uint64_t address,
			 struct ends *ends)
{
	struct end end = {.kind = END_MAPPING};
	struct tracee_mapping map;
	const char *deleted;

	if (tracee_mapping_at(run_process_tracee(p), address, &map) < 0)
		return REACH_OUTSIDE;
	if (!map.shared)
		return REACH_OWN;
	if (run_options(s)->no_follow || run_options(s)->pid) /* other processes existed before */
		return REACH_OUTSIDE;
	if (begins_with(map.path, "/dev/zero"))
		return REACH_TRACED;
	deleted = strstr(map.path, " (deleted)");
	if (!ends || !deleted || strcmp(deleted, " (deleted)") != 0 ||
	    begins_with(map.path, "/SYSV") ||
	    has_another_name(p, &map, (size_t)(deleted - map.path)))
		return REACH_OUTSIDE;
	end.file.dev = map.dev;
	end.file.ino = map.ino;
	*array_add(ends) = end;
	return REACH_TRACED;
}

/* Returns the owner of the glibc mutex with this word, or 0. PI and robust mutexes have the owner
 * in the word, with a bit for waiters; others have "contended" in it, and a field for the owner. */
static uint32_t mutex_owner(struct run_process *p, const struct tracee_block *b, int op,
			    uint32_t word)
{
	uint32_t owner = 0;

	if (op == FUTEX_LOCK_PI || op == FUTEX_LOCK_PI2)
		return word & FUTEX_TID_MASK;
	if (word != (uint32_t)b->args[2] || (word != MUTEX_CONTENDED && !(word & FUTEX_WAITERS)))
		return 0;
	tracee_read(run_process_tracee(p), b->args[0] + GLIBC_MUTEX_OWNER, &owner, sizeof(owner));
	return word == MUTEX_CONTENDED || owner == (word & FUTEX_TID_MASK) ? owner : 0;
}

bool futexes_left_behind(const struct wait *w, const struct run_process *p,
			 const struct run_thread *owner)
{
	return !w->shared && run_process_lives(p) && run_process_lives(run_process_of(owner)) &&
	       run_process_tracee(run_process_of(owner))->space != run_process_tracee(p)->space;
}

static void judge_futex(struct run *s, struct run_thread *t, const struct tracee_block *b,
			struct wait *w, struct ends *ends)
{
	bool private = b->args[1] & FUTEX_PRIVATE_FLAG;
	enum reach reach =
		private ? REACH_OWN : futexes_reach(s, run_process_of(t), b->args[0], ends);
	int op = (int)b->args[1] & FUTEX_CMD_MASK;
	bool waits = op == FUTEX_WAIT || op == FUTEX_WAIT_BITSET || op == FUTEX_LOCK_PI ||
		     op == FUTEX_LOCK_PI2 || op == FUTEX_WAIT_REQUEUE_PI;
	struct run_thread *other;
	uint32_t word = 0, tid;

	if (!waits || b->args[3] || reach == REACH_OUTSIDE)
		return;
	w->kind = WAIT_FUTEX;
	w->shared = reach == REACH_TRACED;
	if (run_thread_read(t, b->args[0], &word, sizeof(word)) < 0)
		return;
	tid = mutex_owner(run_process_of(t), b, op, word);
	other = tid ? by_tid(s, (int)tid) : NULL;
	if (other) {
		w->kind =
			futexes_left_behind(w, run_process_of(t), other) ? WAIT_NEVER : WAIT_MUTEX;
	} else if (!private && word) {
		other = joined(s, run_process_of(t), b, word);
		if (other)
			w->kind = WAIT_JOIN;
	}
	w->on = other ? run_thread_engine(other) : NULL;
}

/* futex_waitv(2): each word may be private or shared. */
static void judge_futexes(struct run *s, struct run_thread *t, const struct tracee_block *b,
			  struct wait *w, struct ends *ends)
{
	struct futex_waitv words[FUTEX_WAITV_MAX];
	size_t count = (size_t)b->args[1];

	if (b->args[3] || count > FUTEX_WAITV_MAX ||
	    run_thread_read(t, b->args[0], words, count * sizeof(*words)) < 0)
		return;
	for (size_t i = 0; i < count; i++) {
		enum reach reach =
			words[i].flags & FUTEX_PRIVATE_FLAG
				? REACH_OWN
				: futexes_reach(s, run_process_of(t), words[i].uaddr, ends);

		if (reach == REACH_OUTSIDE)
			return;
		w->shared |= reach == REACH_TRACED;
	}
	w->kind = WAIT_FUTEX;
}

void futexes_wait(struct run *s, struct run_thread *t, const struct tracee_block *b, struct wait *w,
		  struct ends *ends)
{
	if (b->number == SYS_futex)
		judge_futex(s, t, b, w, ends);
	else
		judge_futexes(s, t, b, w, ends);
}
