# Runs a lesson and compares what it prints with LESSON.expected.
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND "${PROGRAM}" OUTPUT_VARIABLE printed RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} ended with ${status}, having printed:\n${printed}")
endif()
# Where the sources are is not part of what a lesson prints.
string(REPLACE "${FOLDER}/" "" printed "${printed}")
file(READ "${EXPECTED}" expected)
if(NOT "${printed}" STREQUAL "${expected}")
  message(FATAL_ERROR "expected:\n${expected}\ngot:\n${printed}")
endif()
