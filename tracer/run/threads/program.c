/* Answers to scripts about the program: struct script_program by means of inspect, which reads the
   program through process_read.c. */
#include "tracer/run/run_internal.h"
#include "tracer/run/modules/images.h"
#include "tracer/run/places/places.h"
#include "tracer/run/threads/threads.h"
#include "tracer/run/threads/program.h"
#include "tracer/tracee/threads/threads.h"
#include "tracer/tracee/syscalls/syscalls.h"

#include <string.h>

_Static_assert(sizeof(struct inspect_value) <= PROGRAM_OBJECT,
	       "an object of a script holds a value");

enum { FRAMES_MORE = 16, CALL_LIMIT_MS = 1000 };

/* ---- frames --------------------------------------------------------------------------------- */

void program_forget(struct run_thread *t)
{
	inspect_stack_fini(&t->calls);
	t->calls_seen_from = 0;
	t->calls_all = false;
}

/* Frames are kept: the memory that unwinding reads does not change while the thread is stopped.
   Another place at the address needs other frames if its scope is an inlined function. */
static int read_frames(struct run *s, struct run_thread *t, uint64_t scope, size_t most,
		       struct error *err)
{
	struct run_thread *asker = s->asker;
	int failed;

	program_forget(t);
	s->asker = NULL;
	failed = calls_read(t, scope, most, &t->calls);
	t->calls_seen_from = scope;
	s->asker = asker;
	if (failed)
		return error_set(err, ERROR_STATE, "%s is not stopped", t->engine->id);
	t->calls_all = t->calls.count < most;
	return 0;
}

/* Returns 1; 0 if the thread has fewer frames; -1 with *err set. */
static int find_call(struct run *s, const struct arrival *a, unsigned frame,
		     struct inspect_call **out, struct error *err)
{
	struct run_thread *t = a->at;
	size_t most = frame ? (frame / FRAMES_MORE + 1) * FRAMES_MORE : 1;

	if (t->calls_seen_from != a->scope)
		program_forget(t);
	most += t->calls.count * 2; /* each read starts again at the innermost frame */
	if (frame >= t->calls.count && !t->calls_all && read_frames(s, t, a->scope, most, err) < 0)
		return -1;
	if (frame >= t->calls.count)
		return 0;
	*out = &t->calls.items[frame];
	return 1;
}

/* True if the thread stands before the function's body; other places at the address may not be
   there. */
static bool program_is_before(const struct arrival *a)
{
	const struct run_thread *t = a->at;
	const struct run_place *sp = a->place->user;

	return a->place->kind == PLACE_LOCATION && t->at_return == SOURCE_BEFORE && sp->located &&
	       sp->location.kind == LOCATION_FUNC;
}

static int call_at(struct run *s, const struct arrival *a, unsigned frame,
		   struct inspect_call **out, struct error *err)
{
	struct run_thread *t = a->at;
	int found;

	if (!frame && program_is_before(a)) {
		error_set(err, ERROR_STATE,
			  "%s begins with a loop here, and its variables are not known before the "
			  "loop",
			  a->func ? a->func : a->place->location);
		return error_hint(err, "name a line of it instead");
	}
	found = find_call(s, a, frame, out, err);
	if (found == 0)
		error_set(err, ERROR_STATE, "there is no frame %u: %s has %zu", frame,
			  t->engine->id, t->calls.count);
	return found > 0 ? 0 : -1;
}

static int frame(void *ctx, const struct arrival *a, unsigned n, struct program_frame *out,
		 struct error *err)
{
	struct inspect_call *call;
	int found = find_call(ctx, a, n, &call, err);

	if (found <= 0)
		return found;
	*out = (struct program_frame){
		.func = call->function,
		.file = call->file,
		.line = call->line,
		.object = call->frame.module ? module_name(call->frame.module) : NULL,
		.address = call->frame.pc,
		.inlined = call->inlined,
		.signal = call->frame.signal,
	};
	return 1;
}

/* ---- values --------------------------------------------------------------------------------- */

static void from_plain(struct inspect_plain *plain, struct program_value *out)
{
	static const enum program_kind kinds[] = {
		[INSPECT_NULL] = PROGRAM_NIL,	     [INSPECT_BOOL] = PROGRAM_BOOL,
		[INSPECT_INTEGER] = PROGRAM_INTEGER, [INSPECT_ENUM] = PROGRAM_ENUM,
		[INSPECT_FLOAT] = PROGRAM_NUMBER,    [INSPECT_TEXT] = PROGRAM_TEXT,
		[INSPECT_OBJECT] = PROGRAM_THING,
	};

	*out = (struct program_value){
		.kind = kinds[plain->kind],
		.integer = plain->integer,
		.number = plain->number,
		.name = plain->name,
		.text = plain->text, /* ownership passes to *out */
	};
	if (plain->kind == INSPECT_OBJECT)
		memcpy(out->object, &plain->object, sizeof(plain->object));
}

static int program_give(const struct inspect_value *v, struct program_value *out, struct error *err)
{
	struct inspect_plain plain;

	if (inspect_plain(v, &plain, err) < 0)
		return -1;
	from_plain(&plain, out);
	return 0;
}

/* The caller keeps the text. */
static void to_plain(const struct program_value *v, struct inspect_plain *out)
{
	static const enum inspect_plain_kind kinds[] = {
		[PROGRAM_NIL] = INSPECT_NULL,	     [PROGRAM_BOOL] = INSPECT_BOOL,
		[PROGRAM_INTEGER] = INSPECT_INTEGER, [PROGRAM_ENUM] = INSPECT_INTEGER,
		[PROGRAM_NUMBER] = INSPECT_FLOAT,    [PROGRAM_TEXT] = INSPECT_TEXT,
		[PROGRAM_THING] = INSPECT_OBJECT,
	};

	*out = (struct inspect_plain){
		.kind = kinds[v->kind],
		.integer = v->integer,
		.number = v->number,
		.text = v->text,
	};
	if (v->kind == PROGRAM_THING)
		memcpy(&out->object, v->object, sizeof(out->object));
}

/* Conditions may depend on memory that gatectl stores to. */
static int store(struct run *s, const struct inspect_value *to, const struct program_value *from,
		 struct error *err)
{
	struct inspect_plain plain;

	to_plain(from, &plain);
	if (inspect_store(to, &plain, err) < 0)
		return -1;
	engine_changed(s->engine);
	return 0;
}

static int variable(void *ctx, const struct arrival *a, unsigned n, const char *name,
		    struct program_value *out, struct error *err)
{
	struct inspect_call *call;
	struct inspect_value v;

	if (call_at(ctx, a, n, &call, err) < 0 || inspect_variable(call, name, &v, err) < 0)
		return -1;
	if (program_give(&v, out, err) == 0)
		return 0;
	if (v.place != INSPECT_IN_MEMORY) /* composed of pieces, one of which is missing */
		error_set(err, err->code, "%s: %s", name, error_text(err));
	return -1;
}

static int set_variable(void *ctx, const struct arrival *a, unsigned n, const char *name,
			const struct program_value *from, struct error *err)
{
	struct inspect_call *call;
	struct inspect_value v;

	return call_at(ctx, a, n, &call, err) < 0 || inspect_variable(call, name, &v, err) < 0
		       ? -1
		       : store(ctx, &v, from, err);
}

static int argument(void *ctx, const struct arrival *a, unsigned n, int64_t i,
		    struct program_value *out, struct error *err)
{
	struct inspect_call *call;
	struct inspect_value v;

	return call_at(ctx, a, n, &call, err) < 0 || inspect_argument(call, i, &v, err) < 0
		       ? -1
		       : program_give(&v, out, err);
}

/* True if the thread stands at the place's return; other places at the address may not be there. */
static bool is_at_return(const struct arrival *a)
{
	const struct run_thread *t = a->at;
	const struct run_place *sp = a->place->user;

	return a->place->kind == PLACE_LOCATION && t->at_return && sp->located &&
	       sp->location.kind == LOCATION_RETURN;
}

static int result(void *ctx, const struct arrival *a, struct program_value *out, struct error *err)
{
	struct run_thread *t = a->at;
	struct inspect_call *call;
	struct inspect_value v;

	if (!is_at_return(a))
		return error_set(err, ERROR_STATE, "hit.ret: %s is not FUNC%%return",
				 a->place->location);
	if (t->at_return == SOURCE_TAIL)
		return error_set(err, ERROR_STATE,
				 "hit.ret: %s ends in a jump to another function here, which has "
				 "not returned yet",
				 a->func ? a->func : "the function");
	return call_at(ctx, a, 0, &call, err) < 0 || inspect_return_value(call, &v, err) < 0
		       ? -1
		       : program_give(&v, out, err);
}

static int eval(void *ctx, const struct arrival *a, unsigned n, const char *text,
		struct program_value *out, struct error *err)
{
	struct inspect_call *call;
	struct inspect_value v;

	return call_at(ctx, a, n, &call, err) < 0 || inspect_eval(call, text, &v, err) < 0
		       ? -1
		       : program_give(&v, out, err);
}

int program_condition(struct run *s, const struct arrival *a, const char *text, bool *out,
		      struct error *err)
{
	struct inspect_call *call;

	return call_at(s, a, 0, &call, err) < 0 ? -1 : inspect_condition(call, text, out, err);
}

/* ---- globals of the program's first process -------------------------------------------------- */

static int find_global(struct run *s, const struct arrival *a, const char *name,
		       struct inspect_value *out, struct error *err)
{
	struct run_thread *t = a ? a->at : NULL;

	if (!s->root || !s->root->tracee)
		return error_set(err, ERROR_STATE, "program.var.%s: the program %s", name,
				 s->root ? "has ended" : "has not started yet");
	return inspect_global(&s->root->program, t && t->process == s->root ? t : NULL, name, out,
			      err);
}

static int global(void *ctx, const struct arrival *a, const char *name, struct program_value *out,
		  struct error *err)
{
	struct inspect_value v;

	return find_global(ctx, a, name, &v, err) < 0 ? -1 : program_give(&v, out, err);
}

static int set_global(void *ctx, const struct arrival *a, const char *name,
		      const struct program_value *from, struct error *err)
{
	struct inspect_value v;

	return find_global(ctx, a, name, &v, err) < 0 ? -1 : store(ctx, &v, from, err);
}

/* ---- objects -------------------------------------------------------------------------------- */

static struct inspect_value program_value_of(const void *object)
{
	struct inspect_value v;

	memcpy(&v, object, sizeof(v));
	return v;
}

static int field(void *ctx, const void *object, const char *name, struct program_value *out,
		 struct error *err)
{
	struct inspect_value v = program_value_of(object), program_member;
	int answer = inspect_key(&v, name, strlen(name), &program_member, err);

	(void)ctx;
	if (answer == 0)
		answer = inspect_field(&v, name, &program_member, err);
	return answer < 0 ? -1 : program_give(&program_member, out, err);
}

static int set_field(void *ctx, const void *object, const char *name,
		     const struct program_value *from, struct error *err)
{
	struct inspect_value v = program_value_of(object), program_member;

	return inspect_field(&v, name, &program_member, err) < 0
		       ? -1
		       : store(ctx, &program_member, from, err);
}

static int element(void *ctx, const void *object, int64_t i, struct program_value *out,
		   struct error *err)
{
	struct inspect_value v = program_value_of(object), program_member;

	(void)ctx;
	return inspect_element(&v, i, &program_member, err) < 0
		       ? -1
		       : program_give(&program_member, out, err);
}

static int set_element(void *ctx, const void *object, int64_t i, const struct program_value *from,
		       struct error *err)
{
	struct inspect_value v = program_value_of(object), program_member;

	return inspect_element(&v, i, &program_member, err) < 0
		       ? -1
		       : store(ctx, &program_member, from, err);
}

static int nth(void *ctx, const void *object, uint64_t i, bool key, struct program_value *out,
	       struct error *err)
{
	struct inspect_value v = program_value_of(object), program_member;
	int answer = inspect_nth(&v, i, key, &program_member, err);

	(void)ctx;
	return answer <= 0 ? answer : program_give(&program_member, out, err) < 0 ? -1 : 1;
}

static int length(void *ctx, const void *object, int64_t *out, struct error *err)
{
	struct inspect_value v = program_value_of(object);

	(void)ctx;
	return inspect_length(&v, out, err);
}

static int string(void *ctx, const void *object, struct str *out, struct error *err)
{
	struct inspect_value v = program_value_of(object);

	(void)ctx;
	return inspect_string(&v, out, err);
}

static int address(void *ctx, const void *object, uint64_t *out, struct error *err)
{
	struct inspect_value v = program_value_of(object);

	(void)ctx;
	return inspect_address(&v, out, err);
}

static const char *program_member(void *ctx, const void *object, size_t i)
{
	struct inspect_value v = program_value_of(object);

	(void)ctx;
	return inspect_member(&v, i);
}

static void program_describe(void *ctx, const void *object, struct str *out)
{
	struct inspect_value v = program_value_of(object);

	(void)ctx;
	inspect_describe(&v, out);
}

static bool program_same(void *ctx, const void *a, const void *b)
{
	struct inspect_value x = program_value_of(a), y = program_value_of(b);

	(void)ctx;
	return inspect_same(&x, &y);
}

/* ---- calls ---------------------------------------------------------------------------------- */

static uint64_t symbol_of(const struct run_process *p, const char *name)
{
	uint64_t offset, size;

	array_each(const struct image, image, &p->images)
		if (module_symbol(image->module, name, &offset, &size) == 0)
			return image->bias + offset;
	return 0;
}

/* Finds the addresses of the symbols with these names, each once; returns their number. */
static unsigned symbols_of(const struct run_process *p, const char *const *names, size_t count,
			   uint64_t *out)
{
	unsigned found = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t address = symbol_of(p, names[i]);
		bool known = !address;

		for (unsigned k = 0; k < found; k++)
			known |= out[k] == address;
		if (!known)
			out[found++] = address;
	}
	return found;
}

static void prepare_call(const struct run_process *p, const struct inspect_entry *entry,
			 struct tracee_call *call)
{
	static const char *const leaving[] = {"longjmp", "_longjmp", "siglongjmp", "__longjmp_chk"};
	static const char *const ending[] = {"exit", "quick_exit", "pthread_exit", "thrd_exit"};

	*call = (struct tracee_call){
		.function = entry->address,
		.integers = entry->integers,
		.vectors = entry->vectors,
		.texts = entry->texts,
		.limit_ms = CALL_LIMIT_MS,
		.errno_function = symbol_of(p, "__errno_location"),
	};
	memcpy(call->integer, entry->integer, sizeof(call->integer));
	memcpy(call->vector, entry->vector, sizeof(call->vector));
	memcpy(call->text, entry->text, sizeof(call->text));
	memcpy(call->text_at, entry->text_at, sizeof(call->text_at));
	call->leaving_count =
		symbols_of(p, leaving, sizeof(leaving) / sizeof(*leaving), call->leaving);
	call->ending_count = symbols_of(p, ending, sizeof(ending) / sizeof(*ending), call->ending);
}

/* Adds function and source line to an error like "it crashed with SIGSEGV at 0x...". */
static int call_failed(struct run_process *p, const char *function, const struct tracee_call *call,
		       struct error *err)
{
	struct image *image = call->failed_at ? images_find(p->run, p, call->failed_at) : NULL;
	struct source_symbolised where = {0};
	struct str text = {0};

	str_addf(&text, "hit:call \"%s\": %s", function, err->text);
	if (image && source_symbolise(image->module, call->failed_at - image->bias, true, &where)) {
		str_addf(&text, " in %s", where.function ? where.function : "?");
		if (where.file)
			str_addf(&text, " (%s:%u)", where.file, where.line);
		source_symbolised_fini(&where);
	}
	error_set(err, ERROR_STATE, "%s", str_text(&text));
	str_fini(&text);
	return -1;
}

static int run_call(struct run *s, struct run_thread *t, const char *function,
		    const struct inspect_entry *entry, struct program_value *out, struct error *err)
{
	struct tracee_call call;
	struct inspect_value v;
	int failed;

	prepare_call(t->process, entry, &call);
	observe(condition, s, &(struct condition_event){.step = CONDITION_CALLS});
	inside_take_all_back(s); /* arrivals during the call do not count */
	failed = tracee_call(s->tracee, t->tracee, &call, err);
	pages_forget(s);
	if (call.wrote) /* another condition may have read that memory */
		engine_changed(s->engine);
	if (failed < 0)
		return call_failed(t->process, function, &call, err);
	if (inspect_returned(&t->process->program, entry, call.rax, call.rdx, call.xmm0, call.xmm1,
			     call.st0, &v, err) < 0)
		return -1;
	return program_give(&v, out, err);
}

static int threads_program_call(void *ctx, const struct arrival *a, const char *function,
				const struct program_value *args, size_t count,
				struct program_value *out, struct error *err)
{
	struct inspect_plain *plain = base_alloc(count + 1, sizeof(*plain));
	struct run_thread *t = a->at;
	struct inspect_entry entry;
	struct inspect_call *around;
	int result = -1;

	for (size_t i = 0; i < count; i++)
		to_plain(&args[i], &plain[i]);
	if (call_at(ctx, a, 0, &around, err) == 0 &&
	    inspect_entry(around, function, plain, count, &entry, err) == 0)
		result = run_call(ctx, t, function, &entry, out, err);
	base_free(plain);
	return result;
}

/* ---- the tables of functions ----------------------------------------------------------------- */

void program_asks(struct run *s, struct run_thread *t)
{
	s->asker = t;
	observe(condition, s, &(struct condition_event){.step = CONDITION_BEGINS, .thread = t});
}

static void asking(void *ctx, const struct arrival *a)
{
	program_asks(ctx, a->at);
}

bool program_dying(const struct arrival *a)
{
	const struct run_thread *t = a->at;
	struct tracee_block look;

	if (!t->tracee || t->tracee->state != TRACEE_STOPPED)
		return true;
	tracee_look(t->tracee, &look);
	return look.activity != TRACEE_HALTED;
}

static bool dying(void *ctx, const struct arrival *a)
{
	(void)ctx;
	return program_dying(a);
}

static void answered(void *ctx)
{
	((struct run *)ctx)->asker = NULL;
}

void program_functions(struct run *s, struct script_program *out)
{
	*out = (struct script_program){
		.ctx = s,
		.variable = variable,
		.set_variable = set_variable,
		.argument = argument,
		.result = result,
		.eval = eval,
		.call = threads_program_call,
		.frame = frame,
		.global = global,
		.set_global = set_global,
		.field = field,
		.set_field = set_field,
		.element = element,
		.set_element = set_element,
		.nth = nth,
		.length = length,
		.string = string,
		.address = address,
		.member = program_member,
		.describe = program_describe,
		.same = program_same,
		.asking = asking,
		.dying = dying,
		.answered = answered,
	};
}
