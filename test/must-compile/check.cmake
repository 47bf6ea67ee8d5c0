# Compiles SOURCE in each of the modes in MODES (compiler|standard), without a warning
# about it or the headers, which are included as a user's.
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
foreach(mode IN LISTS MODES)
  string(REPLACE "|" ";" mode "${mode}")
  list(GET mode 0 compiler)
  list(GET mode 1 standard)
  execute_process(COMMAND "${compiler}" "-std=${standard}" -Wall -Wextra -Wshadow -Wconversion -Werror -fsyntax-only
    "-I${INCLUDE}" "${SOURCE}" RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${compiler} -std=${standard}: ${SOURCE} does not compile without a warning\n${text}")
  endif()
endforeach()
