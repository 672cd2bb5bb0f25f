/* Journal of a search: header, runs and failures in a file, so that the search can continue. */
#include "tracer/search/search_internal.h"

#include "tracer/base/files/io.h"
#include "tracer/base/hash.h"
#include "tracer/run/modules/images.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- header: identifies the search ----------------------------------------------------------- */

static const char version[] = "gatectl search 8";

/* Digest of the file's contents, independent of its times. Returns 0 if it cannot be read. */
static uint64_t digest_of(const char *path)
{
	uint64_t words[8192], digest = HASH_START;
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	ssize_t n;

	if (fd < 0)
		return 0;
	while ((n = read(fd, words, sizeof(words))) > 0) {
		memset((char *)words + n, 0, -(size_t)n % sizeof(*words));
		for (size_t i = 0; i * sizeof(*words) < (size_t)n; i++)
			digest = hash_word(digest, words[i]);
	}
	close(fd);
	return digest;
}

static void add_program(const struct run_options *o, struct record *r)
{
	char path[PATH_MAX];
	bool found = images_find_program(o->argv[0], path, sizeof(path));
	size_t count = 0;

	while (o->argv[count])
		count++;
	record_add(r, count);
	for (size_t i = 0; i < count; i++)
		record_add_text(r, o->argv[i]);
	record_add(r, digest_of(found ? path : NULL));
}

static void add_gates(const struct run_options *o, struct record *r)
{
	record_add(r, o->scripts.count);
	array_each(const char *const, script, &o->scripts)
		record_add(r, digest_of(*script));
	record_add(r, o->orders.count);
	array_each(const char *const, order, &o->orders)
		record_add_text(r, *order);
}

/* Writes all that schedules depend on. The last word is the part's number; all parts of a search
   have the rest in common. */
static void write_header(const struct explore *e, struct record *r)
{
	const struct explore_options *o = &e->options;

	record_begin(r, RECORD_HEAD);
	record_add_text(r, version);
	record_add_text(r, o->strategy);
	record_add(r, o->seed);
	record_add(r, o->steps);
	record_add(r, o->shards);
	add_program(e->x.options, r);
	add_gates(e->x.options, r);
	record_add(r, (uint64_t)o->depth << 32 | o->bound);
	record_add(r, o->points);
	record_add(r, o->flags);
	record_add(r, o->spurious);
	record_add(r, o->time);
	for (int fd = 0; fd < 3; fd++)
		record_add(r, e->x.options->kinds[fd]);
	record_add_text(r, o->location);
	record_add_text(r, o->from);
	record_add(r, o->shard);
}

static bool header_is_ours(struct record *r)
{
	char *text = record_get(r) == RECORD_HEAD ? record_get_text(r) : NULL;
	bool is = text && strcmp(text, version) == 0;

	base_free(text);
	return is;
}

/* Replaces `name`, which is freed, by the constant of strategy_name(). */
static const char *known_strategy(char *name)
{
	const char *known = NULL;

	for (size_t i = 0; name && !known && strategy_name(i); i++)
		if (strcmp(strategy_name(i), name) == 0)
			known = strategy_name(i);
	base_free(name);
	return known;
}

/* Reads what a summary needs. Returns false if the header is damaged or of another version of
   gatectl. */
static bool read_header(struct record *r, struct explore_options *o, struct explore_args *args)
{
	if (!header_is_ours(r))
		return false;
	o->strategy = known_strategy(record_get_text(r));
	o->seed = record_get(r);
	o->steps = record_get(r);
	o->shards = (unsigned)record_get(r);
	for (uint64_t n = record_get(r); n-- && !r->bad;) {
		char *arg = record_get_text(r);

		*array_add(args) = arg ? arg : base_strdup("");
	}
	if (r->bad || r->bytes.length - r->at < sizeof(uint64_t))
		return false;
	r->at = r->bytes.length - sizeof(uint64_t);
	o->shard = (unsigned)record_get(r);
	return o->strategy && args->count;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Removes the folder if the search created it. Truncates j->path. */
static void remove_folder(struct explore_journal *j)
{
	if (!j->made_folder)
		return;
	*strrchr(j->path.text, '/') = '\0';
	rmdir(j->path.text);
}

/* Drops the journal; the search continues without. */
static void give_up(struct explore *e, const char *why)
{
	struct explore_journal *j = e->journal;
	struct str text = {0};

	str_addf(&text, "%s: %s", str_text(&j->path), why);
	e->no_journal = str_take(&text);
	remove_folder(j);
	explore_journal_fini(j);
	base_free(j);
	e->journal = NULL;
}

/* Returns 0 or errno. */
static int write_record(struct explore_journal *j)
{
	STR(bytes);
	int failed = 0;

	record_put(&j->record, &bytes);
	if (io_write(j->fd, bytes.text, bytes.length) < 0)
		failed = errno;
	return failed;
}

static void journal_put(struct explore *e)
{
	struct explore_journal *j = e->journal;
	int failed = write_record(j);

	if (!failed)
		return;
	unlink(j->path.text);
	give_up(e, strerror(failed));
}

/* ---- failures with folders ------------------------------------------------------------------- */

static void write_found(const struct explore_failure *f, struct record *r)
{
	record_begin(r, RECORD_FOUND);
	record_add(r, f->key);
	record_add(r, (uint64_t)f->gates_cut << 2 | (uint64_t)(f->progress == FAILURE_DONE) << 1 |
			      (f->rerun == RERUN_SAME));
	record_add(r, (uint64_t)f->status);
	record_add(r, (uint64_t)f->steps << 32 | f->preemptions);
	record_add(r, f->tries);
	record_add_text(r, f->where);
	record_add_text(r, f->text);
	record_add_text(r, str_base_name(f->folder));
	record_add_text(r, f->script ? str_base_name(f->script) : NULL);
	record_add_text(r, f->no_script);
	record_add(r, f->forced);
	record_add(r, f->asked);
	record_add(r, (uint64_t)(f->forced_s * 1000));
	record_add(r, f->pause.ns);
	record_add(r, f->pause.slept_ns);
	record_add_text(r, f->pause.thread);
}

/* Joins folder and name; frees `name`. */
static char *journal_inside(const char *folder, size_t length, char *name)
{
	struct str path = {0};

	if (!name || !length)
		return name;
	str_addf(&path, "%.*s/%s", (int)length, folder, name);
	base_free(name);
	return str_take(&path);
}

static void journal_replace(char **text, char *by)
{
	base_free(*text);
	*text = by;
}

static bool journal_is_there(const char *folder)
{
	struct stat st;

	return folder && stat(folder, &st) == 0;
}

/* Moves what was read to *f. Returns false if the folder was deleted: it is made again. */
static bool take_found(const struct explore_failure *read, struct explore_failure *f)
{
	if (!f || f->progress == FAILURE_DONE || !read->where || !read->text ||
	    !journal_is_there(read->folder))
		return false;
	f->rerun = read->rerun;
	f->progress = read->progress;
	f->gates_cut = read->gates_cut;
	f->status = read->status;
	f->steps = read->steps;
	f->preemptions = read->preemptions;
	f->tries = read->tries;
	f->forced = read->forced;
	f->asked = read->asked;
	f->forced_s = read->forced_s;
	base_free(f->pause.thread);
	f->pause = read->pause;
	journal_replace(&f->where, read->where);
	journal_replace(&f->text, read->text);
	journal_replace(&f->folder, read->folder);
	journal_replace(&f->script, read->script);
	journal_replace(&f->no_script, read->no_script);
	return true;
}

static void read_found(struct explore *e, struct explore_journal *j)
{
	const char *path = str_text(&j->path);
	struct record *r = &j->record;
	struct explore_failure read = {.key = record_get(r)};
	uint64_t flags = record_get(r), steps;

	read.rerun = flags & 1 ? RERUN_SAME : flags & 2 ? RERUN_DIFFERS : RERUN_NONE;
	read.progress = flags & 2 ? FAILURE_DONE : FAILURE_FOUND;
	read.gates_cut = flags & 4;
	read.status = (int)record_get(r);
	steps = record_get(r);
	read.steps = (unsigned)(steps >> 32);
	read.preemptions = (unsigned)steps;
	read.tries = record_get(r);
	read.where = record_get_text(r);
	read.text = record_get_text(r);
	/* The folder is next to the journal, which may have been moved. */
	read.folder = journal_inside(path, (size_t)(strrchr(path, '/') - path), record_get_text(r));
	read.script = journal_inside(read.folder, read.folder ? strlen(read.folder) : 0,
				     record_get_text(r));
	read.no_script = record_get_text(r);
	read.forced = record_get(r);
	read.asked = record_get(r);
	read.forced_s = (double)record_get(r) / 1000;
	read.pause.ns = record_get(r);
	read.pause.slept_ns = record_get(r);
	read.pause.thread = record_get_text(r);
	if (r->bad || !take_found(&read, explore_known(e, read.key)))
		explore_failure_fini(&read);
}

/* ---- reading --------------------------------------------------------------------------------- */

bool explore_journal_next(struct explore_journal *j, struct explore *e, struct explore_outcome *o)
{
	size_t at = j->at;

	while (record_take(&j->record, &j->bytes, &at) > 0) {
		uint64_t kind = record_get(&j->record);

		if (kind == RECORD_RUN && !explore_outcome_read(o, &j->record))
			return false;
		j->at = at;
		j->over = kind == RECORD_OVER;
		if (kind == RECORD_RUN)
			return true;
		if (kind == RECORD_FOUND)
			read_found(e, j);
	}
	if (j->fd >= 0 && j->bytes.length && ftruncate(j->fd, (off_t)j->at) == 0)
		str_fini(&j->bytes);
	return false;
}

int explore_journal_read(struct explore_journal *j, const char *path, struct explore_options *o,
			 struct explore_args *args, struct str *head, struct error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	*j = (struct explore_journal){.fd = -1};
	str_add(&j->path, path);
	if (fd < 0 || io_read(fd, &j->bytes) < 0) {
		error_errno(err, ERROR_USAGE, "--merge: %s", path);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	close(fd);
	if (record_take(&j->record, &j->bytes, &j->at) <= 0 || !read_header(&j->record, o, args))
		return error_set(err, ERROR_USAGE,
				 "--merge: %s: not written by a search of this version of gatectl",
				 path);
	str_add_bytes(head, j->record.bytes.text, j->record.bytes.length - sizeof(uint64_t));
	return 0;
}

/* ---- journal of a search --------------------------------------------------------------------- */

/* True if the file is empty or a journal: other files are not overwritten. */
static bool is_journal(struct explore_journal *j)
{
	size_t at = 0;

	return !j->bytes.length || (record_take(&j->record, &j->bytes, &at) > 0 &&
				    record_get(&j->record) == RECORD_HEAD);
}

static bool journal_is_same(struct explore_journal *j, const struct record *head)
{
	return record_take(&j->record, &j->bytes, &j->at) > 0 &&
	       j->record.bytes.length == head->bytes.length &&
	       memcmp(j->record.bytes.text, head->bytes.text, head->bytes.length) == 0;
}

/* Returns 0 or errno. */
static int begin_anew(struct explore_journal *j, const struct record *head)
{
	str_clear(&j->bytes);
	j->at = 0;
	if (ftruncate(j->fd, 0) < 0)
		return errno;
	j->record.bytes.length = 0;
	str_add_bytes(&j->record.bytes, head->bytes.text, head->bytes.length);
	return write_record(j);
}

static const char *journal_prepare(struct explore *e)
{
	struct explore_journal *j = e->journal;
	const struct explore_options *o = &e->options;
	struct record head = {0};
	int failed = 0;

	str_addf(&j->path, "%s/search", o->output);
	if (o->shards > 1)
		str_addf(&j->path, ".%u-%u", o->shard, o->shards);
	j->made_folder = mkdir(o->output, 0777) == 0;
	j->fd = open(j->path.text, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (j->fd < 0 && errno == ELOOP)
		return "it is a symbolic link, to which gatectl does not write";
	if (j->fd < 0)
		return strerror(errno);
	if (flock(j->fd, LOCK_EX | LOCK_NB) < 0)
		return "another search is writing it";
	if (io_read(j->fd, &j->bytes) < 0)
		return strerror(errno);
	if (!is_journal(j))
		return "it is not the journal of a search; move it away, or name another folder "
		       "(-o)";
	write_header(e, &head);
	if (!journal_is_same(j, &head))
		failed = begin_anew(j, &head);
	record_fini(&head);
	return failed ? strerror(failed) : NULL;
}

void explore_journal_open(struct explore *e)
{
	const char *why;

	if (!e->options.goes_on)
		return;
	e->journal = base_alloc(1, sizeof(*e->journal));
	e->journal->fd = -1;
	why = journal_prepare(e);
	if (why)
		give_up(e, why);
}

void explore_journal_add(struct explore *e, const struct explore_outcome *o)
{
	struct explore_journal *j = e->journal;

	if (!j)
		return;
	explore_outcome_write(o, &j->record);
	journal_put(e);
}

void explore_journal_found(struct explore *e, const struct explore_failure *f)
{
	if (!e->journal || !f->folder)
		return;
	write_found(f, &e->journal->record);
	journal_put(e);
}

void explore_keep(struct explore *e)
{
	struct explore_journal *j = e->journal;

	if (!j)
		return;
	/* A part that ended without a schedule keeps its journal: --merge requires all parts. */
	if (e->options.shards == 1 ? !e->runs || e->over : !e->runs && !e->over) {
		unlink(j->path.text);
		remove_folder(j);
		return;
	}
	array_each(const struct explore_failure, f, &e->failures)
		explore_journal_found(e, f);
	if (e->journal && e->over) {
		record_begin(&j->record, RECORD_OVER);
		journal_put(e);
	}
}

void explore_journal_fini(struct explore_journal *j)
{
	if (j->fd >= 0)
		close(j->fd);
	str_fini(&j->path);
	str_fini(&j->bytes);
	record_fini(&j->record);
}
