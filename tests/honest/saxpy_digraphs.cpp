// Honest kernel: uses digraphs and alternative tokens.
// SPDX-License-Identifier: Apache-2.0
%:define TIMES(u, v) ((u) * (v))
void saxpy(int n, float a, const float* x, float* y) <%
  for (int i = 0; i < n and not(i < 0); ++i) y<:i:> += TIMES(a, x<:i:>);
%>
