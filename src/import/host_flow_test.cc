// Tests of the order of a host function's work: each step is drafted exactly, or a refusal names
// the reason.
// SPDX-License-Identifier: Apache-2.0
#include "import/draft_table.h"

namespace kw::import {
namespace {

TEST(HostFlow, LeaveLoopsThatCarryValues) {
  static constexpr DraftCase kCases[] = {
      {"bool first = true; for (int i = 0; i < n; i++) { if (first) k<<<1,64>>>(x,y,n); else "
       "k<<<2,64>>>(x,y,n); first = false; }",
       "!this condition cannot be decided: 'first' changes between iterations of this "
       "loop in a way that a loop of a launch plan cannot express"},
      {"int s = 0; for (int i = 0; i < 100; i++) { k2<<<1,64>>>(x,y,n,s); s = 1; }",
       "!what is passed as 'm' is not known: 's' changes between iterations of this loop in a way "
       "that a loop of a launch plan cannot express"},
      {"int s = 5; for (int i = 0; i < n; i++) { k2<<<1,64>>>(x,y,n,s); s = 1; }",
       "!what is passed as 'm' is not known: 's' changes between iterations of this loop in a way "
       "that a loop of a launch plan cannot express"},
      {"int m2 = 1; for (int i = 0; i < n; i++) { k2<<<1,256>>>(x,y,n,m2); m2 = 2; }",
       "!what is passed as 'm' is not known: 'm2' changes between iterations of this loop in a way "
       "that a loop of a launch plan cannot express"},
      {"int s = 3; for (int i = 0; i < n; i++, s += 2) k2<<<1,64>>>(x,y,n,s);",
       "!what is passed as 'm' is not known: 's' changes between iterations of this loop in a way "
       "that a loop of a launch plan cannot express"},
      {"const float* p = x; for (int i = 0; i < n; i++, p += m) k2<<<1,64>>>(p,y,n,m);",
       "!what is passed as 'x' is not known: 'p' changes between iterations of this loop in a way "
       "that a loop of a launch plan cannot express"},
      {"for (int i = 0; i < n; i++) { int j = i * 2; i += 1; k2<<<1,64>>>(x,y,n,j); }",
       "!'i', the counter of this loop, changes inside the loop"},
      {"for (int i = 0; i < (n > 5 ? n : 5); i++) { int* r = &i; k2<<<1,64>>>(x,y,n,i); (*r)++; }",
       "!'i', the counter of this loop, changes inside the loop"},
      {"for (int i = 0; i < n; i++) { k2<<<1,256>>>(x,y,n,i); i++; }",
       "!'i', the counter of this loop, changes inside the loop"},
      {"for (int i = 0, j = 7; i < n; i++) k2<<<1,64>>>(x,y,n,j);",
       "for i = 0 .. n\n"
       "  launch k2 grid(1) block(64) args(x, y, n, 7)\n"
       "end\n"},
      {"for (int i = 0; i < n; i += 1 + (i & 1)) k2<<<1,64>>>(x,y,n,i);",
       "!the number of times that this loop launches kernels cannot be written as an expression of "
       "the sizes"},
      {"for (int i = 0; i != n; i += 2) k2<<<1,256>>>(x,y,n,i);",
       "!the number of times that this loop launches kernels cannot be written as an expression of "
       "the sizes"},
      {"int s=0; for (int i=0;i<n;i++) { for (int j=0;j<m;j++) s++; k2<<<1,64>>>(x,y,n,s); }",
       "!what is passed as 'm' is not known: 's' changes between iterations of this loop in a way "
       "that a loop of a launch plan cannot express"},
      {"int s=0; for (int i=0;i<n;i++) { s=i; k2<<<1,64>>>(x,y,n,s); }",
       "for i = 0 .. n\n"
       "  launch k2 grid(1) block(64) args(x, y, n, i)\n"
       "end\n"},
      {"int s=0; for (int i=0;i<n;i++) { k2<<<1,64>>>(x,y,n,s); s=i; }",
       "!what is passed as 'm' is not known: 's' changes between iterations of this loop in a way "
       "that a loop of a launch plan cannot express"},
      {"int s = 1; for (int i = 0; i < n; i++) { s = 7; } k2<<<1,256>>>(x,y,n,s);",
       "!what is passed as 'm' is not known: what 's' is set to here depends on data"},
      {"cudaDeviceSynchronize(); float s = 0; for (int i = 0; i < n; i++) s += x[i]; "
       "kf<<<1,64>>>(x,y,n,s);",
       "!what is passed as 's' is not known: what 's' is set to here depends on data"},
      {"int b = 64; int c = 0; while (c < n) { b = 128; c++; } k<<<1,b>>>(x,y,n);",
       "!the block is not known: what 'b' is set to here depends on data"},
      {"int i; for (i=0;i<n;i+=2) {} k2<<<1,64>>>(x,y,n,i);",
       "!what is passed as 'm' is not known: what 'i' is set to here depends on data"},
  };
  expect_bodies(kCases);
}

TEST(HostFlow, FollowLoopsThatCanBeDecided) {
  static constexpr DraftCase kCases[] = {
      {"int b = 64; do { b *= 2; } while (b < 500); k<<<1,b>>>(x,y,n);",
       "launch k grid(1) block(512) args(x, y, n)\n"},
      {"int i = 0; do { k2<<<1,256>>>(x,y,n,i); i++; } while (i < 4);",
       "launch k2 grid(1) block(256) args(x, y, n, 0)\n"
       "launch k2 grid(1) block(256) args(x, y, n, 1)\n"
       "launch k2 grid(1) block(256) args(x, y, n, 2)\n"
       "launch k2 grid(1) block(256) args(x, y, n, 3)\n"},
      {"int a[] = {64,128,256}; for (int t : a) k2<<<1,t>>>(x,y,n,t);",
       "launch k2 grid(1) block(64) args(x, y, n, 64)\n"
       "launch k2 grid(1) block(128) args(x, y, n, 128)\n"
       "launch k2 grid(1) block(256) args(x, y, n, 256)\n"},
      {"int b=64; int c=(b=128, 3); k<<<c,b>>>(x,y,n);",
       "launch k grid(3) block(128) args(x, y, n)\n"},
      {"float* t; cudaMalloc(&t,n*4); cudaMemset(t,0,n*4); for (int i=0;i<m;i++) { "
       "k<<<1,64>>>(x,t,n); cudaMemset(t,0,n*4);} k<<<1,64>>>(t,y,n);",
       "workspace t f32 [n] zeroed\n"
       "for i = 0 .. m\n"
       "  launch k grid(1) block(64) args(x, t, n)\n"
       "  fill t with 0\n"
       "end\n"
       "launch k grid(1) block(64) args(t, y, n)\n"},
      {"float* t; for (int i=0;i<m;i++) { cudaMalloc(&t,n*4); cudaMemset(t,0,n*4); "
       "k<<<1,64>>>(x,t,n); k<<<1,64>>>(t,y,n); cudaFree(t);}",
       "workspace t f32 [n]\n"
       "for i = 0 .. m\n"
       "  fill t with 0\n"
       "  launch k grid(1) block(64) args(x, t, n)\n"
       "  launch k grid(1) block(64) args(t, y, n)\n"
       "end\n"},
      {"if (int b = n / 2) k<<<b,256>>>(x,y,n);",
       "when n / 2\n"
       "  launch k grid(n / 2) block(256) args(x, y, n)\n"
       "end\n"},
  };
  expect_bodies(kCases);
}

TEST(HostFlow, RefuseTurnsThatAreLeftUndecided) {
  static constexpr DraftCase kCases[] = {
      {"int b=64; for (int i=0;i<n;i++) { if (i==3) { b=128; break; } } k<<<1,b>>>(x,y,n);",
       "!the block is not known: what 'b' is set to here depends on data"},
      {"int b=64; while (true) { b*=2; if (b>n) break; } k<<<1,b>>>(x,y,n);",
       "!the block is not known: what 'b' is set to here depends on data"},
      {"int b=64; do { if (n>4) break; b=128; } while(0); k<<<1,b>>>(x,y,n);",
       "!the block is not known: 'b' is set in a loop that may be left here"},
      {"for (int i=0;i<n;i++) { if (i==0) continue; k<<<1,64>>>(x,y,n); break; }",
       "!this `continue` leaves a loop of launches under a condition that is not known before the "
       "plan runs"},
      {"for (int i=0;i<n;i++) { k<<<1,64>>>(x,y,n); break; }",
       "!this `break` leaves a loop of launches under a condition that is not known before the "
       "plan runs"},
  };
  expect_bodies(kCases);
}

TEST(HostFlow, LaunchNothingUnderAConditionUnawares) {
  static constexpr DraftCase kCases[] = {
      {"n > 5 ? k<<<1,256>>>(x,y,n) : k<<<2,256>>>(x,y,n);",
       "!whether a kernel is launched here depends on a condition in an expression: write an `if`"},
      {"n > 5 && (k<<<1,256>>>(x,y,n), 1);",
       "!whether a kernel is launched here depends on a condition in an expression: write an `if`"},
      {"goto out; k<<<1,256>>>(x,y,n); out: k<<<2,256>>>(x,y,n);",
       "!the plan drafter cannot follow a goto"},
      {"int b = 64; if (n > 100) goto big; k<<<1,b>>>(x,y,n); return; big: k<<<2,b>>>(x,y,n);",
       "!the plan drafter cannot follow a goto"},
      {"int i = 3; k2<<<1,1>>>(x,y,n,i) ; if (n > 3) return; else k2<<<2,2>>>(x,y,n,i); "
       "k2<<<3,3>>>(x,y,n,i);",
       "launch k2 grid(1) block(1) args(x, y, n, 3)\n"
       "when n <= 3\n"
       "  launch k2 grid(2) block(2) args(x, y, n, 3)\n"
       "  launch k2 grid(3) block(3) args(x, y, n, 3)\n"
       "end\n"},
      {"if (n > 3) { k<<<1,64>>>(x,y,n); } else { return; } k<<<2,64>>>(x,y,n);",
       "when n > 3\n"
       "  launch k grid(1) block(64) args(x, y, n)\n"
       "end\n"
       "when n > 3\n"
       "  launch k grid(2) block(64) args(x, y, n)\n"
       "end\n"},
      {"if (n > 3) if (m > 2) return; else k<<<9,64>>>(x,y,n); k<<<2,64>>>(x,y,n);",
       "when n > 3\n"
       "  when m <= 2\n"
       "    launch k grid(9) block(64) args(x, y, n)\n"
       "  end\n"
       "end\n"
       "when !(n > 3 && m > 2)\n"
       "  launch k grid(2) block(64) args(x, y, n)\n"
       "end\n"},
      {"assert(n % 4 == 0); k<<<n/4,256>>>(x,y,n);",
       "require n % 4 == 0\n"
       "launch k grid(n / 4) block(256) args(x, y, n)\n"},
      {"if (n % 4 != 0) throw 1; k<<<n/4,256>>>(x,y,n);",
       "require n % 4 == 0\n"
       "launch k grid(n / 4) block(256) args(x, y, n)\n"},
      {"if (n % 4 != 0) exit(1); k<<<n/4,256>>>(x,y,n);",
       "require n % 4 == 0\n"
       "launch k grid(n / 4) block(256) args(x, y, n)\n"},
      {"int b = 64; switch (n) { case 1: b = 32; break; default: b = 128; } k<<<1,b>>>(x,y,n);",
       "!the block is not known: 'b' is set in a switch whose case is not known"},
      {"int b=64; switch(n){case 1: b=1; case 2: {b=2; break;} default: ;} k<<<1,b>>>(x,y,n);",
       "!the block is not known: 'b' is set in a switch whose case is not known"},
      {"float* r=(float*)malloc(4); float* t; cudaMalloc(&t,4); k<<<1,64>>>(x,t,n); "
       "cudaMemcpy(r,t,4,cudaMemcpyDeviceToHost); if (r[0]>1) k<<<1,64>>>(x,y,n);",
       "!this condition cannot be decided: what this memory holds is not known before "
       "the plan runs"},
      {"float* r=(float*)malloc(4); float* t; cudaMalloc(&t,4); k<<<1,64>>>(x,t,n); "
       "cudaMemcpy(r,t,4,cudaMemcpyDeviceToHost); if (r[0]>1) return; k<<<1,64>>>(x,y,n);",
       "!this condition cannot be decided: what this memory holds is not known before "
       "the plan runs"},
  };
  expect_bodies(kCases);
}

TEST(HostFlow, FollowMemory) {
  static constexpr DraftCase kCases[] = {
      {"float* t; cudaMalloc(&t, n*4); for (int i = 0; i < n; i++) { cudaMemset(t, 0, n*4); "
       "k<<<1,256>>>(x,t,n); k<<<2,256>>>(t,y,n); }",
       "workspace t f32 [n]\n"
       "for i = 0 .. n\n"
       "  fill t with 0\n"
       "  launch k grid(1) block(256) args(x, t, n)\n"
       "  launch k grid(2) block(256) args(t, y, n)\n"
       "end\n"},
      {"float* t; cudaMalloc(&t, n*4); cudaMemset(t, 0, 4); k<<<1,256>>>(x,t,n); "
       "k<<<2,256>>>(t,y,n);",
       "workspace t f32 [n]\n"
       "fill t[0 : 1] with 0\n"
       "launch k grid(1) block(256) args(x, t, n)\n"
       "launch k grid(2) block(256) args(t, y, n)\n"},
      {"cudaMemset2D(y, 1024, 0, 100, n); k<<<1,256>>>(x,y,n);",
       "!a launch plan cannot express what 'cudaMemset2D' does"},
      {"float* t; cudaMalloc(&t, n*4); if (m) cudaMemset(t, 0, n*4); else cudaMemset(t, 255, n*4); "
       "k<<<1,256>>>(t,y,n);",
       "workspace t f32 [n]\n"
       "when m\n"
       "  fill t with 0\n"
       "else\n"
       "  fill t with bits(-1)\n"
       "end\n"
       "launch k grid(1) block(256) args(t, y, n)\n"},
      {"float* t; cudaMalloc(&t,n*4); cudaMemset(t+1,0,n*4-4); k<<<1,64>>>(x,t,n); "
       "k<<<1,64>>>(t,y,n);",
       "workspace t f32 [n]\n"
       "fill t[1 : 1 + (n - 1)] with 0\n"
       "launch k grid(1) block(64) args(x, t, n)\n"
       "launch k grid(1) block(64) args(t, y, n)\n"},
      {"cudaMemcpy2D(y, 128, x, 256, 64, n, cudaMemcpyDeviceToDevice); k<<<1,256>>>(x,y,n);",
       "!a launch plan cannot express what 'cudaMemcpy2D' does"},
      {"cudaMemcpyPeer(y, 0, x, 1, n*4); k<<<1,256>>>(x,y,n);",
       "!a launch plan cannot express what 'cudaMemcpyPeer' does"},
      {"float one = 1.0f; cudaMemcpy(y, &one, 4, cudaMemcpyHostToDevice); k<<<1,256>>>(x,y,n);",
       "!the host fills 'y', an argument of the function, which a launch plan cannot do"},
      {"cudaLaunchHostFunc(0, f, 0); k<<<1,64>>>(x,y,n);",
       "!a launch plan cannot express what 'cudaLaunchHostFunc' does"},
      {"k<<<1,64>>>(x,y,n); y[0] = 1.0f;",
       "!the host writes to the memory of 'y', which a launch plan cannot do"},
      {"float* t; cudaMalloc(&t, 3*n*sizeof(float)); float* a = t; float* b = a + n; float* c = b "
       "+ n; k<<<1,64>>>(a,b,n); k<<<1,64>>>(b,c,n); k<<<1,64>>>(c,y,n);",
       "workspace t f32 [3 * n]\n"
       "launch k grid(1) block(64) args(t, t[n], n)\n"
       "launch k grid(1) block(64) args(t[n], t[n + n], n)\n"
       "launch k grid(1) block(64) args(t[n + n], y, n)\n"},
      {"cudaStream_t a, b; cudaStreamCreate(&a); cudaStreamCreate(&b); k<<<n,64,0,a>>>(x,y,n); "
       "k<<<n,64,0,b>>>(x,y,n);",
       "!launches on several streams may run at once: use one stream, or write fork and join"},
      {"cudaStream_t s[2]; for (int i = 0; i < 2; i++) cudaStreamCreate(&s[i]); for (int i = 0; i "
       "< 2; i++) k<<<n,64,0,s[i]>>>(x,y,n);",
       "!launches on several streams may run at once: use one stream, or write fork and join"},
      {"float h[4]={1,2,3,4}; float* t; cudaMalloc(&t,16); "
       "cudaMemcpy(t,h,16,cudaMemcpyHostToDevice); k<<<1,64>>>(t,y,n);",
       "!the host computes the data that 't' is filled with, which a launch plan cannot do"},
      {"float* r=(float*)malloc(4); float* t; cudaMalloc(&t,4); k<<<1,64>>>(x,t,n); "
       "cudaMemcpy(r,t,4,cudaMemcpyDeviceToHost); kf<<<1,64>>>(x,y,n,r[0]);",
       "!what is passed as 's' is not known: what this memory holds is not known before the plan "
       "runs"},
  };
  expect_bodies(kCases);
}

TEST(HostFlow, FollowFunctions) {
  static constexpr DraftCase kCases[] = {
      {"int pick(int m) { if (m > 3) return 64; return 256; }\n"
       "extern \"C\" void solve(const float* x, float* y, int n, int m) { k<<<1,pick(m)>>>(x,y,n); "
       "}",
       "launch k grid(1) block(m > 3 ? 64 : 256) args(x, y, n)\n"},
      {"int pick(int m) { for (int i=0;i<m;i++) if (i*i>m) return i; return 256; }\n"
       "extern \"C\" void solve(const float* x, float* y, int n, int m) { k<<<1,pick(m)>>>(x,y,n); "
       "}",
       "!the block is not known: which value is returned depends on data: the function returns "
       "inside a loop"},
      {"int pick(int m) { switch(m){case 1: return 1;} return 256; }\n"
       "extern \"C\" void solve(const float* x, float* y, int n, int m) { k<<<1,pick(m)>>>(x,y,n); "
       "}",
       "!the block is not known: which value is returned depends on data: the case of this switch "
       "that returns is not known"},
      {"int pick(int m) { while (m > 3) { return 7; } return 256; }\n"
       "extern \"C\" void solve(const float* x, float* y, int n, int m) { k<<<1,pick(m)>>>(x,y,n); "
       "}",
       "!the block is not known: which value is returned depends on data: the function returns "
       "inside a loop"},
      {"void set(int& a, int m) { if (m > 3) { a = 1; return; } a = 2; }\n"
       "extern \"C\" void solve(const float* x, float* y, int n, int m) { int a=0; set(a,m); "
       "k<<<1,a>>>(x,y,n); }",
       "!the block is not known: 'a' is set by 'set' in a way that the plan drafter cannot follow"},
      {"int B=64;\n"
       "extern \"C\" void solve(const float* x, float* y, int n, int m) { if (m>3) B=128; "
       "k<<<1,B>>>(x,y,n); }\n"
       "void other() { B=7; }",
       "!the block is not known: what 'B' holds is set elsewhere in the file"},
      {"int B=64;\n"
       "extern \"C\" void solve(const float* x, float* y, int n, int m) { k<<<1,B>>>(x,y,n); }\n"
       "void other(int& r) { r=7; }\n"
       "void third() { other(B); }",
       "!the block is not known: what 'B' holds is set elsewhere in the file"},
      {"void alloc(float** p, int n) { cudaMalloc(p, n*4); }\n"
       "extern \"C\" void solve(const float* x, float* y, int n, int m) { float* t; alloc(&t,n); "
       "k<<<1,64>>>(x,t,n); k<<<1,64>>>(t,y,n); }",
       "!the variable that gets this memory's address is not known"},
      {"int twice(int a) { return 2*a; }\n"
       "int twice(float a) { return 7; }\n"
       "extern \"C\" void solve(const float* x, float* y, int n, int m) { "
       "k<<<1,twice(m)>>>(x,y,n); }",
       "!the block is not known: 'twice' is the name of several functions"},
      {"template<class F> void apply(F f) { f(1); f(2); }\n"
       "extern \"C\" void solve(const float* x, float* y, int n, int m) { int b=0; apply([&](int "
       "q){ b+=q; }); k<<<1,b>>>(x,y,n); }",
       "launch k grid(1) block(3) args(x, y, n)\n"},
      {"void f(int& a) { a = 5; }\n"
       "void solve(const float* x, float* y, int n) { int a = 1; f(a); k2<<<a,256>>>(x,y,n,a); }",
       "launch k2 grid(5) block(256) args(x, y, n, 5)\n"},
      {"void f(int* a) { *a = 5; }\n"
       "void solve(const float* x, float* y, int n) { int a = 1; f(&a); k2<<<a,256>>>(x,y,n,a); }",
       "!the grid is not known: 'a' may be set by 'f' through its address"},
      {"void f(dim3& g, int n) { g.x = n; }\n"
       "void solve(const float* x, float* y, int n) { dim3 g(1); f(g, n); k<<<g,256>>>(x,y,n); }",
       "launch k grid(n) block(256) args(x, y, n)\n"},
      {"int B = 64;\n"
       "void setup() { B = 128; }\n"
       "void solve(const float* x, float* y, int n) { setup(); k<<<(n+B-1)/B, B>>>(x,y,n); }",
       "launch k grid(ceil_div(n, 128)) block(128) args(x, y, n)\n"},
      {"int cd(int a, int b = 256) { return (a + b - 1) / b; }\n"
       "void solve(const float* x, float* y, int n) { k<<<cd(n), 256>>>(x,y,n); }",
       "launch k grid(ceil_div(n, 256)) block(256) args(x, y, n)\n"},
      {"int min(int a, int b) { return a; }\n"
       "void solve(const float* x, float* y, int n) { k<<<min(n,64), 64>>>(x,y,n); }",
       "launch k grid(n) block(64) args(x, y, n)\n"},
      {"void solve(const float* in, float* out, int n) { int x = 5; dim3 g(3, 4); g.x++; g.x++; "
       "k2<<<g,64>>>(in,out,n,x); }",
       "launch k2 grid(5, 4) block(64) args(in, out, n, 5)\n"},
      {"struct S { int b; };\n"
       "void solve(const float* in, float* out, int n) { S s; s.b = 64; int b = 7; s.b++; "
       "k2<<<1,64>>>(in,out,s.b,b); ++s.b; k2<<<1,64>>>(in,out,s.b,b); }",
       "launch k2 grid(1) block(64) args(in, out, 65, 7)\n"
       "launch k2 grid(1) block(64) args(in, out, 66, 7)\n"},
      {"template <int B> __global__ void kt(const float* x, float* y, int n) { y[0]=x[0]; }\n"
       "template <int B> void solve(const float* x, float* y, int n) { kt<B*2><<<n,64>>>(x,y,n); }",
       "!this template argument is not known: the template argument 'B' of 'solve' is not known"},
      {"void solve(const float* x, float* y, int n) { kd<<<n,64>>>(x,y,n); }",
       "launch kd grid(n) block(64) args(x, y, n, f32(2.0))\n"},
  };
  expect_drafts(kCases, "", "\n");
}

TEST(HostFlow, FollowMemoryThroughTheHost) {
  static constexpr DraftCase kCases[] = {
      {"void solve(const float* hx, float* hy, int n) { float *a,*b; cudaMalloc(&a,n*4); "
       "cudaMalloc(&b,n*4); cudaMemcpy(a,hx,n*4,cudaMemcpyHostToDevice); for(int i=0;i<3;i++){ "
       "k<<<1,64>>>(a,b,n); cudaMemcpy(hy,b,n*4,cudaMemcpyDeviceToHost); "
       "cudaMemcpy(a,hy,n*4,cudaMemcpyHostToDevice);} }",
       "!'a' is filled by the host after it was used"},
      {"void solve(const float* hx, float* hy, int n) { float *a,*b; cudaMalloc(&a,n*4); "
       "cudaMalloc(&b,n*4); cudaMemcpy(a,hx,n*4,cudaMemcpyHostToDevice); k<<<1,64>>>(a,b,n); "
       "cudaMemcpy(hy,b,n*4,cudaMemcpyDeviceToHost); for (int i=0;i<n;i++) hy[i]*=2; }",
       "!the host writes to the memory of 'hy', which a launch plan cannot do"},
      {"void solve(const float* hx, float* hy, int n) { float *a,*b; cudaMalloc(&a,n*4); "
       "cudaMalloc(&b,n*4); cudaMemcpy(a,hx,n*4,cudaMemcpyHostToDevice); k<<<1,64>>>(a,b,n); "
       "cudaMemcpy(hy,b,n*4,cudaMemcpyDeviceToHost); std::sort(hy, hy+n); }",
       "!the plan drafter does not know what 'std::sort' does with the memory of 'hy'"},
      {"void solve(const float* hx, float* hy, int n) { float *a,*b; cudaMalloc(&a,n*4); "
       "cudaMalloc(&b,n*4); cudaMemcpy(a,hx,n*4,cudaMemcpyHostToDevice); k<<<1,64>>>(a,b,n); "
       "cudaMemcpy(hy,b,n*4,cudaMemcpyDeviceToHost); k<<<2,64>>>(b,a,n); k<<<1,64>>>(a,b,n); }",
       "!'b' is written again after the host has copied it"},
      {"void solve(const float* hx, float* hy, int n) { float *a,*b; cudaMalloc(&a,n*4); "
       "cudaMalloc(&b,n*4); if (n>4) cudaMemcpy(a,hx,n*4,cudaMemcpyHostToDevice); "
       "k<<<1,64>>>(a,b,n); cudaMemcpy(hy,b,n*4,cudaMemcpyDeviceToHost); }",
       "!'a' is filled by the host under a condition or in a loop"},
      {"void solve(const float* hx, float* hy, int n) { float *a; cudaMalloc(&a,n*4); "
       "cudaMemcpy(a,hx,n*4,cudaMemcpyHostToDevice); k<<<1,64>>>(a,a,n); "
       "cudaMemcpy(hy,a,n*4,cudaMemcpyDeviceToHost); }",
       "!'a' is filled from one argument of the function and copied to another, which a launch "
       "plan cannot express"},
      {"int main() { const int N=1024; float h[1024]; float *a,*b; for(int i=0;i<N;i++) h[i]=i; "
       "cudaMalloc(&a,N*4); cudaMalloc(&b,N*4); cudaMemcpy(a,h,N*4,cudaMemcpyHostToDevice); "
       "k<<<(N+255)/256,256>>>(a,b,N); cudaMemcpy(h,b,N*4,cudaMemcpyDeviceToHost); for(int "
       "i=0;i<N;i++) h[i]*=2; cudaMemcpy(a,h,N*4,cudaMemcpyHostToDevice); k<<<4,256>>>(a,b,N); "
       "cudaMemcpy(h,b,N*4,cudaMemcpyDeviceToHost);}",
       "!the host copies 'h' into both 'b' and 'a', which a launch plan would take for the same "
       "buffer"},
      {"__global__ void r(const float* x, float* y, int n) { int i = blockIdx.x*256+threadIdx.x; "
       "if (i<n) y[i]=fmaxf(x[i],0); }\n"
       "void relu(float* x, float* y, int n) { float *dx,*dy; cudaMalloc(&dx,n*4); "
       "cudaMalloc(&dy,n*4); cudaMemset(dx,0xff,n*4); cudaMemset(dy,0,n*4); "
       "cudaMemcpy(dx,x,n*4,cudaMemcpyHostToDevice); r<<<(n+255)/256,256>>>(dx,dy,n); "
       "cudaMemcpy(y,dy,n*4,cudaMemcpyDeviceToHost); }",
       "fill y with 0\n"
       "launch r grid(ceil_div(n, 256)) block(256) args(x, y, n)\n"},
      {"__global__ void st(const float* x, float* y, int n) { int i = blockIdx.x*256+threadIdx.x; "
       "if (i<n&&i>0) y[i]=x[i]+x[i-1]; }\n"
       "void blur(float* data, int n) { float *a,*b; cudaMalloc(&a,n*4); cudaMalloc(&b,n*4); "
       "cudaMemcpy(a,data,n*4,cudaMemcpyHostToDevice); st<<<(n+255)/256,256>>>(a,b,n); "
       "cudaMemcpy(data,b,n*4,cudaMemcpyDeviceToHost); }",
       "!the host copies 'data' to the device into 'a' and back from 'b', which a launch plan "
       "would take for the same buffer"},
      {"__global__ void r(const float* x, float* y, int n) { int i = blockIdx.x*256+threadIdx.x; "
       "if (i<n) y[i]=fmaxf(x[i],0); }\n"
       "void relu(const float* x, float* y, int n) { float *dx,*dy; cudaMalloc(&dx,n*4); "
       "cudaMalloc(&dy,n*4); cudaMemcpy(dx,x,n*2,cudaMemcpyHostToDevice); "
       "r<<<(n+255)/256,256>>>(dx,dy,n); r<<<(n+255)/256,256>>>(dy,dx,n); "
       "cudaMemcpy(y,dy,n*4,cudaMemcpyDeviceToHost); }",
       "!it is not known whether this copy fills all of 'dx'"},
      {"__global__ void r(const float* x, float* y, int n) { int i = blockIdx.x*256+threadIdx.x; "
       "if (i<n) y[i]=fmaxf(x[i],0); }\n"
       "void relu(const float* x, float* y, int n) { float *dx,*dy; cudaMalloc(&dx,n*4); "
       "cudaMalloc(&dy,n*4); r<<<(n+255)/256,256>>>(dx,dy,n); "
       "cudaMemcpy(dx,x,n*4,cudaMemcpyHostToDevice); cudaMemcpy(y,dy,n*4,cudaMemcpyDeviceToHost); "
       "}",
       "!'dx' is filled by the host after it was used"},
      {"int main() { float *x,*y; const int n = 1000; cudaMalloc(&x,n*4); cudaMalloc(&y,n*4); int "
       "b = 128; k<<<(n+b-1)/b,b>>>(x,y,n); b = 512; k<<<(n+b-1)/b,b>>>(x,y,n); }",
       "launch k grid(ceil_div(n, 128)) block(128) args(x, y, n)\n"
       "launch k grid(ceil_div(n, 512)) block(512) args(x, y, n)\n"},
  };
  expect_drafts(kCases, "", "\n");
}

TEST(HostFlow, ReadThePreprocessorInOrder) {
  static constexpr DraftCase kCases[] = {
      {"void solve(const float* x, float* y, int n, int m) {\n"
       "#if CUDART_VERSION >= 12000\n"
       "k<<<1,1>>>(x,y,n);\n"
       "#else\n"
       "k<<<2,2>>>(x,y,n);\n"
       "#endif\n"
       "}",
       "!whether this condition holds is not known before the file is compiled: #if CUDART_VERSION "
       ">= 12000"},
      {"void solve(const float* x, float* y, int n, int m) {\n"
       "#if __CUDACC_VER_MAJOR__ < 11\n"
       "k<<<1,1>>>(x,y,n);\n"
       "#else\n"
       "k<<<2,2>>>(x,y,n);\n"
       "#endif\n"
       "}",
       "!whether this condition holds is not known before the file is compiled: #if "
       "__CUDACC_VER_MAJOR__ < 11"},
      {"void solve(const float* x, float* y, int n, int m) {\n"
       "#ifdef __CUDA_ARCH__\n"
       "k<<<1,1>>>(x,y,n);\n"
       "#else\n"
       "k<<<2,2>>>(x,y,n);\n"
       "#endif\n"
       "}",
       "!whether this condition holds is not known before the file is compiled: #ifdef "
       "__CUDA_ARCH__"},
      {"void solve(const float* x, float* y, int n, int m) {\n"
       "#define W 32\n"
       "#define T (W*4)\n"
       "#if T == 128\n"
       "k<<<1,1>>>(x,y,n);\n"
       "#else\n"
       "k<<<2,2>>>(x,y,n);\n"
       "#endif\n"
       "}",
       "launch k grid(1) block(1) args(x, y, n)\n"},
      {"void solve(const float* x, float* y, int n, int m) {\n"
       "#if defined(_WIN32) || defined(__linux__)\n"
       "k<<<1,1>>>(x,y,n);\n"
       "#else\n"
       "k<<<2,2>>>(x,y,n);\n"
       "#endif\n"
       "}",
       "launch k grid(1) block(1) args(x, y, n)\n"},
      {"void solve(const float* x, float* y, int n, int m) {\n"
       "#define N_WARPS 4\n"
       "#if (N_WARPS % 2) == 0\n"
       "k<<<1,1>>>(x,y,n);\n"
       "#else\n"
       "k<<<2,2>>>(x,y,n);\n"
       "#endif\n"
       "}",
       "launch k grid(1) block(1) args(x, y, n)\n"},
      {"#define THREADS 128\n"
       "void solve(const float* x, float* y, int n) {\n"
       "#undef THREADS\n"
       "#define THREADS 64\n"
       "k<<<n/THREADS,THREADS>>>(x,y,n);\n"
       "#undef THREADS\n"
       "#define THREADS 32\n"
       "k<<<n/THREADS,THREADS>>>(x,y,n);\n"
       "}",
       "launch k grid(n / 64) block(64) args(x, y, n)\n"
       "launch k grid(n / 32) block(32) args(x, y, n)\n"},
      {"#define B 64\n"
       "#undef B\n"
       "#define B 128\n"
       "void solve(const float* x, float* y, int n) { k<<<(n+B-1)/B, B>>>(x,y,n); }\n"
       "#undef B\n"
       "#define B 7",
       "launch k grid(ceil_div(n, 128)) block(128) args(x, y, n)\n"},
      {"extern \"C\" void solve(const float* x, float* y, int n, int m) {\n"
       " int b = 64;\n"
       "#if FOO\n"
       " b = 32;\n"
       "#endif\n"
       " k<<<1,b>>>(x,y,n); }",
       "launch k grid(1) block(64) args(x, y, n)\n"},
      {"#if __CUDACC_VER_MAJOR__ > 11\n"
       "#define B 64\n"
       "#else\n"
       "#define B 32\n"
       "#endif\n"
       "#define G (B*2)\n"
       "extern \"C\" void solve(const float* x, float* y, int n, int m) { k<<<1,G>>>(x,y,n); }",
       "!which definition of the macro 'B' is used is not known before the file is compiled"},
  };
  expect_drafts(kCases, "", "\n");
}

}  // namespace
}  // namespace kw::import
