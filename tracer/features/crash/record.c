/* Writes crashes to the JSON record: `crash` of the program itself (null if no signal ended it),
 * `child_crashes` of its children. */
#include "tracer/features/crash/crash.h"
#include "tracer/base/signame.h"

#include <signal.h>
#include <stdio.h>

static void add_hex(const char *name, uint64_t value, struct json *j)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)value);
	json_string(j, name, text);
}

static void add_line(const char *file, unsigned line, struct json *j)
{
	json_string(j, "file", file);
	if (file && line)
		json_integer(j, "line", line);
	else
		json_string(j, "line", NULL);
}

static void add_frames(const struct crash *c, struct json *j)
{
	json_array(j, "backtrace");
	array_each(const struct crash_frame, f, &c->frames) {
		json_object(j, NULL);
		json_string(j, "func", f->func);
		add_line(f->file, f->line, j);
		json_string(j, "args", f->arguments);
		json_string(j, "object", f->object);
		add_hex("pc", f->pc, j);
		json_bool(j, "inlined", f->inlined);
		json_bool(j, "signal", f->signal);
		json_string(j, "text", f->text);
		json_end_object(j);
	}
	json_end_array(j);
	json_integer(j, "frames", (long long)c->calls);
	json_bool(j, "cut", c->cut);
}

static void add_others(const struct crash *c, struct json *j)
{
	json_array(j, "others");
	array_each(const struct crash_other, o, &c->others) {
		json_object(j, NULL);
		json_string(j, "thread", o->thread->id);
		json_string(j, "text", o->text);
		add_line(o->file, o->line, j);
		json_end_object(j);
	}
	json_end_array(j);
}

static void add_crash(const char *name, const struct run *s, const struct crash *c, struct json *j)
{
	const struct expect *x = &run_plan(s)->expect;
	const struct crash_frame *own;
	STR(text);

	json_object(j, name);
	str_addf(&text, "SIG%s", signame_text(c->fault.signal));
	json_string(j, "signal", str_text(&text));
	json_string(j, "thread", run_thread_id(c->thread));
	json_integer(j, "pid", run_process_pid(c->process));
	if (c->has_address)
		add_hex("address", c->address, j);
	else
		json_string(j, "address", NULL);
	json_string(j, "what", str_text(&c->what));
	json_string(j, "where", c->where.length ? str_text(&c->where) : NULL);
	json_string(j, "said", c->said.length ? str_text(&c->said) : NULL);
	json_bool(j, "expected",
		  c->process == run_root(s) && x->end == EXPECT_SIGNAL &&
			  x->signal == c->fault.signal && (!x->at || c->at));
	str_clear(&text);
	crash_title(c, &text);
	json_string(j, "title", str_text(&text));
	own = crash_own(c) ? crash_own(c) : c->frames.items;
	json_string(j, "func", own ? own->func : NULL);
	add_line(own ? own->file : NULL, own ? own->line : 0, j);
	add_frames(c, j);
	add_others(c, j);
	json_end_object(j);
}

void crash_record(struct run *s, struct json *j)
{
	const struct crash *root = crash_of_root(s);

	if (root)
		add_crash("crash", s, root, j);
	else
		json_string(j, "crash", NULL);
	json_array(j, "child_crashes");
	array_each(struct crash *, c, crash_all(s))
		if (*c != root && (*c)->ended)
			add_crash(NULL, s, *c, j);
	json_end_array(j);
}
