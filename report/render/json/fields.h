/* SPDX-License-Identifier: MIT */
/*
 * JSON objects by tables. A row of a table is a member: its key, and where its
 * value is in a struct. IN is defined as that struct before each table. The
 * compiler takes the kind of a FIELD from its type, and checks the types of
 * counts and pointers. {0} ends a table.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xs_json_field {
	const char *key;
	enum xs_json_kind {
		XS_JSON_END,
		XS_JSON_NUMBER, /* XS_UNKNOWN becomes null */
		XS_JSON_COUNT,
		XS_JSON_TEXT,  /* NULL becomes null */
		XS_JSON_RATIO, /* NAN becomes null */
		XS_JSON_FLAG,
		XS_JSON_TEXTS,
		XS_JSON_OBJECT,	     /* a struct within the struct */
		XS_JSON_POINTER,     /* another struct; NULL becomes null */
		XS_JSON_MEMBERS,     /* another struct's, in the same object */
		XS_JSON_ROWS,	     /* an array of objects */
		XS_JSON_ROWS_IF_ANY, /* the same; if it is empty, no member */
		XS_JSON_MADE /* by a function of what is at the offset */
	} kind;
	size_t offset;
	size_t count_at, size; /* TEXTS, ROWS: where their number is, and the
				* size of an item */
	const struct xs_json_field *fields;
	/* Returns a new reference. */
	json_t *(*make)(const void *in);
};

#define FIELD(name) NAMED(#name, name)
/* One to eight fields. */
#define FIELDS(...)                                                            \
	XS_NINTH(__VA_ARGS__, FIELD8, FIELD7, FIELD6, FIELD5, FIELD4, FIELD3,  \
		 FIELD2, FIELD, 0)                                             \
	(__VA_ARGS__)
#define XS_NINTH(a, b, c, d, e, f, g, h, ninth, ...) ninth
#define FIELD2(name, ...)			     FIELD(name), FIELD(__VA_ARGS__)
#define FIELD3(name, ...)			     FIELD(name), FIELD2(__VA_ARGS__)
#define FIELD4(name, ...)			     FIELD(name), FIELD3(__VA_ARGS__)
#define FIELD5(name, ...)			     FIELD(name), FIELD4(__VA_ARGS__)
#define FIELD6(name, ...)			     FIELD(name), FIELD5(__VA_ARGS__)
#define FIELD7(name, ...)			     FIELD(name), FIELD6(__VA_ARGS__)
#define FIELD8(name, ...)			     FIELD(name), FIELD7(__VA_ARGS__)
#define NAMED(text, name)                                                        \
	{                                                                        \
		.key = (text),                                                 \
		.kind = _Generic(((IN *)0)->name, int64_t                      \
				 : XS_JSON_NUMBER, size_t                      \
				 : XS_JSON_COUNT, const char *                 \
				 : XS_JSON_TEXT, double                        \
				 : XS_JSON_RATIO, bool                         \
				 : XS_JSON_FLAG),                              \
		.offset = offsetof(IN, name) \
	}
/* offsetof(IN, name), only of a member of the type, or of any pointer. */
#define AT(type, name)                                                         \
	AT_IF(name,                                                            \
	      __builtin_types_compatible_p(__typeof__(((IN *)0)->name), type))
#define AT_POINTER(name) AT_IF(name, sizeof(((IN *)0)->name) == sizeof(void *))
#define AT_IF(name, holds)                                                     \
	(offsetof(IN, name) + 0 * sizeof(char[(holds) ? 1 : -1]))
#define NESTED(text, of, at, of_fields)                                        \
	{                                                                      \
		.key = (text), .kind = XS_JSON_##of, .offset = (at),           \
		.fields = (of_fields)                                          \
	}
#define OBJECT(name, fields) NAMED_OBJECT(#name, name, fields)
#define NAMED_OBJECT(text, name, fields)                                       \
	NESTED(text, OBJECT, offsetof(IN, name), fields)
#define POINTER(name, fields)	  NESTED(#name, POINTER, AT_POINTER(name), fields)
#define MEMBERS(name, fields)	  NESTED(#name, MEMBERS, AT_POINTER(name), fields)
#define ROWS(name, count, fields) NAMED_ROWS(#name, name, count, fields)
#define NAMED_ROWS(text, name, count, fields)                                  \
	ITEMS(text, ROWS, AT_POINTER(name), name, count, fields)
#define ROWS_IF_ANY(text, name, count, fields)                                 \
	ITEMS(text, ROWS_IF_ANY, AT_POINTER(name), name, count, fields)
#define TEXTS(name, count)                                                     \
	ITEMS(#name, TEXTS, AT(const char **, name), name, count, NULL)
#define ITEMS(text, of, at, name, count, of_fields)                            \
	{                                                                      \
		.key = (text), .kind = XS_JSON_##of, .offset = (at),           \
		.count_at = AT(size_t, count),                                 \
		.size = sizeof(*((IN *)0)->name), .fields = (of_fields)        \
	}
/* make gets the struct; of MADE_OF, the member. */
#define MADE(text, function)                                                   \
	{                                                                      \
		.key = (text), .kind = XS_JSON_MADE, .make = (function)        \
	}
#define MADE_OF(text, name, function)                                          \
	{                                                                      \
		.key = (text), .kind = XS_JSON_MADE,                           \
		.offset = offsetof(IN, name), .make = (function)               \
	}

/* Returns a new reference. */
json_t *xs_json_object(const void *in, const struct xs_json_field *fields);

/* The same of an array of objects, from items of a size. */
json_t *xs_json_rows(const void *items, size_t count, size_t size,
		     const struct xs_json_field *fields);

/* Sets a key of each member. */
void xs_json_add(json_t *out, const void *in,
		 const struct xs_json_field *fields);
