/* SPDX-License-Identifier: MIT */
/* The text report on a job: its verdict, what to change, and how processes
 * differ. */
#include "report/render/text/sections.h"
#include "report/render/text/text.h"

#include <inttypes.h>
#include <string.h>

/* Rows of each list, and steps with what they need, unless all are asked for.
 */
#define ROWS_MAX     4u
#define STEPS_MAX    2u
#define PROBLEMS_MAX 8u

static size_t shown(size_t count, bool all)
{
	return all || count < ROWS_MAX ? count : ROWS_MAX;
}

/* "app: 62 traces on 8 hosts; no trace of ranks 3, 9 of 64" */
static void put_head(const struct xs_terminal *terminal, struct xs_job *job)
{
	xs_terminal_print(terminal, XS_BOLD, "%s",
			  job->program ? job->program : "no program");
	xs_terminal_print(terminal, XS_PLAIN, "  %" PRId64 " trace%s",
			  job->traces, job->traces == 1 ? "" : "s");
	if (job->host_count)
		xs_terminal_print(terminal, XS_PLAIN, " on %s%zu host%s",
				  job->more_hosts ? "more than " : "",
				  job->host_count,
				  job->host_count == 1 ? "" : "s");
	if (job->ranks != XS_UNKNOWN)
		xs_terminal_print(terminal, XS_PLAIN,
				  ", %" PRId64 " of %" PRId64 " ranks",
				  job->seen, job->ranks);
	if (job->machines)
		xs_terminal_print(terminal, XS_PLAIN, ", machine: %s",
				  job->machines);
	xs_terminal_print(terminal, XS_PLAIN, "\n\n");
}

static void put_verdict(const struct xs_terminal *terminal, struct xs_job *job,
			bool all)
{
	const size_t told = all || job->problem_count < PROBLEMS_MAX
				? job->problem_count
				: PROBLEMS_MAX;

	const char *text = job->verdict;
	const size_t first = strcspn(text, "\n");

	xs_terminal_wrapf(terminal, XS_BOLD, "", "Verdict: %.*s", (int)first,
			  text);
	if (text[first])
		xs_terminal_wrap(terminal, XS_PLAIN, "", text + first + 1);
	if (job->missing)
		xs_terminal_wrap(terminal, XS_WARN, "! ", job->missing_text);
	for (size_t i = 0; i < told; i++)
		xs_terminal_wrap(terminal, XS_WARN, "! ",
				 job->problems[i].text);
	if (told < job->problem_count)
		xs_terminal_print(terminal, XS_WARN, "! %zu more (--all)\n",
				  job->problem_count - told);
}

/* The mean over processes in other runs: nothing of what is an upper bound, or
 * may be none. */
static const char *in_other_runs(struct xs_job *job,
				 const struct xs_job_step *step)
{
	return step->low_ns >= 0 && step->traces > 0 &&
		       step->high_ns != XS_UNKNOWN && !step->at_most
		   ? xs_print(&job->arena, "%s",
			      xs_units_range_ns(step->low_ns / step->traces,
						step->high_ns / step->traces)
				  .s)
		   : NULL;
}

/* "1.2 s of a run (1.1-1.3 s in other runs) in 1 of 64 processes"; of several
 * processes: "1.2 s of a run in the median (1.0-1.4 s; 1.1-1.3 s on average in
 * other runs) of 62 of 64 processes", or of an upper bound "1.2 s of a run in
 * the median, 1.4 s in one, of 62 of 64 processes" */
static const char *saved(struct xs_job *job, const struct xs_job_step *step)
{
	struct xs_arena *arena = &job->arena;
	const char *others = in_other_runs(job, step);
	const char *of =
	    xs_print(arena, "%" PRId64 " of %" PRId64 " process%s",
		     step->traces, job->traces, job->traces == 1 ? "" : "es");

	if (step->traces > 1 && step->at_most)
		return xs_print(arena,
				"%s of a run in the median, %s in one, of %s",
				xs_units_ns(step->saves.median).s,
				xs_units_ns(step->saves.most).s, of);
	if (step->traces > 1)
		return xs_print(
		    arena, "%s of a run in the median (%s%s%s%s) of %s",
		    xs_units_ns(step->saves.median).s,
		    xs_units_range_ns(step->saves.least, step->saves.most).s,
		    others ? "; " : "", others ? others : "",
		    others ? " on average in other runs" : "", of);
	return xs_print(arena, "%s of a run%s%s%s in %s",
			xs_units_ns(step->saves.most).s, others ? " (" : "",
			others ? others : "", others ? " in other runs)" : "",
			of);
}

/* "saves 1.2 s of a run in the median (...); of the job at least 1.1 s (11 %);
 * effort: one line" */
static const char *saving(struct xs_job *job, const struct xs_job_step *step)
{
	const char *of_job =
	    !step->job_ns && !step->at_least
		? "nothing: its slowest process is as slow"
		: xs_print(&job->arena, "%s%s (%s)",
			   step->at_least ? "at least " : "",
			   xs_units_ns(step->job_ns).s,
			   xs_units_percent(step->job_ns, job->wall.most).s);

	return xs_print(&job->arena, "%s %s%s; of the job %s%s%s",
			step->is_question ? "may save" : "saves",
			step->at_most ? "up to " : "", saved(job, step), of_job,
			*step->effort ? "; effort: " : "", step->effort);
}

static void put_step(const struct xs_terminal *terminal, struct xs_job *job,
		     size_t i, bool full)
{
	const struct xs_job_step *step = &job->steps[i];

	xs_terminal_print(terminal, XS_PLAIN, "  %zu%c ", i + 1,
			  step->is_question ? '?' : '.');
	xs_terminal_print(terminal, XS_BOLD, "%s", step->strategy);
	xs_terminal_print(terminal, XS_PLAIN, "\n");
	if (*step->places)
		xs_terminal_wrapf(terminal, XS_PLAIN, "     ", "at %s",
				  step->places);
	xs_terminal_wrap(terminal, XS_PLAIN, "     ", saving(job, step));
	if (!full) {
		xs_terminal_print(terminal, XS_DIM,
				  "     --all says what to write\n");
		return;
	}
	xs_terminal_wrap(terminal, XS_PLAIN, "     ", step->text);
	if (step->condition || step->assumes)
		xs_terminal_wrapf(terminal, step->condition ? XS_WARN : XS_DIM,
				  "     ", "%s%s%s%s%s",
				  step->condition ? "only if " : "",
				  step->condition ? step->condition : "",
				  step->condition && step->assumes ? "; " : "",
				  step->assumes ? "as long as " : "",
				  step->assumes ? step->assumes : "");
	xs_render_text_code(terminal, step->code);
}

/* What the plan leaves open. */
static void put_open(const struct xs_terminal *terminal,
		     const struct xs_job *job)
{
	if (job->no_step)
		xs_terminal_wrap(terminal, XS_PLAIN, "  ", job->no_step);
	if (job->question)
		xs_terminal_wrap(terminal, XS_WARN, "  ", job->question);
	xs_render_text_code(terminal, job->question_code);
}

static void put_steps(const struct xs_terminal *terminal, struct xs_job *job,
		      bool all)
{
	const size_t count = shown(job->step_count, all);

	if (!count && !job->no_step && !job->question)
		return;
	xs_terminal_heading(terminal, "What to change",
			    !count ? NULL
				   : "once in the source, for all processes; "
				     "what each adds to those before it in a "
				     "process's plan");
	for (size_t i = 0; i < count; i++)
		put_step(terminal, job, i, all || i < STEPS_MAX);
	if (count < job->step_count)
		xs_terminal_wrapf(terminal, XS_PLAIN, "  ",
				  "and %zu more (--all)",
				  job->step_count - count);
	put_open(terminal, job);
}

/* Rows of processes: what they take most of, beside what is usual. */
static void put_rows(const struct xs_terminal *terminal,
		     const struct xs_job_process *rows, size_t count,
		     const struct xs_text_heading *headings, int64_t usual_ns)
{
	const char *notes[16] = {NULL};
	struct xs_text_table table;

	xs_text_table_begin(&table, terminal, headings, 3);
	for (size_t i = 0; i < count && i < 16; i++) {
		XS_TEXT_ROW(&table, rows[i].name, xs_units_ns(rows[i].by_ns).s,
			    xs_units_percent(rows[i].by_ns, usual_ns).s);
		notes[i] = rows[i].why;
	}
	xs_text_table_end(&table, notes, 4);
}

static void put_processes(const struct xs_terminal *terminal,
			  struct xs_job *job, bool all)
{
	static const struct xs_text_heading slow[] = {
	    {"slowest", XS_PLAIN},
	    {"run", XS_RIGHT},
	    {"of the median", XS_RIGHT}};
	static const struct xs_text_heading busy[] = {
	    {"busiest", XS_PLAIN},
	    {"busy", XS_RIGHT},
	    {"of the mean", XS_RIGHT}};

	xs_terminal_heading(
	    terminal, "Processes",
	    xs_print(&job->arena, "run %s, median %s",
		     xs_units_range_ns(job->wall.least, job->wall.most).s,
		     xs_units_ns(job->wall.median).s));
	put_rows(terminal, job->slowest, shown(job->slowest_count, all), slow,
		 job->wall.median);
	if (!job->busiest_count)
		return;
	xs_terminal_wrap(terminal, XS_PLAIN, "  ",
			 "Without the host's own code, in which processes may "
			 "wait for those that take longer:");
	put_rows(terminal, job->busiest, shown(job->busiest_count, all), busy,
		 job->busy_mean_ns);
}

/* Hosts, or kinds of machines; nothing to compare with one alone. */
static void put_groups(const struct xs_terminal *terminal, const char *title,
		       const char *what, const struct xs_job_group *groups,
		       size_t all_count, bool all)
{
	const struct xs_text_heading headings[] = {
	    {what, XS_PLAIN},	   {"processes", XS_RIGHT}, {"run", XS_RIGHT},
	    {"slowest", XS_RIGHT}, {"in", XS_RIGHT},	    {"out", XS_RIGHT}};
	const size_t count = shown(all_count, all);
	struct xs_text_table table;

	if (all_count < 2)
		return;
	xs_terminal_heading(terminal, title,
			    "slowest mean first; in, out: rates of copies");
	xs_text_table_begin(&table, terminal, headings, 6);
	XS_EACH(in, groups, count) {
		XS_TEXT_ROW(&table, in->name, xs_units_count(in->traces).s,
			    xs_units_ns(in->mean_ns).s,
			    xs_units_ns(in->slowest_ns).s,
			    xs_units_rate(in->h2d_bytes, in->h2d_ns).s,
			    xs_units_rate(in->d2h_bytes, in->d2h_ns).s);
	}
	xs_text_table_end(&table, NULL, 0);
}

static void put_phases(const struct xs_terminal *terminal, struct xs_job *job,
		       bool all)
{
	static const struct xs_text_heading headings[] = {
	    {"phase", XS_PLAIN},
	    {"processes", XS_RIGHT},
	    {"rounds", XS_RIGHT},
	    {"round", XS_RIGHT},
	    {"median", XS_RIGHT}};
	const size_t count = shown(job->phase_count, all);
	const char **places =
	    xs_arena_alloc(&job->arena, count + 1, sizeof(*places));
	struct xs_text_table table;

	xs_terminal_heading(terminal, "Phases",
			    "by kernels and lines, whatever their sizes");
	xs_text_table_begin(&table, terminal, headings, 5);
	for (size_t i = 0; i < count; i++) {
		const struct xs_job_phase *in = &job->phases[i];

		XS_TEXT_ROW(
		    &table, in->kernel, xs_units_count(in->traces).s,
		    xs_units_count(in->rounds).s,
		    xs_units_range_ns(in->round.least, in->round.most).s,
		    xs_units_ns(in->round.median).s);
		places[i] = in->places;
	}
	xs_text_table_end(&table, places, 4);
}

int xs_render_text_job(struct xs_job *job, bool all,
		       const struct xs_display *display, FILE *out)
{
	const struct xs_terminal terminal = {.out = out, .display = *display};

	put_head(&terminal, job);
	put_verdict(&terminal, job, all);
	put_steps(&terminal, job, all);
	if (job->slowest_count)
		put_processes(&terminal, job, all);
	put_groups(&terminal, "Machines", "GPU, link, NUMA node", job->kinds,
		   job->kind_count, all);
	put_groups(&terminal, "Hosts", "host", job->hosts, job->host_count,
		   all);
	if (job->phase_count)
		put_phases(&terminal, job, all);
	return 0;
}
