# MLIR and LLVM 22: headers, tablegen, and one way of linking.
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# TenonMLIR links either libMLIR.so + libLLVM.so, or archives only. Never both:
# an option or a TypeID registered twice ends the process. The exported targets
# of the MLIR archives name libLLVM.so, so the static way names the archive
# files themselves.

# MLIRConfig accepts only a request of the same major.minor.
find_package(MLIR 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
find_package(Threads REQUIRED)

get_filename_component(LLVM_ROOT "${MLIR_CMAKE_DIR}/../../.." ABSOLUTE)
set(LLVM_BIN "${LLVM_ROOT}/bin")
set(LLVM_LIB "${LLVM_ROOT}/lib")

add_library(TenonLLVMHeaders INTERFACE)
target_include_directories(TenonLLVMHeaders SYSTEM INTERFACE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
separate_arguments(llvm_definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
target_compile_definitions(TenonLLVMHeaders INTERFACE ${llvm_definitions})

# LLVM's own lld; a plain -fuse-ld=lld may find an older one.
add_library(TenonLinker INTERFACE)
target_link_options(TenonLinker INTERFACE -B${LLVM_BIN} -fuse-ld=lld)
target_link_libraries(TenonPlainOptions INTERFACE TenonLinker)

# Archives of LLVM with what they need from the system, as llvm-config says;
# libz3 and libxml2 serve parts that nothing here links.
function(tenon_llvm_archives result)
  execute_process(COMMAND "${LLVM_BIN}/llvm-config" --link-static --libnames ${ARGN}
                  OUTPUT_VARIABLE names OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(names)
  list(TRANSFORM names PREPEND "${LLVM_LIB}/")
  set(${result} ${names} z zstd rt dl m Threads::Threads PARENT_SCOPE)
endfunction()

add_library(TenonMLIR INTERFACE)
target_link_libraries(TenonMLIR INTERFACE TenonLLVMHeaders)
if(TENON_LLVM STREQUAL "shared")
  target_link_libraries(TenonMLIR INTERFACE "${LLVM_LIB}/libMLIR.so" "${LLVM_LIB}/libLLVM.so")
  target_link_options(TenonMLIR INTERFACE "-Wl,-rpath,${LLVM_LIB}")
elseif(TENON_LLVM STREQUAL "static")
  file(GLOB mlir_archives "${LLVM_LIB}/libMLIR*.a")
  list(FILTER mlir_archives EXCLUDE REGEX "/libMLIR(CAPI|.*Test|Tblgen)")
  tenon_llvm_archives(llvm_archives
    core support orcjit passes bitreader bitwriter x86 nvptx)
  target_link_libraries(TenonMLIR INTERFACE
    -Wl,--start-group ${mlir_archives} -Wl,--end-group ${llvm_archives})
else()
  message(FATAL_ERROR "TENON_LLVM: expected static or shared, got '${TENON_LLVM}'")
endif()

# tenon_tablegen(<output> <td> <tool> <options...>) runs mlir-tblgen or
# tenon-tblgen; a header is rewritten only when its text has changed.
function(tenon_tablegen output td tool)
  get_filename_component(folder "${output}" DIRECTORY)
  file(MAKE_DIRECTORY "${folder}")
  add_custom_command(OUTPUT "${output}"
    COMMAND ${tool} ${ARGN} "${td}" -I "${MLIR_INCLUDE_DIRS}" -I "${PROJECT_SOURCE_DIR}/dialect/records"
            --write-if-changed -d "${output}.d" -o "${output}"
    DEPENDS ${tool} "${td}" DEPFILE "${output}.d"
    COMMENT "Generating ${output}" VERBATIM)
endfunction()
