# SPDX-License-Identifier: MIT
# Removes what the last installation from a build tree wrote, and folders of the
# project that are empty then.
#   cmake -DBUILD=FOLDER -P uninstall.cmake
set(manifest ${BUILD}/install_manifest.txt)
if(NOT EXISTS ${manifest})
	message(FATAL_ERROR "Nothing was installed from here: ${manifest} is "
		"missing")
endif()
file(STRINGS ${manifest} files)
foreach(file IN LISTS files)
	set(path $ENV{DESTDIR}${file})
	if(EXISTS ${path} OR IS_SYMLINK ${path})
		message(STATUS "Removing ${path}")
		file(REMOVE ${path})
		if(EXISTS ${path})
			message(FATAL_ERROR "${path} cannot be removed; try sudo")
		endif()
	else()
		message(STATUS "Not there: ${path}")
	endif()
	cmake_path(GET path PARENT_PATH folder)
	while(folder MATCHES "/xferspy(/|$)")
		execute_process(COMMAND rmdir ${folder} ERROR_QUIET)
		cmake_path(GET folder PARENT_PATH folder)
	endwhile()
endforeach()
file(REMOVE ${manifest})
