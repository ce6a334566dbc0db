# SPDX-License-Identifier: MIT
# xs_write_call_classes(OUT TABLE...): writes the source of xs_call_class_rows,
# with a row for each one of the tables of preload/api.
function(xs_write_call_classes out)
	set(rows "")
	foreach(table ${ARGN})
		file(READ ${table} text)
		string(REGEX REPLACE "[\\\n\t ]+" " " text "${text}")
		string(REPLACE ";" " " text "${text}")
		string(REGEX REPLACE
			"XS_WITH_ASYNC\\(F, (cu[A-Za-z0-9_]+), ([A-Z_]+),"
			"F(\\1, ptds, \\2, F(\\1Async, ptsz, \\2_ASYNC,"
			text "${text}")
		string(REGEX MATCHALL
			"[FDNL]\\((__)?cu[A-Za-z0-9_]+, ([a-z0-9_]+, )*(ptds|ptsz|none), [A-Z_]+,"
			found "${text}")
		string(REGEX MATCHALL "[FDNL]\\(_*cu[dA-Z]|XS_WITH_ASYNC\\(F, c"
			begun "${text}")
		list(LENGTH begun rows_begun)
		list(LENGTH found rows_found)
		if(NOT rows_begun EQUAL rows_found)
			message(FATAL_ERROR "${table}: ${rows_begun} rows, of "
				"which ${rows_found} have a class")
		endif()
		foreach(row ${found})
			string(REGEX REPLACE
				"^.\\(([A-Za-z0-9_]+), .* ([A-Z_]+),$"
				"{\"\\1\", XS_CALL_\\2},\n" row "${row}")
			string(APPEND rows "${row}")
		endforeach()
	endforeach()
	file(CONFIGURE OUTPUT ${out} CONTENT
"#include \"analyzer/import/call_class.h\"
#include \"preload/format.h\"
const struct xs_call_class_row xs_call_class_rows[] = {
${rows}{NULL, 0}};
" @ONLY)
endfunction()
