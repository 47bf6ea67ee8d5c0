# Compiler and linker options that hold for the whole tree.
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
# Asserts stay on except in Release. Line tables are enough to debug and keep
# the files that include MLIR small.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1")

if(TENON_CCACHE)
  find_program(CCACHE ccache)
  if(CCACHE)
    # The sloppiness that ccache asks for with precompiled headers.
    set(CMAKE_C_COMPILER_LAUNCHER "${CCACHE}")
    set(CMAKE_CXX_COMPILER_LAUNCHER
      "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros "${CCACHE}")
  endif()
endif()

# What every target of ours links. tenon-tblgen alone goes without sanitizers:
# it is a tool of the build, on LLVM's archives, which have none.
add_library(TenonWarnings INTERFACE)
target_compile_options(TenonWarnings INTERFACE -Wall -Wextra)

add_library(TenonPlainOptions INTERFACE)
target_link_libraries(TenonPlainOptions INTERFACE TenonWarnings)
target_include_directories(TenonPlainOptions INTERFACE
  "${PROJECT_SOURCE_DIR}/include"   # <tenon/array.h>
  "${PROJECT_SOURCE_DIR}"           # "dialect/model/Op.h", "runtime/kernels/Kernel.h", "lib/trace/Trace.h"
  "${PROJECT_BINARY_DIR}")          # "dialect/model/Ops.gen.h" and what else is generated
# The contract of numbers: a*b+c is two roundings wherever it is written.
target_compile_options(TenonPlainOptions INTERFACE -ffp-contract=off)
# A program keeps, and has to resolve, only what it reaches.
target_compile_options(TenonPlainOptions INTERFACE -ffunction-sections -fdata-sections)
target_link_options(TenonPlainOptions INTERFACE -Wl,--gc-sections)

add_library(TenonOptions INTERFACE)
target_link_libraries(TenonOptions INTERFACE TenonPlainOptions)
# Test programs are not sanitized themselves, as g++ takes 12 s a file for 7 then; the library that they call is. TSan
# has to see both sides of a race, so under it they are.
add_library(TenonTestOptions INTERFACE)
target_link_libraries(TenonTestOptions INTERFACE TenonPlainOptions)
if(TENON_SANITIZE)
  # A null pointer is caught by the processor; checks for it and of virtual tables take g++ a tenth more per file.
  target_compile_options(TenonOptions INTERFACE
    -fsanitize=${TENON_SANITIZE} -fno-sanitize=null,vptr -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(TenonOptions INTERFACE -fsanitize=${TENON_SANITIZE})
  target_link_options(TenonTestOptions INTERFACE -fsanitize=${TENON_SANITIZE})
  if(TENON_SANITIZE STREQUAL "thread")
    target_link_libraries(TenonTestOptions INTERFACE TenonOptions)
  endif()
endif()

# What is installed of a release has no symbols but those it shows: a third of
# the plug-in would be names. Rules of installation run in the order of this
# tree, so it is said before the first.
install(CODE [[
if(CMAKE_INSTALL_CONFIG_NAME STREQUAL "Release")
  set(CMAKE_INSTALL_DO_STRIP ON)
endif()
]])
