/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HS_TESTS_WELL_FORMED_H
#define HS_TESTS_WELL_FORMED_H

#include <stddef.h>

/* Is the whole text one JSON value, to the letter of RFC 8259? */
int is_json(const char *text, size_t length);

/*
 * Is the whole text well-formed XML 1.0 of the kind that is written here: a
 * declaration, elements with attributes in double quotes, the predefined and
 * numeric references; no comments, sections or document type?
 */
int is_xml(const char *text, size_t length);

/* Is the whole text UTF-8? */
int is_utf8(const char *text, size_t length);

/* Is it, and can it do nothing to a terminal but end lines: no C0, C1, DEL, nothing that turns
 * the direction of writing? */
int is_harmless(const char *text, size_t length);

#endif
