# SPDX-License-Identifier: MIT
# Joins the parts of the page to one array of bytes: the page with its style and
# scripts in place of the marks. cmake -D OUT=... -D PARTS=... -P embed.cmake
list(POP_FRONT PARTS page style)
file(READ ${page} text)
file(READ ${style} style_text)
foreach(script IN LISTS PARTS)
	file(READ ${script} more)
	string(APPEND script_text "${more}")
endforeach()
string(REPLACE "/*STYLE*/" "${style_text}" text "${text}")
string(REPLACE "/*SCRIPT*/" "${script_text}" text "${text}")
file(WRITE ${OUT}.txt "${text}")
file(READ ${OUT}.txt bytes HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
file(WRITE ${OUT} "/* Made by embed.cmake. */
#include <stddef.h>
extern const unsigned char xs_html_page[];
extern const size_t xs_html_page_size;
const unsigned char xs_html_page[] = {\n${bytes}};
const size_t xs_html_page_size = sizeof(xs_html_page);
")
