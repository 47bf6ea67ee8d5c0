# cmake -DSOURCE_DIR=... -DFILES=a|b|... -DOUTPUT=... -P BuildId.cmake
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Writes a hash of the files as sixteen bytes, in the form of an initializer.
string(REPLACE "|" ";" files "${FILES}")
set(all)
foreach(file ${files})
  file(SHA256 "${SOURCE_DIR}/${file}" hash)
  string(APPEND all "${file} ${hash}\n")
endforeach()
string(SHA256 hash "${all}")
string(SUBSTRING "${hash}" 0 32 hash)
string(REGEX REPLACE "(..)" "0x\\1, " bytes "${hash}")
file(WRITE "${OUTPUT}" "${bytes}\n")
