/* SPDX-License-Identifier: MIT */
/* cmocka, and the headers that it requires. */
#ifndef XS_TESTS_UNIT_H
#define XS_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
