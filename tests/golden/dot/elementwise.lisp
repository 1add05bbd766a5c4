;;; An elementwise chain over a symbolic size, stage dot.
(defentry scale-shift ((x (n 4)))
  (!relu (!+ (!* x 2.0) 1.0)))
;;; expect
digraph air {
  node [shape=box, fontname=monospace];
  n0 [label="%0 input x\nfloat32 (n 4)\nx", style=rounded];
  n1 [label="%1 const 2.0\nfloat32 (n 4)", style=rounded];
  n2 [label="%2 mul\nfloat32 (n 4)\nmul"];
  n0 -> n2;
  n1 -> n2;
  n3 [label="%3 const 1.0\nfloat32 (n 4)", style=rounded];
  n4 [label="%4 add\nfloat32 (n 4)\nadd"];
  n2 -> n4;
  n3 -> n4;
  n5 [label="%5 const 0\nint64 ()", style=rounded];
  n6 [label="%6 const 0.0\nfloat32 ()", style=rounded];
  n7 [label="%7 const 0.0\nfloat32 (n 4)", style=rounded];
  n8 [label="%8 max\nfloat32 (n 4)\nrelu"];
  n4 -> n8;
  n7 -> n8;
  out0 [label="out", shape=ellipse];
  n8 -> out0;
}
