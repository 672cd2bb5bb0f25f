/*
 * The index of debug information: locations resolve with it as without, and wrong numbers in it do
 * no harm.
 */
#include "symbols_program.h"

#include "tracer/cache/cache.h"
#include "tracer/dwarf/index/index.h"
#include "tracer/elf/module.h"

#include <dirent.h>

static const char header[] =
	"#pragma once\n"
	"namespace app {\n"
	"template <typename T> struct Queue {\n"
	"	T items[4]; int count;\n"
	"	void push(T item) { items[count++ & 3] = item; }\n"
	"	bool operator<(const Queue &o) const { return count < o.count; }\n"
	"	Queue &operator<<(T item) { push(item); return *this; }\n"
	"	operator bool() const { return count; }\n"
	"	struct Inner { int twice(int n) { return 2 * n + seen++; } int seen = 0; };\n"
	"};\n"
	"inline int shared(int n) { static int total; return total += n; }\n"
	"int other(int n);\n"
	"int never(int n);\n"
	"}\n";

static const char first[] = "#include \"queue.h\"\n"
			    "volatile int sink;\n"
			    "static int helper(int n) { sink = n; return n + 1; } // gate: one\n"
			    "namespace {\n"
			    "int hidden(int n) { return n * (sink = 3); }\n"
			    "}\n"
			    "int plain(int n)\n"
			    "{\n"
			    "	auto twice = [n](int m) { return sink = n + m; };\n"
			    "	return twice(n) + hidden(n) + helper(n);\n"
			    "}\n"
			    "int main(int argc, char **)\n"
			    "{\n"
			    "	app::Queue<int> q{}, p{};\n"
			    "	app::Queue<long>::Inner inner;\n"
			    "	q << argc << 2;\n"
			    "	p.push(argc);\n"
			    "	if (p < q && q)\n"
			    "		sink = app::shared(argc) + inner.twice(argc);\n"
			    "	return plain(argc) + app::other(argc) > 1000;\n"
			    "}\n";

static const char second[] = "#include \"queue.h\"\n"
			     "extern volatile int sink;\n"
			     "static int helper(int n)\n"
			     "{\n"
			     "	sink = n;\n"
			     "	return n + 2;\n"
			     "}\n"
			     "int app::other(int n)\n"
			     "{\n"
			     "	app::Queue<long> q{};\n"
			     "	q.push(n);\n"
			     "	return app::shared(n) + helper(n); /* gate: two */\n"
			     "}\n";

static const char *const names[] = {
	"main",
	"plain",
	"helper",
	"helper#1",
	"helper#2",
	"app::other",
	"other",
	"Queue::push",
	"push#1",
	"app::Queue<int>::push",
	"Queue<long>::push",
	"operator<",
	"operator<<",
	"Queue::operator<<",
	"operator bool",
	"app::shared",
	"hidden",
	"app::never",
	"never",
	"twice",
	"Inner::twice",
	"missing",
	"missing.cc:3",
	"main%return",
	"plain%return",
	"main:+3",
	"plain:+2",
	"plain;hidden(n)",
	"queue.h;count++",
	"//one",
	"//two",
	"//three",
	"second.cc;sink",
	"sub/first.cc:3",
	"first.cc:99",
};

static const char *const builds[] = {
	"g++ -g -O0",
	"g++ -g -O2",
	"g++ -gdwarf-4 -O1 -fdebug-types-section",
	"g++ -gdwarf-3 -O2",
	"g++ -g -O2 -flto",
	"g++ -g -O1 -Wl,--build-id=none -gz=zlib",
	"clang++ -g -O0",
	"clang++ -gdwarf-5 -O2",
	"g++ -g -O1 -gsplit-dwarf",
};

static void write_sources(struct program *p)
{
	program_write(p, "queue.h", header);
	program_write(p, "first.cc", first);
	program_write(p, "second.cc", second);
}

static void build(struct program *p, const char *compiler)
{
	struct str line = {0};

	str_addf(&line, "%s -o prog first.cc second.cc", compiler);
	program_run(p, str_text(&line));
	str_fini(&line);
}

/* ---- what a location means, as text --------------------------------------------------------- */

static void describe(struct program *p, const char *location, struct str *out)
{
	enum source_answer answer = resolve(p, location);

	str_addf(out, "%s: %d %s %s\n", location, answer, p->err.text ? p->err.text : "",
		 p->err.hint ? p->err.hint : "");
	array_each(const struct source_site, s, &p->sites)
		str_addf(out, "  %d %llx %s in %s %s:%u %zu %zu\n", s->kind,
			 (unsigned long long)s->offset, s->function ? s->function : "-",
			 s->inlined_into ? s->inlined_into : "-", s->file ? s->file : "-", s->line,
			 s->ranges.count, s->exits.count);
}

/* Opens the program anew each time, so that all tables are this start's. */
static void describe_one(struct program *p, const char *location, struct str *out)
{
	program_close(p);
	program_add(p, "prog");
	describe(p, location, out);
}

static void describe_all(struct program *p, struct str *out)
{
	static const char *const files[] = {"first.cc", "second.cc", "queue.h"};
	char line[32];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		describe_one(p, names[i], out);
	program_close(p);
	program_add(p, "prog");
	for (size_t i = 0; i < 3; i++)
		for (unsigned n = 1; n <= 22; n++) {
			snprintf(line, sizeof(line), "%s:%u", files[i], n);
			describe(p, line, out);
		}
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		describe(p, names[i], out);
}

/* ---- the tests ------------------------------------------------------------------------------ */

static int setup(void **state)
{
	static char base[64];
	struct program *p = base_alloc(1, sizeof(*p));

	program_init(p);
	snprintf(base, sizeof(base), "%s/cache", p->dir);
	write_sources(p);
	*state = p;
	return setenv("XDG_CACHE_HOME", base, 1);
}

static int teardown(void **state)
{
	program_fini(*state);
	base_free(*state);
	return 0;
}

/* Name of the only cached file, or "" if there is none. */
static const char *kept_file(const struct program *p)
{
	static char name[256];
	char folder[128];
	struct dirent *entry;
	DIR *d;

	name[0] = '\0';
	snprintf(folder, sizeof(folder), "%s/cache/gatectl", p->dir);
	d = opendir(folder);
	while (d && (entry = readdir(d)))
		if (entry->d_name[0] != '.') {
			assert_string_equal(name, "");
			strcpy(name, entry->d_name);
		}
	if (d)
		closedir(d);
	return name;
}

static void same_with_and_without(void **state)
{
	struct program *p = *state;

	for (size_t i = 0; i < sizeof(builds) / sizeof(*builds); i++) {
		struct str without = {0}, with = {0}, again = {0};
		bool split = strstr(builds[i], "split") != NULL;

		build(p, builds[i]);
		index_least = UINT64_MAX;
		describe_all(p, &without);
		index_least = 1;
		describe_all(p, &with);
		describe_all(p, &again);
		assert_string_equal(str_text(&with), str_text(&without));
		assert_string_equal(str_text(&again), str_text(&without));
		/* The cache was used: it is complete, and an opened module has it. */
		assert_int_equal(strcmp(kept_file(p), "") == 0, split);
		assert_int_equal(index_has_names(p->modules[0]->dies), !split);
		program_run(p, "rm -rf cache");
		str_fini(&without);
		str_fini(&with);
		str_fini(&again);
	}
}

static void build_and_look(struct program *p, const char *compiler, unsigned shift)
{
	char location[32];

	program_close(p);
	build(p, compiler);
	program_add(p, "prog");
	sites_of(p, "plain");
	assert_int_equal(p->sites.items[0].line, 9 + shift);
	snprintf(location, sizeof(location), "first.cc:%u", 10 + shift);
	assert_int_equal(sites_of(p, location), 1);
}

/* A rebuilt program is another one, also with an equal build-id or without one. */
static void built_anew_is_another(void **state)
{
	static const char *const ids[] = {"0x0123456789abcdef", "none", "sha1"};
	struct program *p = *state;
	struct str moved = {0};

	index_least = 1;
	str_addf(&moved, "\n\n%s", first);
	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++) {
		char compiler[64];

		snprintf(compiler, sizeof(compiler), "g++ -g -O0 -Wl,--build-id=%s", ids[i]);
		program_write(p, "first.cc", first);
		build_and_look(p, compiler, 0);
		program_write(p, "first.cc", str_text(&moved));
		build_and_look(p, compiler, 2);
	}
	str_fini(&moved);
}

static uint32_t next_random(void)
{
	static uint32_t x = 1;

	x ^= x << 13;
	x ^= x >> 17;
	return x ^= x << 5;
}

/* Wrong numbers with correct checksums: each query returns an answer or an error. */
static void wrong_numbers_do_no_harm(void **state)
{
	static const char *const asked[] = {"plain",	     "first.cc:10", "queue.h:5",
					    "Queue::push",   "missing",	    "main%return",
					    "second.cc;sink"};
	struct program *p = *state;
	struct cache_part parts[CACHE_PARTS] = {0};
	uint8_t *copies[CACHE_PARTS] = {0};
	char name[256];
	struct str ignored = {0};
	struct cache *c;

	index_least = 1;
	build(p, "g++ -g -O1");
	describe_all(p, &ignored);
	strcpy(name, kept_file(p));
	c = cache_open(name, INDEX_FORMAT);
	assert_non_null(c);
	for (unsigned i = 0; i < CACHE_PARTS; i++) {
		parts[i].size = cache_size(c, i);
		parts[i].bytes = copies[i] = base_alloc(parts[i].size + 1, 1);
	}
	for (unsigned n = 0; n < 1500; n++) {
		for (unsigned i = 0; i < CACHE_PARTS; i++)
			if (parts[i].size)
				memcpy(copies[i], cache_bytes(c, i, 0, parts[i].size),
				       parts[i].size);
		for (unsigned k = 0; k <= n % 4; k++) {
			unsigned i = next_random() % 6;

			if (parts[i].size)
				copies[i][next_random() % parts[i].size] = (uint8_t)next_random();
		}
		assert_true(cache_write(name, INDEX_FORMAT, parts, CACHE_PARTS));
		str_clear(&ignored);
		describe_one(p, asked[n % (sizeof(asked) / sizeof(*asked))], &ignored);
	}
	for (unsigned i = 0; i < CACHE_PARTS; i++)
		base_free(copies[i]);
	cache_close(c);
	str_fini(&ignored);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(same_with_and_without),
		TEST(built_anew_is_another),
		TEST(wrong_numbers_do_no_harm),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
