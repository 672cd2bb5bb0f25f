/* Foreign text (foreign.h) in XML 1.0 and HTML. Characters that are not plain, except tabs and
   newlines, are shown as \x1b; also U+FFFE and U+FFFF, which XML cannot contain. */
#ifndef GATECTL_BASE_TEXT_XML_H
#define GATECTL_BASE_TEXT_XML_H

#include "tracer/base/text/str.h"

/* Appends text between tags. */
void xml_text(struct str *out, const char *text);
/* Appends an attribute with a blank before it: name="value". */
void xml_attribute(struct str *out, const char *name, const char *value);

#endif
