# Installs into one prefix, moves it, and builds and runs a program against it.
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nended with ${status}:\n${text}")
  endif()
  message(STATUS "${text}")
endfunction()

file(REMOVE_RECURSE "${SCRATCH}")
run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${SCRATCH}/first")
file(RENAME "${SCRATCH}/first" "${SCRATCH}/moved")
run("${CMAKE_COMMAND}" -G Ninja -S "${CONSUMER}" -B "${SCRATCH}/build" "-DCMAKE_PREFIX_PATH=${SCRATCH}/moved"
    "-DCMAKE_CXX_COMPILER=${CXX}" -DCMAKE_BUILD_TYPE=Release)
run("${CMAKE_COMMAND}" --build "${SCRATCH}/build")
# What is shipped is stripped.
if(CONFIG STREQUAL "Release")
  file(GLOB libraries "${SCRATCH}/moved/lib*/libtenon*.so" "${SCRATCH}/moved/lib/*/libtenon*.so")
  foreach(library IN LISTS libraries)
    execute_process(COMMAND "${READELF}" -SW "${library}" OUTPUT_VARIABLE sections COMMAND_ERROR_IS_FATAL ANY)
    if(sections MATCHES " \\.symtab ")
      message(FATAL_ERROR "${library}: expected no .symtab in an installed Release")
    endif()
  endforeach()
endif()
# A plug-in of the build tree must not help the installed library out.
unset(ENV{TENON_COMPILER})
# Nor may the program run uncompiled where a plug-in was installed.
file(GLOB plugin "${SCRATCH}/moved/lib*/libtenon-compiler.so" "${SCRATCH}/moved/lib/*/libtenon-compiler.so")
if(plugin)
  set(ENV{TENON_STRICT} 1)
endif()
run("${SCRATCH}/build/consumer")
run("${SCRATCH}/build/consumer_c")
