/* SPDX-License-Identifier: MIT */
/*
 * A digest: the summary of one trace or of many, a JSON document {"digest": 4,
 * "crc32": 8 digits, "group": group}, with the CRC-32 of the group as its one
 * form has it: sorted, without spaces, in ASCII. The members of a group are
 * named after how those of two digests merge, so that merging needs to know no
 * figure:
 *
 *   add, beyond  {name: n}           the sum, of numbers from 0 to INT64_MAX,
 *                                    at most that
 *   most, least  {name: n}           the largest, the smallest
 *   text         {name: text}        the same in all; else the last in order
 *   best         {"by": n, ...}      the one with the largest n
 *   count        {name: {key: n}}    the sum of each key, likewise, above 0
 *   rows         {name: [{"by": n, ...}]} those with the largest n
 *   table        {name: {key: group}} the merged groups of each key
 *
 * Merging is associative and commutative, to the byte. All numbers are
 * integers, those of most and least from 0 to 2^60, those of rows within 2^60.
 * Tables and counts keep the first keys in order of their bytes, and rows the
 * first in a total order: what has no room in one digest has none in any that
 * it is merged into. "beyond" has how often that was. A digest whose tables
 * have more rows than there is room for is refused. Memory of jansson is not
 * short: commands/main.c ends the process then.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define XS_DIGEST_VERSION 4

/* Room: bytes of a file and of a text, names of a rule, rows of a kind,
 * different traces. */
#define XS_DIGEST_BYTES	 (8u << 20)
#define XS_DIGEST_TEXT	 600u
#define XS_DIGEST_NAMES	 32u
#define XS_DIGEST_ROWS	 16u
#define XS_DIGEST_TRACES 65536u

/* Keys that a table or a count keeps; XS_DIGEST_BUCKETS: of a histogram. */
#define XS_DIGEST_BUCKETS 512u
size_t xs_digest_room(const char *name);

/* Returns object[key], an object that it makes if needed; borrowed. */
json_t *xs_digest_member(json_t *object, const char *key);

/* Set group[rule][name]. The second leaves out XS_UNKNOWN, and has a number
 * below 0 as 0. */
void xs_digest_set(json_t *group, const char *rule, const char *name,
		   json_t *value);
void xs_digest_number(json_t *group, const char *rule, const char *name,
		      int64_t number);

/* Returns the group table[name][key], which it makes if needed; borrowed. Keys
 * become as xs_digest_text() has them. */
json_t *xs_digest_row(json_t *group, const char *name, const char *key);

/* Counts a key once. */
void xs_digest_count(json_t *group, const char *name, const char *key);

/* Returns a string of at most XS_DIGEST_TEXT bytes in which '?' stands for
 * what a terminal must not get, but line feeds are kept; empty for NULL. */
json_t *xs_digest_text(const char *text);

/* Compares two elements of an array of names, for qsort(). */
int xs_digest_by_name(const void *left, const void *right);

/* Merges `from` into `to`, which both keep their owners. */
void xs_digest_merge(json_t *to, const json_t *from);

/* Returns group[rule][name]: NULL, or XS_UNKNOWN, if there is none. The number
 * is within 2^60: sums of two do not overflow. */
const json_t *xs_digest_get(const json_t *group, const char *rule,
			    const char *name);
int64_t xs_digest_get_number(const json_t *group, const char *rule,
			     const char *name);

/* Returns an object with a key for each trace that could be read, the same in
 * all digests of that trace; without any if there are more than it has room
 * for. The caller owns it. */
json_t *xs_digest_ids(const json_t *group);

/* Returns whether there are ids, which are all among the known ones. */
bool xs_digest_are_known(const json_t *ids, const json_t *known);

/* Whether the path is of a regular file that is named like a digest (*.digest,
 * *.digest.gz), or begins like one, which gzip may have compressed. The second:
 * by its name alone. */
bool xs_digest_is(const char *path);
bool xs_digest_is_named(const char *path);

/* Returns the text of a group, in its one form, and its checksum; the caller
 * frees it. */
char *xs_digest_form(const json_t *group, uint32_t *crc32);

/*
 * Reads a digest, plain or compressed (-: standard input); the caller owns
 * *group. Returns 0, or -errno: then *error is a static text that tells why, or
 * NULL. Anything that it accepts can be merged. Only the second takes a digest
 * of no trace.
 */
int xs_digest_read(const char *path, json_t **group, const char **error);
int xs_digest_parse(const char *text, size_t size, json_t **group,
		    const char **error);

/* Writes the digest of a group in its one form. Returns 0, -EIO, or -EFBIG,
 * without a byte, if nothing could read it. */
int xs_digest_write(const json_t *group, FILE *out);
