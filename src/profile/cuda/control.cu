// The positive control of a compute-sanitizer pass: one write past the end of its buffer.
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void out_of_bounds(float* x, int n) { x[n] = 1.f; }
