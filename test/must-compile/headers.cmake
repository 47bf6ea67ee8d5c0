# Fails if tenon.h includes, directly or not, one of the standard library's headers that take a compiler long and that
# its users can include themselves: every file that includes tenon.h would pay for it.
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
execute_process(COMMAND "${COMPILER}" -std=c++20 -M "-I${INCLUDE}" "${SOURCE}" OUTPUT_VARIABLE files
  RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${COMPILER} -M: ${SOURCE} does not compile")
endif()
foreach(header IN ITEMS algorithm any atomic bit charconv chrono complex condition_variable deque filesystem format
    fstream functional future iomanip ios iostream istream iterator list locale memory mutex numeric ostream queue random
    ranges regex set shared_mutex sstream streambuf system_error thread unordered_map unordered_set variant)
  if(files MATCHES "/${header}[ \n]")
    message(FATAL_ERROR "tenon.h includes <${header}>: declare what it needs, or move what uses it into lib")
  endif()
endforeach()
