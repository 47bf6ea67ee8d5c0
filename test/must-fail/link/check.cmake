# A view op without its rule fails the build, at the linker; with it the same program is built and runs.
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set(here "${CMAKE_CURRENT_LIST_DIR}")
file(MAKE_DIRECTORY "${SCRATCH}/dialect/model")
execute_process(COMMAND "${TBLGEN}" -gen-view-rules "${here}/Mirror.td" -I "${MLIR_INCLUDE}"
  -I "${SOURCE_DIR}/dialect/records" -o "${SCRATCH}/dialect/model/ViewRules.gen.inc" COMMAND_ERROR_IS_FATAL ANY)

# What was generated here stands before what the build has.
set(build "${COMPILER}" -std=c++20 "-I${SCRATCH}" "-I${SOURCE_DIR}" "-I${SOURCE_DIR}/include" "-I${BUILD_DIR}"
  "${here}/Main.cpp" "${SOURCE_DIR}/dialect/model/Views.cpp")
set(program "${ARCHIVE}" -o "${SCRATCH}/program")
execute_process(COMMAND ${build} ${program} RESULT_VARIABLE status ERROR_VARIABLE text)
if(status EQUAL 0 OR NOT text MATCHES "undefined reference to `tenon::viewMirror")
  message(FATAL_ERROR "expected that the rule viewMirror is missed, got status ${status}\n${text}")
endif()
execute_process(COMMAND ${build} "${here}/Mirror.cpp" ${program} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${SCRATCH}/program" COMMAND_ERROR_IS_FATAL ANY)
