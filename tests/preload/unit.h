/* SPDX-License-Identifier: MIT */
/* What cmocka.h wants in front of it, and a trace of a test's own. */
#ifndef XS_TESTS_PRELOAD_UNIT_H
#define XS_TESTS_PRELOAD_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
