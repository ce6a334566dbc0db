/* SPDX-License-Identifier: MIT */
/* Passes the tables of another tool's trace on as records. */
#include "analyzer/import/foreign_passer.h"

#include <string.h>

static const char *text_of(const struct xs_foreign *f, uint32_t string)
{
	return xs_distinct_value(&f->strings, string);
}

static void pass_strings(struct xs_foreign_passer *p)
{
	const size_t room = XS_RECORD_MAX_BYTES - sizeof(struct xs_rec_string);

	for (uint32_t i = 1; i < p->foreign->strings.count; i++) {
		const char *text = text_of(p->foreign, i);
		size_t left = p->foreign->strings.values[i].bytes;
		struct xs_rec_string string = {.id = i};

		for (; left > 0 && string.part < UINT16_MAX; string.part++) {
			const size_t length = left < room ? left : room;

			xs_foreign_pass_text(p, &string, XS_REC_string,
					     sizeof(string), text, length);
			text += length;
			left -= length;
		}
	}
}

static void pass_infos(struct xs_foreign_passer *p)
{
	const struct xs_foreign *f = p->foreign;
	const struct xs_rec_info info = {0};

	for (size_t i = 0; i < f->info_count; i++) {
		const char *text = text_of(f, f->infos[i]);

		xs_foreign_pass_text(p, &info, XS_REC_info, sizeof(info), text,
				     strlen(text));
	}
}

/* A file may name all GPUs of the machine, which may not be used. */
static void pass_devices(struct xs_foreign_passer *p)
{
	const struct xs_foreign *f = p->foreign;
	bool used[UINT16_MAX + 1] = {false};

	for (size_t i = 0; i < f->queues.count; i++) {
		const struct xs_foreign_queue *queue =
		    xs_distinct_value(&f->queues, i);

		used[queue->device & UINT16_MAX] = true;
	}
	for (size_t i = 0; i < f->device_count; i++) {
		const char *name = text_of(f, f->device_names[i]);

		if (used[f->devices[i].device])
			xs_foreign_pass_text(p, &f->devices[i], XS_REC_device,
					     sizeof(f->devices[i]), name,
					     strlen(name));
	}
}

static void pass_modules(struct xs_foreign_passer *p)
{
	const struct xs_foreign *f = p->foreign;
	uint32_t last = 0;

	for (size_t i = 0; i < f->sites.count; i++) {
		const struct xs_foreign_site *site =
		    xs_distinct_value(&f->sites, i);
		struct xs_rec_module module = {.module = site->module,
					       .path = site->module};

		if (site->module && site->module != last)
			PASS(p, module, &module);
		last = site->module;
	}
}

/* A module has the number of its path. Without a symbol, nothing is known of
 * the site but the function that it calls. */
static void pass_sites(struct xs_foreign_passer *p)
{
	const struct xs_foreign *f = p->foreign;

	for (uint32_t i = 0; i < f->sites.count; i++) {
		const struct xs_foreign_site *in =
		    xs_distinct_value(&f->sites, i);
		struct xs_rec_site site = {.call_class = (xs_u16)in->call_class,
					   .site = i + 1,
					   .function = in->function,
					   .module = in->module ? in->module
								: XS_NONE32,
					   .caller = in->caller};
		struct xs_rec_source source = {.site = i + 1,
					       .symbol = in->symbol,
					       .file = in->file,
					       .line = in->line};

		PASS(p, site, &site);
		if (in->symbol || in->file)
			PASS(p, source, &source);
	}
}

static void pass_queues(struct xs_foreign_passer *p)
{
	for (size_t i = 0; i < p->foreign->queues.count; i++) {
		const struct xs_foreign_queue *in =
		    xs_distinct_value(&p->foreign->queues, i);
		struct xs_rec_queue queue = {.queue = (xs_u16)i,
					     .device = (xs_u16)in->device,
					     .queue_kind =
						 (xs_u16)in->queue_kind,
					     .context = in->context,
					     .stream = in->stream};

		PASS(p, queue, &queue);
	}
}

static void pass_shapes(struct xs_foreign_passer *p)
{
	for (uint32_t i = 0; i < p->foreign->shapes.count; i++) {
		struct xs_rec_shape shape;

		memcpy(&shape, xs_distinct_value(&p->foreign->shapes, i),
		       sizeof(shape));
		shape.shape = i + 1;
		PASS(p, shape, &shape);
	}
}

void xs_foreign_pass_tables(struct xs_foreign_passer *p)
{
	pass_infos(p);
	pass_devices(p);
	pass_strings(p);
	pass_modules(p);
	pass_sites(p);
	pass_queues(p);
	pass_shapes(p);
}
