/* SPDX-License-Identifier: MIT */
/* The callback that CUPTI calls at the start and at the end of each call. */
#pragma once

#include "preload/cupti/cupti.h"

/* Returns the function to subscribe to CUPTI. */
xs_cupti_callback *xs_cupti_callback_get(void);
