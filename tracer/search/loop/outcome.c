/* Judges how a run ended and which failures are equal; codes outcomes as records. */
#include "tracer/search/search_internal.h"

#include "tracer/base/hash.h"
#include "tracer/base/signame.h"

#include <string.h>

/* Place of the run's last step, which distinguishes two crashes by one signal. */
static uint64_t last_place(const struct sched *c)
{
	const struct schedule *s = &c->schedule;

	return s->steps.count ? s->steps.items[s->steps.count - 1].point.place : 0;
}

static enum explore_ended fails_by(const char *word, const char **kind)
{
	*kind = word;
	return EXPLORE_FAILED;
}

static enum explore_ended failure_judge(const struct sched *c, const struct run_result *r,
					const char **kind)
{
	if (c->end == SCHED_STOPPED || r->out_of_time)
		return EXPLORE_TRUNCATED;
	if (c->end == SCHED_STEPS)
		return r->expects && r->verdict == VERDICT_OK ? EXPLORE_PASSED
		       : sched_spins(c)			      ? fails_by("livelock", kind)
							      : EXPLORE_TRUNCATED;
	if (c->end == SCHED_HANGS)
		return r->expects && r->verdict == VERDICT_OK ? EXPLORE_PASSED
							      : fails_by("hang", kind);
	switch (r->verdict) {
	case VERDICT_OK:
		if (!r->status && c->left_count && (c->flags & SCHED_LEAKS))
			return fails_by("leak", kind);
		if (r->expects || !r->status)
			return EXPLORE_PASSED;
		return fails_by(c->seen & SCHED_SANITIZER ? "sanitizer"
				: r->signaled		  ? "signal"
							  : "status",
				kind);
	case VERDICT_CRASHED:
		return fails_by(c->seen & SCHED_SANITIZER ? "sanitizer" : "signal", kind);
	case VERDICT_DEADLOCK:
		return fails_by("deadlock", kind);
	case VERDICT_NOT_AS_EXPECTED:
		return fails_by("expect", kind);
	case VERDICT_TIME_LIMIT: /* the script's limit, which applies to each schedule */
		return fails_by("hang", kind);
	default:
		return EXPLORE_GATED;
	}
}

enum explore_ended explore_judge(const struct sched *c, const struct run_result *r,
				 const char **kind, uint64_t *key)
{
	enum explore_ended ended = failure_judge(c, r, kind);
	bool is_told_by_places;

	if (ended != EXPLORE_FAILED)
		return ended;
	is_told_by_places = strcmp(*kind, "deadlock") == 0 || strcmp(*kind, "leak") == 0 ||
			    c->end == SCHED_HANGS;
	*key = hash_text(hash_text(HASH_START, *kind), is_told_by_places ? c->stuck : NULL) +
	       (uint64_t)r->status;
	if (strcmp(*kind, "signal") == 0)
		*key ^= last_place(c);
	return ended;
}

char *explore_where(const struct run_result *r, const char *kind)
{
	struct str text = {0};

	if (strcmp(kind, "signal") == 0)
		str_addf(&text, "SIG%s", signame_text(r->status - 128));
	else if (strcmp(kind, "deadlock") == 0 || strcmp(kind, "livelock") == 0 ||
		 strcmp(kind, "hang") == 0)
		str_addf(&text, "a %s", kind);
	else if (strcmp(kind, "expect") == 0)
		str_add(&text, "not as expected");
	else if (strcmp(kind, "leak") == 0)
		str_add(&text, "a thread that had not ended");
	else if (strcmp(kind, "sanitizer") == 0)
		str_add(&text, "a sanitizer's report");
	else
		str_addf(&text, "exit status %d", r->status);
	return str_take(&text);
}

char *explore_text(const struct sched *c, const struct run_result *r, const char *kind)
{
	struct str text = {0};

	str_add(&text, str_text(&r->text));
	if (strcmp(kind, "leak") == 0)
		str_addf(&text, "%s\n", str_text(&c->left));
	return str_take(&text);
}

void explore_points_fini(struct explore_points_at *points)
{
	sched_places_clear(&points->chosen);
	sched_places_clear(&points->starts);
}

void explore_failure_fini(struct explore_failure *f)
{
	if (f->points)
		explore_points_fini(f->points);
	base_free(f->points);
	base_free(f->kind);
	base_free(f->where);
	base_free(f->crash_file);
	base_free(f->who_freed);
	base_free(f->text);
	base_free(f->folder);
	base_free(f->script);
	base_free(f->no_script);
	base_free(f->pause.thread);
	str_fini(&f->out);
	str_fini(&f->err);
	str_fini(&f->gates);
	for (int kind = 0; kind < REPORT_KINDS; kind++)
		str_fini(&f->reports[kind]);
	schedule_fini(&f->schedule);
	schedule_names_fini(&f->paths);
}

void explore_outcome_fini(struct explore_outcome *o)
{
	base_free(o->differs);
	base_free(o->said);
	base_free(o->last_steps);
	base_free(o->last_threads);
	base_free(o->last_words);
	base_free(o->left);
	base_free(o->kind);
	base_free(o->where);
	base_free(o->text);
	array_fini(&o->lesson);
	schedule_fini(&o->schedule);
	schedule_names_fini(&o->paths);
	schedule_fini(&o->passed);
	schedule_names_fini(&o->passed_paths);
	*o = (struct explore_outcome){0};
}

/* ---- coding: each function writes or reads --------------------------------------------------- */

static void code_names(struct record *r, struct schedule_names *names)
{
	uint64_t count = names->count;

	record_word(r, &count);
	for (uint64_t i = 0; i < count && !r->bad; i++) {
		char **name = r->reads ? array_add(names) : &names->items[i];

		record_text(r, name);
		*name = *name ? *name : base_strdup("");
	}
}

static void code_step(struct record *r, struct schedule_step *step)
{
	struct strategy_point *p = &step->point;
	uint64_t threads = (uint64_t)step->thread << 32 | p->thread;
	uint64_t what = (uint64_t)p->op << 3 | (uint64_t)p->writes << 2 |
			(uint64_t)step->others << 1 | step->preempts;

	record_word(r, &threads);
	record_word(r, &what);
	record_word(r, &p->object);
	record_word(r, &p->place);
	record_word(r, &p->fixed);
	step->thread = (unsigned)(threads >> 32);
	p->thread = (unsigned)threads;
	p->op = (enum strategy_op)(what >> 3);
	p->writes = what >> 2 & 1;
	step->others = what >> 1 & 1;
	step->preempts = what & 1;
}

/* Codes the schedule and its threads' paths; an empty schedule is coded as zeros. */
static void code_order(struct record *r, struct schedule *s, struct schedule_names *paths)
{
	uint64_t count = s->steps.count;

	code_names(r, &s->threads);
	code_names(r, &s->modules);
	record_word(r, &count);
	for (uint64_t i = 0; i < count && !r->bad; i++) {
		struct schedule_step *step = r->reads ? array_add(&s->steps) : &s->steps.items[i];

		code_step(r, step);
		r->bad |= step->thread >= s->threads.count;
	}
	code_names(r, paths);
}

static void code_failure(struct record *r, struct explore_outcome *o)
{
	uint64_t status = (uint64_t)o->status;

	record_word(r, &o->key);
	record_word(r, &status);
	o->status = (int)status;
	record_text(r, &o->kind);
	if (!o->kind)
		return;
	record_text(r, &o->where);
	record_text(r, &o->text);
	code_order(r, &o->schedule, &o->paths);
	r->bad |= !o->where || !o->text;
}

static void code_lesson(struct record *r, struct explore_outcome *o)
{
	uint64_t count = o->lesson.count;

	record_word(r, &count);
	for (uint64_t i = 0; i < count && !r->bad; i++)
		record_word(r, r->reads ? array_add(&o->lesson) : &o->lesson.items[i]);
}

static void code_outcome(struct record *r, struct explore_outcome *o)
{
	char **const texts[] = {&o->differs,	  &o->said,	  &o->last_steps,
				&o->last_threads, &o->last_words, &o->left};
	uint64_t ended = o->ended, rechecked = o->twice;
	uint64_t flags = (uint64_t)o->late << 3 | (uint64_t)o->asks_ids << 2 |
			 (uint64_t)o->early << 1 | o->none;

	record_word(r, &o->run);
	record_word(r, &ended);
	record_word(r, &flags);
	record_word(r, &o->at_us);
	record_word(r, &o->digest);
	record_word(r, &o->points);
	record_word(r, &o->threads);
	record_word(r, &rechecked);
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		record_text(r, texts[i]);
	o->ended = (enum explore_ended)ended;
	o->none = flags & 1;
	o->early = flags >> 1 & 1;
	o->asks_ids = flags >> 2 & 1;
	o->late = flags >> 3 & 1;
	o->twice = rechecked;
	code_lesson(r, o);
	code_order(r, &o->passed, &o->passed_paths);
	if (o->ended == EXPLORE_FAILED)
		code_failure(r, o);
}

/* The cast is safe: coding does not change *o when the record is written. */
void explore_outcome_write(const struct explore_outcome *o, struct record *r)
{
	record_begin(r, RECORD_RUN);
	code_outcome(r, (struct explore_outcome *)o);
}

bool explore_outcome_read(struct explore_outcome *o, struct record *r)
{
	*o = (struct explore_outcome){0};
	code_outcome(r, o);
	if (!r->bad)
		return true;
	explore_outcome_fini(o);
	return false;
}
