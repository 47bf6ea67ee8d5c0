# Small helpers for the rooms: a new file needs no change in CMake.
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# tenon_sources(<variable> <glob...>): the files that match now; the build looks
# again whenever it runs.
function(tenon_sources result)
  file(GLOB files CONFIGURE_DEPENDS ${ARGN})
  set(${result} ${files} PARENT_SCOPE)
endfunction()

# tenon_test(<name> <sources...>) makes a GoogleTest program and registers it.
function(tenon_test name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE TenonTestOptions GTest::gmock GTest::gtest_main Threads::Threads)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin/test")
  if(TARGET tenon-test-headers)
    target_precompile_headers(${name} REUSE_FROM tenon-test-headers)
  endif()
  add_test(NAME ${name} COMMAND ${name})
  tenon_test_environment(${name})
endfunction()

# What every test may rely on.
# glibc fills memory when it is made and freed, so that what is read before or
# after it is anybody's shows.
function(tenon_test_environment name)
  set_tests_properties(${name} PROPERTIES TIMEOUT 600 ENVIRONMENT
    "GLIBC_TUNABLES=glibc.malloc.perturb=165:glibc.malloc.tcache_count=0;TENON_PYTHON=${TENON_PYTHON};TENON_SOURCE_DIR=${PROJECT_SOURCE_DIR};TENON_BUILD_DIR=${PROJECT_BINARY_DIR}")
  if(TENON_SANITIZE AND NOT TENON_SANITIZE STREQUAL "thread") # the kernels that are sanitized
    set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT TENON_ISA=v3)
  endif()
  # CI builds and runs one half of the sanitized programs, by label and target half-0 or half-1.
  if(TENON_SANITIZE AND TARGET ${name})
    string(MD5 half ${name})
    string(SUBSTRING ${half} 0 1 half)
    math(EXPR half "0x${half} % 2")
    set_property(TEST ${name} APPEND PROPERTY LABELS half-${half})
    if(NOT TARGET half-${half})
      add_custom_target(half-${half})
    endif()
    add_dependencies(half-${half} ${name})
  endif()
endfunction()
