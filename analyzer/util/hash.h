/* SPDX-License-Identifier: MIT */
/* Hashes that are the same in every run and on every machine. */
#pragma once

#include <stdint.h>

uint64_t xs_hash_mix(uint64_t hash, uint64_t value);
uint64_t xs_hash_text(uint64_t hash, const char *text);
