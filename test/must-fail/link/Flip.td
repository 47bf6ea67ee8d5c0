// The records, and a view op whose rule is in Flip.cpp alone.
include "Ops.td"

def Test_FlipOp : Tenon_Movement<"flip", 200, [Tenon_View]> {
  let summary = "x from its end on.";
  let arguments = (ins Tenon_Tensor:$x);
  let lowering = "view";
}
