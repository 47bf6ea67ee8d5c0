# Compiles SOURCE, which must fail with the text of its `// expect:` lines.
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
file(STRINGS "${SOURCE}" expected REGEX "^// expect: ")
if(NOT expected)
  message(FATAL_ERROR "expected a line '// expect: text' in ${SOURCE}")
endif()
execute_process(COMMAND "${CXX}" -std=c++20 -fsyntax-only "-I${INCLUDE}" "${SOURCE}"
  RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text)
if(status EQUAL 0)
  message(FATAL_ERROR "expected an error, got none: ${SOURCE}")
endif()
foreach(line IN LISTS expected)
  string(REPLACE "// expect: " "" line "${line}")
  string(FIND "${text}" "${line}" found)
  if(found EQUAL -1)
    message(FATAL_ERROR "expected '${line}', got\n${text}")
  endif()
endforeach()
