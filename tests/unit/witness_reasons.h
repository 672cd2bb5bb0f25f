/*
 * Known reasons for differences from libdwarf. A difference without a reason fails the test, and so
 * does a reason that explains no difference.
 */
#ifndef TESTS_WITNESS_REASONS_H
#define TESTS_WITNESS_REASONS_H

#include "witness.h"

struct reason {
	const char *text;
	bool (*explains)(const struct witness *w, const struct difference *d);
	size_t used;
};

/* The paths are equal except for "./" in libdwarf's. */
static bool dot(const struct witness *w, const struct difference *d)
{
	const char *ours = d->our_text, *theirs = d->their_text;

	(void)w;
	if (!ours || !theirs || !strstr(theirs, "/./"))
		return false;
	while (*theirs) {
		if (*theirs == '/')
			while (strncmp(theirs + 1, "./", 2) == 0)
				theirs += 2;
		if (*ours++ != *theirs++)
			return false;
	}
	return *ours == '\0';
}

#ifndef DW_LIBDWARF_VERSION_MAJOR
/* Line programs begin with file 1 in version 5 too (DWARF 5 6.2.2), although there is a file 0. */
static bool first_file(const struct witness *w, const struct difference *d)
{
	return w->version >= 5 && strcmp(d->what, "the file of a row") == 0 && d->ours == 1 &&
	       d->theirs == 0;
}
#endif

static struct reason reasons[] = {
	{"a path with `./` within it, which we leave out", dot, 0},
#ifndef DW_LIBDWARF_VERSION_MAJOR
	{"DWARF 5: their line programs begin with file 0 instead of 1", first_file, 0},
#endif
};

enum { REASONS = sizeof(reasons) / sizeof(*reasons), SHOWN = 20 };

static void differs(struct witness *w, const struct difference *d)
{
	for (size_t i = 0; i < REASONS; i++) {
		if (reasons[i].explains(w, d)) {
			reasons[i].used++;
			return;
		}
	}
	if (w->unexplained++ >= SHOWN)
		return;
	print_error("%s: 0x%lx (tag 0x%x, attribute 0x%x, form 0x%x): %s: we have 0x%lx %s, they "
		    "0x%lx %s\n",
		    w->name, d->entry, d->tag, d->attribute, d->form, d->what, d->ours,
		    d->our_text ? d->our_text : "", d->theirs,
		    d->error	    ? d->error
		    : d->their_text ? d->their_text
				    : "");
}

#endif
