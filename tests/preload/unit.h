/* SPDX-License-Identifier: MIT */
/* Headers that cmocka.h requires, and a trace for a test. */
#ifndef XS_TESTS_PRELOAD_UNIT_H
#define XS_TESTS_PRELOAD_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
