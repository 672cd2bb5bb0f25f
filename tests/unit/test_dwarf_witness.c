/*
 * libdwarf as an independent witness (witness.h): both read every entry, attribute, range, location
 * list and frame row of many programs, with equal results.
 *	test_dwarf_witness           programs that it compiles, gatectl, itself
 *	test_dwarf_witness --full    also every target in tests/targets
 *	test_dwarf_witness FILE...   these files
 */
#include "witness_reasons.h"
#include "witness_entries.h"
#include "witness_frames.h"

#include "tracer/base/text/str.h"

#include <dirent.h>
#include <libgen.h>
#include <stdlib.h>
#include <unistd.h>

enum { ENOUGH = 500000 };

static struct counts counts;
static char directory[] = "/tmp/gatectl-witness-XXXXXX";
static bool full;

/* ---- one file ------------------------------------------------------------------------------- */

static void open_theirs(struct witness *w, const char *path)
{
	Dwarf_Unsigned ignored;
	Dwarf_Error error;

	if (their_open(path, &w->theirs, &error) != DW_DLV_OK)
		fail_msg("%s: libdwarf does not open it", path);
	/* Lists of DWARF 5 exist only after they have been loaded. */
	said(w, dwarf_load_rnglists(w->theirs, &ignored, &error), &error,
	     (struct difference){.what = "an error in .debug_rnglists"});
	said(w, dwarf_load_loclists(w->theirs, &ignored, &error), &error,
	     (struct difference){.what = "an error in .debug_loclists"});
}

/* Returns the number of differences without a reason. */
static size_t compare(const char *path, const char *name)
{
	struct modules *symbols = modules_new();
	struct witness w = {.name = name, .counts = &counts};
	struct counts before = counts;
	ERROR(err);

	w.module = modules_open(symbols, path, &err);
	if (!w.module)
		fail_msg("%s", err.text);
	w.ours = dies_table(w.module, &err);
	if (!w.ours)
		fail_msg("%s", err.text);
	open_theirs(&w, path);
	compare_entries(&w);
	compare_frames(&w);
	their_close(w.theirs);
	modules_free(symbols);
	counts.programs++;
	if (w.unexplained)
		print_error("%s: %zu differences without a reason\n", name, w.unexplained);
	if (full)
		print_message("%s: %zu entries\n", name, counts.entries - before.entries);
	return w.unexplained;
}

/* ---- programs ------------------------------------------------------------------------------- */

#define VARS_C "e2e/programs/vars.c e2e/programs/vars_second.c e2e/programs/vars_lib.c"

static const char *const flags[] = {"-O0 -gdwarf-4", "-O2 -gdwarf-4", "-O0 -gdwarf-5",
				    "-O2 -gdwarf-5"};

/* Programs with further forms, sections and lists. */
static const char *const others[] = {
	"gcc -O2 -gdwarf-2 -gstrict-dwarf " VARS_C,
	"gcc -O2 -gdwarf-3 " VARS_C,
	"clang -O2 -gdwarf-3 " VARS_C,
	"gcc -O2 -gdwarf-5 -gdwarf64 e2e/programs/loops.c",
	"g++ -O1 -gdwarf-4 -fdebug-types-section targets/cxx_template.cc",
	"g++ -O1 -gdwarf-5 -fdebug-types-section targets/cxx_template.cc",
	"clang++ -O1 -gdwarf-5 -fdebug-types-section targets/cxx_template.cc",
	"gcc -Og -g3 -gz -fno-asynchronous-unwind-tables " VARS_C,
	"gcc -O2 -g -fno-asynchronous-unwind-tables -mno-red-zone targets/setjmp_loop.c",
	"gcc -O2 -g -flto " VARS_C,
	"clang -O2 -g -flto -fuse-ld=lld e2e/programs/loops.c",
	"gcc -O2 -g -ffunction-sections -Wl,--gc-sections e2e/programs/loops.c",
	"clang -O2 -g -ffunction-sections -Wl,--gc-sections -fuse-ld=lld e2e/programs/loops.c",
	"clang -O2 -gdwarf-4 -ffunction-sections " VARS_C,
	"gcc -O2 -g -static e2e/programs/server.c",
	"g++ -O1 -gdwarf-5 -gno-variable-location-views targets/cxx_std_thread.cc",
	"clang++ -O3 -gdwarf-4 targets/cxx_std_thread.cc",
	"g++ -O2 -gdwarf-4 targets/cxx_exception.cc",
	"g++ -O0 -gdwarf-5 targets/cxx_static_init.cc",
	"clang++ -O2 -gdwarf-5 targets/cxx_inline.cc",
	"clang++ -O0 -gdwarf-5 targets/cxx_exception.cc",
	"g++ -std=c++17 -O2 -gdwarf-5 e2e/programs/vars.cc",
	"clang++ -std=c++17 -O2 -gdwarf-4 e2e/programs/vars.cc",
	"gcc -O3 -g -mavx2 -funroll-loops ./e2e/programs/loops.c",
};

static const char *const c_programs[] = {VARS_C, "e2e/programs/loops.c"};
static const char *const cxx_programs[] = {"targets/cxx_template.cc"};

static void add_commands(struct str *out, const char *compiler, const char *const *sources,
			 size_t count)
{
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < sizeof(flags) / sizeof(*flags); k++)
			str_addf(out, "%s %s %s\n", compiler, flags[k], sources[i]);
	}
}

/*
 * All C programs in tests/targets (those that do not link by themselves are left out), and the
 * largest C++ programs, compiled in all ways.
 */
static void add_targets(struct str *out)
{
	static const char *const large[] = {"e2e/programs/vars.cc", "targets/cxx_std_thread.cc"};
	DIR *d = opendir("tests/targets");
	struct dirent *one;

	assert_non_null(d);
	while ((one = readdir(d)) != NULL) {
		size_t length = strlen(one->d_name);
		char source[300];
		const char *only = source;

		if (length < 3 || strcmp(one->d_name + length - 2, ".c") != 0)
			continue;
		snprintf(source, sizeof(source), "targets/%s", one->d_name);
		add_commands(out, "gcc", &only, 1);
		add_commands(out, "clang", &only, 1);
	}
	closedir(d);
	add_commands(out, "g++ -std=c++17", large, 2);
	add_commands(out, "clang++ -std=c++17", large, 2);
}

#define COUNT(list) (sizeof(list) / sizeof(*(list)))

/* Compiles each program; one line each, named by its number. */
static void compile(void)
{
	struct str commands = {0}, line = {0};
	FILE *f;

	add_commands(&commands, "gcc", c_programs, COUNT(c_programs));
	add_commands(&commands, "clang", c_programs, COUNT(c_programs));
	add_commands(&commands, "g++ -std=c++17", cxx_programs, COUNT(cxx_programs));
	add_commands(&commands, "clang++ -std=c++17", cxx_programs, COUNT(cxx_programs));
	for (size_t i = 0; i < COUNT(others); i++)
		str_addf(&commands, "%s\n", others[i]);
	if (full)
		add_targets(&commands);
	str_addf(&line, "%s/commands", directory);
	f = fopen(str_text(&line), "w");
	assert_non_null(f);
	fputs(str_text(&commands), f);
	fclose(f);
	str_clear(&line);
	str_addf(&line,
		 "cd tests && nl -b a -n rz %s/commands | xargs -P $(nproc) -d '\\n' -n 1 sh -c "
		 "'set -- $0; number=$1; shift; \"$@\" -w -lpthread -ldl -lm -o %s/$number'",
		 directory, directory);
	if (system(str_text(&line)) != 0 && !full)
		fail_msg("not everything compiles");
	str_fini(&line);
	str_fini(&commands);
}

static void programs_agree(void **state)
{
	char path[200], command[300];
	size_t number = 0, bad = 0;
	FILE *f;

	(void)state;
	compile();
	snprintf(path, sizeof(path), "%s/commands", directory);
	f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(command, sizeof(command), f)) {
		command[strcspn(command, "\n")] = '\0';
		snprintf(path, sizeof(path), "%s/%06zu", directory, ++number);
		if (full && access(path, F_OK) < 0)
			print_message("not built: %s\n", command);
		else
			bad += compare(path, command);
	}
	fclose(f);
	assert_int_equal(bad, 0);
}

/*
 * This program, and gatectl in the parent directory. dwz's version of it has partial units and
 * references between units.
 */
static void gatectl_agrees(void **state)
{
	char self[4096] = {0}, path[4200], packed[100], command[4500];

	(void)state;
	assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	snprintf(path, sizeof(path), "%s/../gatectl", dirname(self));
	assert_int_equal(compare("/proc/self/exe", "this program"), 0);
	assert_int_equal(compare(path, "gatectl"), 0);
	snprintf(packed, sizeof(packed), "%s/gatectl", directory);
	snprintf(command, sizeof(command), "dwz -o %s '%s'", packed, path);
	assert_int_equal(system(command), 0);
	assert_int_equal(compare(packed, "gatectl after dwz"), 0);
}

static void reasons_are_needed(void **state)
{
	size_t idle = 0;

	(void)state;
	for (size_t i = 0; i < REASONS; i++) {
		print_message("%zu differences: %s\n", reasons[i].used, reasons[i].text);
		idle += reasons[i].used == 0;
	}
	if (idle)
		fail_msg("%zu reasons explain nothing any more", idle);
}

static void print_counts(void)
{
	print_message("%zu programs, %zu entries, %zu attributes, %zu ranges, %zu lists of "
		      "locations, %zu places in them, %zu rows of frames, %zu of lines\n",
		      counts.programs, counts.entries, counts.attributes, counts.ranges,
		      counts.lists, counts.places, counts.rows, counts.lines);
}

static void enough_is_compared(void **state)
{
	(void)state;
	print_counts();
	assert_true(counts.entries >= ENOUGH);
	assert_true(counts.ranges && counts.lists && counts.rows);
}

/* ---- selection ------------------------------------------------------------------------------- */

static int make_directory(void **state)
{
	(void)state;
	return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", directory);
	return system(command) ? -1 : 0;
}

static char **files;

static void files_agree(void **state)
{
	size_t bad = 0;

	for (char **f = files; *f; f++)
		bad += compare(*f, *f);
	print_counts();
	assert_int_equal(bad, 0);
	(void)state;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_agree),
		cmocka_unit_test(gatectl_agrees),
		cmocka_unit_test(reasons_are_needed),
		cmocka_unit_test(enough_is_compared),
	};
	const struct CMUnitTest given[] = {cmocka_unit_test(files_agree)};

	full = argc > 1 && strcmp(argv[1], "--full") == 0;
	files = argv + 1;
	if (argc > 1 && !full)
		return cmocka_run_group_tests_name("dwarf_witness", given, NULL, NULL);
	return cmocka_run_group_tests_name("dwarf_witness", tests, make_directory,
					   remove_directory);
}
