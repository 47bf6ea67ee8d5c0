"""sass.py PTX CUBIN: what NVIDIA's assembler makes of each kernel.

Prints `name: instructions N, registers M`. An instruction of sm_90 is 16 bytes;
the padding behind the last one counts, up to seven.
Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re
import struct
import subprocess
import sys

ptx, cubin = sys.argv[1:]
log = subprocess.run(
    ["ptxas", "-v", "-arch=sm_90", "-o", cubin, ptx], check=True, capture_output=True, text=True
).stderr
registers = dict(re.findall(r"entry function '(\w+)'.*?Used (\d+) registers", log, re.DOTALL))

image = open(cubin, "rb").read()
table, entry_size, count, names_at = struct.unpack_from("<Q", image, 40) + struct.unpack_from("<HHH", image, 58)
# sh_name, sh_type, sh_flags, sh_addr, sh_offset, sh_size
sections = [struct.unpack_from("<IIQQQQ", image, table + i * entry_size) for i in range(count)]
names = sections[names_at][4]
for name, _, _, _, _, size in sections:
    text = image[names + name : image.index(b"\0", names + name)].decode()
    if text.startswith(".text.") and text[6:] in registers:
        print(f"{text[6:]}: instructions {size // 16}, registers {registers[text[6:]]}")
