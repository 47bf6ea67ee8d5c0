// Parameters that only the struct of options has.
// RUN: tenon-tblgen -gen-api %s -I %llvm_include -I %source/dialect/records | FileCheck %s --check-prefix=API
// RUN: tenon-tblgen -gen-methods %s -I %llvm_include -I %source/dialect/records | FileCheck %s --check-prefix=METHODS
// RUN: tenon-tblgen -gen-json %s -I %llvm_include -I %source/dialect/records | FileCheck %s --check-prefix=JSON
// RUN: tenon-tblgen -gen-calls %s -I %llvm_include -I %source/dialect/records | FileCheck %s --check-prefix=CALLS
// RUN: not tenon-tblgen -gen-api %s -I %llvm_include -I %source/dialect/records -D ALONE 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: not tenon-tblgen -gen-api %s -I %llvm_include -I %source/dialect/records -D OTHERS 2>&1 | FileCheck %s --check-prefix=OTHERS
include "Base.td"

class Test_Masked<string name> : Tenon_Composite<name> {
  let category = "reduction";
  let summary = "Reduces x.";
  let isMethod = 1;
  let arguments = (ins Tenon_Tensor:$x);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_AxesParameter];
  let options = "MaskedOptions";
  let named = [Tenon_Parameter<"dtype", "dtype", "none">, Tenon_Parameter<"mask", "operand", "none">];
}
def Test_First : Test_Masked<"first">;

// API: struct MaskedOptions {
// API: Ints axis = {};
// API: std::optional<Dtype> dtype = {};
// API-NEXT: Array mask = {};
// API: {{^}}Array first(const Operand &x, const Ints &axes);
// API-NEXT: {{^}}Array first(const Operand &x, const Ints &axes, std::optional<Dtype> dtype, const Operand &mask);
// API: inline Array first(const Operand &x, const MaskedOptions &options) {
// API-NEXT: return tenon::detail::first(x, options.axis, options.dtype, options.mask);
// API: Array first(const Operand &x, const detail::Positional<Axes> &axes = {}) {
// API-NEXT: return detail::first(x, axes);
// METHODS: Array first(const MaskedOptions &options, Location at = Location::current()) const;
// METHODS: Array first(const detail::Positional<Axes> &axes = {}, Location at = Location::current()) const;
// JSON: "named_parameters": [
// JSON: "name": "dtype"
// JSON: "name": "mask"
// JSON: "parameters": [
// JSON: "name": "axes"
// CALLS: tenon::first(a.operand(0, at), a.take<Ints>(1))

#ifdef ALONE
// ALONE: tblgen-named.td:[[#@LINE+1]]:{{[0-9]+}}: error: has `named` parameters, and no form with options beside the other one
def Test_Alone : Test_Masked<"alone"> { let options = ""; }
#endif
#ifdef OTHERS
// OTHERS: tblgen-named.td:[[#@LINE+1]]:{{[0-9]+}}: error: has other parameters than first, whose options are MaskedOptions, too
def Test_Others : Test_Masked<"others"> { let named = []; }
#endif
