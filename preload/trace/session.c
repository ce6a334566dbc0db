/* SPDX-License-Identifier: MIT */
#include "preload/trace/session.h"
#include "preload/util/hot.h"

struct xs_trace_file xs_session_trace;
XS_HOT_DATA _Atomic int xs_session_state = XS_SESSION_NEW;
