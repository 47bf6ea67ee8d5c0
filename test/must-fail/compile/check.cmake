# Compiles SOURCE, which must fail with the text of its `// expect:` lines; that of
# `// expect first:` is in the first error.
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
file(STRINGS "${SOURCE}" expected REGEX "^// expect( first)?: ")
if(NOT expected)
  message(FATAL_ERROR "expected a line '// expect: text' in ${SOURCE}")
endif()
execute_process(COMMAND "${CXX}" -std=c++20 -fsyntax-only "-I${INCLUDE}" "${SOURCE}"
  RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text)
if(status EQUAL 0)
  message(FATAL_ERROR "expected an error, got none: ${SOURCE}")
endif()
string(REGEX MATCH "error: [^\n]*" first "${text}")
foreach(line IN LISTS expected)
  if(line MATCHES "^// expect first: ")
    set(where "${first}")
  else()
    set(where "${text}")
  endif()
  string(REGEX REPLACE "^// expect( first)?: " "" line "${line}")
  string(FIND "${where}" "${line}" found)
  if(found EQUAL -1)
    message(FATAL_ERROR "expected '${line}', got\n${where}")
  endif()
endforeach()
