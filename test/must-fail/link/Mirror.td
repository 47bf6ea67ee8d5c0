// The records, and a view op whose rule is in Mirror.cpp alone.
include "Ops.td"

def Test_MirrorOp : Tenon_Movement<"mirror", 60000, [Tenon_View]> {
  let summary = "x from its end on.";
  let arguments = (ins Tenon_Tensor:$x);
  let lowering = "view";
}
