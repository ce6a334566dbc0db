#!/bin/sh
# SPDX-License-Identifier: MIT
# Lines of Python as call sites, in each supported interpreter that is
# installed.
. "$(dirname "$0")/lib.sh"
export XFERSPY_CUPTI="$XS_CUPTI"
export PYTHONPATH="$work/site-packages" PYTHONDONTWRITEBYTECODE=1
mkdir "$work/site-packages"
cat >site-packages/package.py <<'END'
def call(function, cuda, device, size):
    return function() + cuda.cudaMemset(device, 1, size)
END
# A file name with non-ASCII characters, one of which needs 16 bits.
script=$work/zeile-ß-行.py
cp "$here/apps/lines.py" "$script"

# line NAME: where the script has the comment "at NAME"
line()
{
	awk -v name="$1" '$0 ~ "# at " name { print NR; exit }' "$script"
}

# sites FUNCTION NAME: the traced sites of the function whose nearest line of
# the script, or of a package, is the one called NAME
sites()
{
	awk -v function_name="$1" -v at="$2" '
		function value(key,   i) {
			for (i = 1; i <= NF; i++)
				if (index($i, key "=") == 1)
					return substr($i, length(key) + 2)
		}
		$1 == "string" {
			text = $0
			sub(/.* text="/, "", text)
			texts[value("id")] = substr(text, 1, length(text) - 1)
		}
		$1 == "site" {
			id = value("site")
			function_of[id] = value("function")
			caller[id] = value("caller")
		}
		$1 == "source" { lines[value("site")] = value("line") }
		END {
			for (id in function_of) {
				if (texts[function_of[id]] != function_name)
					continue
				for (i = id; i && !(i in lines); i = caller[i])
					;
				found += i && lines[i] == at
			}
			print found + 0
		}' dump.txt
}

# known PYTHON: whether its lines can be read
known()
{
	"$1" -c 'import sys, sysconfig
sys.exit(sys.version_info[:2] < (3, 9) or sys.version_info[:2] > (3, 14)
         or sys.maxsize < 2**32
         or bool(sysconfig.get_config_var("Py_DEBUG"))
         or bool(sysconfig.get_config_var("Py_GIL_DISABLED")))' 2>err
}

try()
{
	python=$1
	plain "$python" "$script" "$XS_APPS/libwrapper.so"
	cp out out.plain
	unset XFERSPY_STACK
	traced "$python" "$script" "$XS_APPS/libwrapper.so"
	expect "$python: exit code" "$status" 0
	cmp -s out out.plain || fail "$python: stdout differs"
	read_trace
	expect "$python: notes" "$(count 'note=.*Python')" 0
	[ "$(sites cudaMemcpy "$(line upload)")" -gt 0 ] ||
		fail "$python: no line of the callback's call"
	for name in download hooked locked; do
		[ "$(sites cudaMemcpy "$(line "$name")")" -gt 0 ] ||
			fail "$python: no line $name"
	done
	[ "$(sites cudaMemset "$(line first)")" = \
		"$(sites cudaMemset "$(line second)")" ] ||
		fail "$python: two lines of a function are not told apart"
	for i in 1 2 3; do
		[ "$(sites cudaStreamCreate "$i")" -gt 0 ] ||
			fail "$python: no cell $i"
	done
	for name in upload Model.steps Model.forward run two_lines by_hook; do
		[ "$(count "^string .*text=\"$name\"")" = 1 ] ||
			[ "$(count "^string .*text=\"${name#*.}\"")" = 1 ] ||
			fail "$python: no function $name"
	done
	expect "$python: file" "$(count "^string .*zeile-ß-行.py\"")" 1
	expect "$python: last line of a call" \
		"$(sites cudaMemcpy "$(line last)")" 0

	# The report shows the user's line, not that of the package or the string
	# it called, nor lines of threading or ctypes.
	for name in upload string; do
		grep -q "\"line\": $(line $name)," report.json ||
			fail "$python: no line $name in the report"
	done
	[ "$(grep -c 'package.py\|threading.py\|callproc.c\|<string>' report.json)" = 0 ] ||
		fail "$python: not the user's lines in the report"
}

# The effect of XFERSPY_STACK.
try_stack()
{
	python=$1
	export XFERSPY_STACK=off
	traced "$python" "$script" "$XS_APPS/libwrapper.so"
	read_trace
	expect "$python: lines when off" "$(count '^source ')" 0
	within "$python: sites when off" "$(count '^site ')" 1 12

	# In a package, so the line of the script that called it is recorded,
	# too.
	export XFERSPY_STACK=leaf
	traced "$python" "$script" "$XS_APPS/libwrapper.so"
	read_trace
	expect "$python: the package, leaf" "$(sites cudaMemset 2)" 1
	for name in package string; do
		[ "$(count "^source .* line=$(line $name)")" -gt 0 ] ||
			fail "$python: not the user's own line $name, leaf"
	done
	# So is a file that torch.compile wrote.
	mv site-packages torchinductor_user
	PYTHONPATH=$work/torchinductor_user traced "$python" "$script" \
		"$XS_APPS/libwrapper.so"
	mv torchinductor_user site-packages
	read_trace
	expect "$python: a compiled file, leaf" "$(sites cudaMemset 2)" 1
	[ "$(count "^source .* line=$(line package)")" -gt 0 ] ||
		fail "$python: not the user's own line, compiled"
	[ "$(grep -c 'package.py' report.json)" = 0 ] ||
		fail "$python: a compiled file in the report"
	unset XFERSPY_STACK
}

# A program that uses the driver repeats the same calls in light mode.
cat >driver.py <<'END'
import ctypes
cuda = ctypes.CDLL("libcuda.so.1")
context, device = ctypes.c_void_p(), ctypes.c_uint64()
host = ctypes.create_string_buffer(64)
assert cuda.cuInit(0) == 0
assert cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
assert cuda.cuCtxSetCurrent(context) == 0
assert cuda.cuMemAlloc_v2(ctypes.byref(device), ctypes.c_size_t(64)) == 0
for i in range(60000):
    assert cuda.cuMemcpyHtoD_v2(device, host, ctypes.c_size_t(64)) == 0
END
try_light()
{
	what="$1: light"
	XS_SIM_CALL_NS=30000 estimated "$what" 60001 "$1" driver.py
	# only its first call was new; some of the 10000 are no copies
	within "$what: recorded" "$(count '^(copycall|again) ')" 9900 25000
}

tried=
for name in python3 /usr/bin/python3 python3.9 python3.10 python3.11 \
	python3.12 python3.13 python3.14 "$HOME"/.pyenv/versions/3.*/bin/python3; do
	python=$("$name" -c 'import os, sys
print(os.path.realpath(sys.executable))' 2>/dev/null) ||
		continue
	case " $tried " in *" $python "*) continue ;; esac
	known "$python" || continue
	try "$python"
	[ -n "$tried" ] || try_stack "$python"
	[ -n "$tried" ] || try_light "$python"
	tried="$tried $python"
done
[ -n "$tried" ] || fail "no Python"
echo "tried:$tried"
