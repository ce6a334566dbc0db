/* SPDX-License-Identifier: MIT */
#include "preload/util/config.h"

#include "preload/trace_name.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#define MIN_MAX_BYTES	(2u << 20)
#define DEFAULT_FRAMES	8u
#define MAX_CONNECTIONS 32u /* the maximum of NVIDIA's driver */

/* Returns "" if it is not set, which is the same. */
static const char *value_of(const char *variable)
{
	const char *value = getenv(variable);

	return value ? value : "";
}

/* Returns the number of a word in a list that NULL ends, or otherwise. */
static int number_of(const char *text, const char *const *words, int otherwise)
{
	for (int i = 0; words[i]; i++)
		if (strcmp(text, words[i]) == 0)
			return i;
	return otherwise;
}

/* The values of a variable; is_NAME() returns whether a text is one. */
#define WORDS(name, ...)                                                       \
	static const char *const name##_words[] = {__VA_ARGS__, NULL};         \
	static bool is_##name(const char *text)                                \
	{                                                                      \
		return number_of(text, name##_words, -1) >= 0;                 \
	}
/* in the order of enum xs_mode, xs_hash_mode and xs_dataflow_mode */
WORDS(mode, "trace", "light", "counters", "events", "calls", "off")
WORDS(hash, "0", "1", "full")
WORDS(dataflow, "off", "sample", "all")
WORDS(graphs, "launch", "nodes")
WORDS(switch, "0", "1")
_Static_assert(sizeof(mode_words) / sizeof(*mode_words) == XS_MODE_OFF + 2 &&
		   sizeof(hash_words) / sizeof(*hash_words) ==
		       XS_HASH_FULL + 2 &&
		   sizeof(dataflow_words) / sizeof(*dataflow_words) ==
		       XS_DATAFLOW_ALL + 2,
	       "a word for each value");

/* Reads a list such as 0,7, 64-71. Returns whether it is one; *has: the rank is
 * in it. */
static bool parse_ranks(const char *text, unsigned long rank, bool *has)
{
	*has = false;
	for (;; text++) {
		unsigned long first, last;
		char *end;

		text += strspn(text, " ");
		if (!isdigit((unsigned char)*text))
			return false;
		first = last = strtoul(text, &end, 10);
		if (*end == '-' && isdigit((unsigned char)end[1]))
			last = strtoul(end + 1, &end, 10);
		if (last < first)
			return false;
		*has |= first <= rank && rank <= last;
		text = end + strspn(end, " ");
		if (*text != ',')
			return !*text;
	}
}

/* What is no list stands for rank 0: it shall be told, in its trace, and not by
 * the traces of a thousand ranks. */
static bool is_rank_left_out(void)
{
	const unsigned long rank =
	    strtoul(xs_trace_name_launcher().rank, NULL, 10);
	const char *list = value_of("XFERSPY_RANKS");
	bool has;

	if (!parse_ranks(list, rank, &has))
		has = !*list || !rank;
	return !has;
}

bool xs_config_is_off(void)
{
	/* A setuid program must not write files for us. */
	return getauxval(AT_SECURE) ||
	       strcmp(value_of("XFERSPY_MODE"), "off") == 0 ||
	       is_rank_left_out();
}

bool xs_config_is_started_by_run(pid_t pid)
{
	return strtol(value_of("XFERSPY_RUN_PID"), NULL, 10) == pid;
}

bool xs_config_lacks_driver(void)
{
	return strchr(value_of("XFERSPY_RUN_PID"), ' ') != NULL;
}

enum xs_mode xs_config_mode(void)
{
	if (xs_config_is_off())
		return XS_MODE_OFF;
	return (enum xs_mode)number_of(value_of("XFERSPY_MODE"), mode_words,
				       XS_MODE_TRACE);
}

const char *xs_config_mode_name(enum xs_mode mode)
{
	return mode_words[mode];
}

bool xs_config_summary(void)
{
	return strcmp(value_of("XFERSPY_SUMMARY"), "0") != 0;
}

static bool parse_max_bytes(const char *text, uint64_t *bytes)
{
	static const char units[] = "KMG";
	const char *unit;
	unsigned shift = 0;
	char *end;
	unsigned long long value = strtoull(text, &end, 10);

	unit = *end ? strchr(units, *end) : NULL;
	if (unit) {
		shift = 10 * (unsigned)(unit - units + 1);
		end++;
	}
	if (!isdigit((unsigned char)text[0]) || *end ||
	    value > UINT64_MAX >> 32 || value << shift < MIN_MAX_BYTES)
		return false;
	*bytes = value << shift;
	return true;
}

uint64_t xs_config_max_bytes(void)
{
	uint64_t bytes = 0;

	parse_max_bytes(value_of("XFERSPY_MAX_SIZE"), &bytes);
	return bytes;
}

/* Reads seconds at *text and advances it. Returns false if there is no
 * number. */
static bool take_seconds(const char **text, uint64_t *ns)
{
	char *end;
	double seconds = strtod(*text, &end);

	if (end == *text || !(seconds >= 0 && seconds < 1e9))
		return false;
	*text = end;
	*ns = (uint64_t)(seconds * 1e9);
	return true;
}

static bool parse_range(const char *text, struct xs_config_range *range)
{
	*range = (struct xs_config_range){.for_ns = UINT64_MAX, .text = text};
	if (strcmp(text, "profiler") == 0)
		range->kind = XS_RANGE_PROFILER;
	else if (strcmp(text, "signal") == 0)
		range->kind = XS_RANGE_SIGNAL;
	else if (take_seconds(&text, &range->from_ns) &&
		 (*text != '+' ||
		  (text++, take_seconds(&text, &range->for_ns))) &&
		 !*text)
		range->kind = XS_RANGE_TIMED;
	return range->kind != XS_RANGE_ALL;
}

struct xs_config_range xs_config_range(void)
{
	struct xs_config_range range;

	parse_range(value_of("XFERSPY_RANGE"), &range);
	return range;
}

bool xs_config_graphs_by_node(void)
{
	return strcmp(value_of("XFERSPY_GRAPHS"), "nodes") == 0;
}

enum xs_hash_mode xs_config_hash(void)
{
	return (enum xs_hash_mode)number_of(value_of("XFERSPY_HASH"),
					    hash_words, XS_HASH_OFF);
}

enum xs_dataflow_mode xs_config_dataflow(void)
{
	return (enum xs_dataflow_mode)number_of(
	    value_of("XFERSPY_DATAFLOW"), dataflow_words, XS_DATAFLOW_SAMPLE);
}

static bool parse_stack(const char *text, struct xs_config_stack *stack)
{
	unsigned long frames;
	char *end;

	if (strcmp(text, "off") == 0) {
		stack->frames = 0;
	} else if (strcmp(text, "leaf") == 0) {
		stack->frames = 1;
	} else {
		frames = strtoul(text, &end, 10);
		if (!isdigit((unsigned char)text[0]) || *end ||
		    frames > XS_STACK_MAX_FRAMES)
			return false;
		stack->frames = (unsigned)frames;
		stack->hooked = frames > 1;
	}
	return true;
}

struct xs_config_stack xs_config_stack(void)
{
	struct xs_config_stack stack = {.frames = DEFAULT_FRAMES};

	parse_stack(value_of("XFERSPY_STACK"), &stack);
	return stack;
}

/* Defines is_NAME(), which returns whether a text is a value of the type. */
#define IS(name, type)                                                         \
	static bool is_##name(const char *text)                                \
	{                                                                      \
		type value;                                                    \
                                                                               \
		return parse_##name(text, &value);                             \
	}
IS(max_bytes, uint64_t)
IS(range, struct xs_config_range)
IS(stack, struct xs_config_stack)

static bool is_ranks(const char *text)
{
	bool has;

	return parse_ranks(text, 0, &has);
}

const struct xs_config_variable xs_config_variables[] = {
    {"XFERSPY_OUTPUT", NULL, NULL, NULL},
    {"XFERSPY_MODE", is_mode, "trace, light, counters, events, calls or off",
     "traced as usual"},
    {"XFERSPY_RANKS", is_ranks, "ranks such as 0,7,64-71",
     "rank 0 alone is traced"},
    {"XFERSPY_RANGE", is_range, "profiler, signal, or seconds such as 60+10",
     "recorded from the start"},
    {"XFERSPY_MAX_SIZE", is_max_bytes, "2M or more, such as 64M",
     "the trace has no limit"},
    {"XFERSPY_GRAPHS", is_graphs, "launch or nodes", "the default is used"},
    {"XFERSPY_HASH", is_hash, "1, full or 0", "nothing is hashed"},
    {"XFERSPY_DATAFLOW", is_dataflow, "sample, all or off",
     "pointers are recorded as usual"},
    {"XFERSPY_STACK", is_stack, "leaf, off, or at most 64 frames",
     "call sites are recorded as usual"},
    {"XFERSPY_LOG", NULL, NULL, NULL},
    {"XFERSPY_SUMMARY", is_switch, "0 or 1", "the line at exit is printed"},
    {"XFERSPY_CUPTI", NULL, NULL, NULL},
    {"XFERSPY_RUN_PID", NULL, NULL, NULL},
    {"XFERSPY_MACHINES", NULL, NULL, NULL}, /* of the command */
    {0},
};

static const struct xs_config_variable *find_variable(const char *name,
						      size_t length)
{
	const struct xs_config_variable *variable = xs_config_variables;

	while (variable->name && (strlen(variable->name) != length ||
				  strncmp(variable->name, name, length) != 0))
		variable++;
	return variable->name ? variable : NULL;
}

void xs_config_check(xs_config_wrong *wrong)
{
	for (char **at = environ; at && *at; at++) {
		const size_t length = strcspn(*at, "=");
		const struct xs_config_variable *variable;
		const char *value = *at + length + 1;

		if (strncmp(*at, "XFERSPY_", strlen("XFERSPY_")) != 0 ||
		    !(*at)[length])
			continue;
		variable = find_variable(*at, length);
		if (!variable || (*value && variable->is_valid &&
				  !variable->is_valid(value)))
			wrong(*at, variable);
	}
}

unsigned xs_config_connections(const char *variable)
{
	const char *text = getenv(variable);
	unsigned long number;
	char *end;

	if (!text || !isdigit((unsigned char)text[0]))
		return 0;
	number = strtoul(text, &end, 10);
	return *end || number > MAX_CONNECTIONS ? 0 : (unsigned)number;
}
