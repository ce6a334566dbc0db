/* SPDX-License-Identifier: MIT */
#include "analyzer/util/hash.h"

/* Multiply and fold, after Stafford's mixer 13 for splitmix64. */
uint64_t xs_hash_mix(uint64_t hash, uint64_t value)
{
	hash ^= value + 0x9e3779b97f4a7c15u + (hash << 6) + (hash >> 2);
	hash = (hash ^ hash >> 30) * 0xbf58476d1ce4e5b9u;
	hash = (hash ^ hash >> 27) * 0x94d049bb133111ebu;
	return hash ^ hash >> 31;
}

uint64_t xs_hash_text(uint64_t hash, const char *text)
{
	uint64_t fnv = 0xcbf29ce484222325u; /* FNV-1a */

	for (; *text; text++)
		fnv = (fnv ^ (unsigned char)*text) * 0x100000001b3u;
	return xs_hash_mix(hash, fnv);
}
