// Tests of the values in a host function: each is drafted exactly, or a refusal names why it is
// unknown.
// SPDX-License-Identifier: Apache-2.0
#include "import/draft_table.h"

namespace kw::import {
namespace {

TEST(HostValues, KeepValuesThatDifferInTheirBranches) {
  static constexpr DraftCase kCases[] = {
      {"int b = 256; if (n > 1000) { b = 512; } k<<<(n+b-1)/b,b>>>(x,y,n);",
       "launch k grid(ceil_div(n, n > 1000 ? 512 : 256)) block(n > 1000 ? 512 : 256) args(x, y, "
       "n)\n"},
      {"int s = 48; if (n > 1024) s = 96; k<<<1,256,s>>>(x,y,n);",
       "launch k grid(1) block(256) shared(n > 1024 ? 96 : 48) args(x, y, n)\n"},
      {"bool big = false; if (n > 1000) big = true; if (big) k<<<1,512>>>(x,y,n); else "
       "k<<<2,64>>>(x,y,n);",
       "when n > 1000\n"
       "  launch k grid(1) block(512) args(x, y, n)\n"
       "else\n"
       "  launch k grid(2) block(64) args(x, y, n)\n"
       "end\n"},
      {"int b; if (n > 1000) b = 512; else if (n > 100) b = 128; else b = 32; k<<<1,b>>>(x,y,n);",
       "launch k grid(1) block(n > 1000 ? 512 : (n > 100 ? 128 : 32)) args(x, y, n)\n"},
      {"float s = 1.0f; if (n > 5) s = 0.5f; kf<<<1,256>>>(x,y,n,s);",
       "!what is passed as 's' is not known: 's' differs between two branches"},
      {"int b = 256; if (n > 1000) { b = 512; k<<<1,b>>>(x,y,n); } k<<<2,b>>>(x,y,n);",
       "when n > 1000\n"
       "  launch k grid(1) block(512) args(x, y, n)\n"
       "end\n"
       "launch k grid(2) block(n > 1000 ? 512 : 256) args(x, y, n)\n"},
      {"int b = 256; if (n > 1000) { k<<<1,b>>>(x,y,n); b = 512; } else b = 64; k<<<2,b>>>(x,y,n);",
       "when n > 1000\n"
       "  launch k grid(1) block(256) args(x, y, n)\n"
       "end\n"
       "launch k grid(2) block(n > 1000 ? 512 : 64) args(x, y, n)\n"},
      {"int b = 64; if (n > 100) { if (m > 3) b = 32; } else { b = 16; } k<<<1,b>>>(x,y,n);",
       "launch k grid(1) block(n > 100 ? (m > 3 ? 32 : 64) : 16) args(x, y, n)\n"},
      {"int b = 64; if (m) { b = 32; } k<<<1,b>>>(x,y,n);",
       "launch k grid(1) block(m ? 32 : 64) args(x, y, n)\n"},
      {"int b=64; if (n>3) { int c=b; b=c+1; } else { b=m; } k<<<1,b>>>(x,y,n);",
       "launch k grid(1) block(n > 3 ? 65 : m) args(x, y, n)\n"},
      {"int b=64; if (n>5) { b=128; if (m>3) { k<<<1,b>>>(x,y,n); return; } b=32; } "
       "k<<<2,b>>>(x,y,n);",
       "when n > 5\n"
       "  when m > 3\n"
       "    launch k grid(1) block(128) args(x, y, n)\n"
       "  end\n"
       "end\n"
       "when !(n > 5 && m > 3)\n"
       "  launch k grid(2) block(n > 5 ? 32 : 64) args(x, y, n)\n"
       "end\n"},
      {"int b; if (m > 5) b = foo(n); else b = 32; k<<<1,b>>>(x,y,m);",
       "!the block is not known: what 'foo' returns is not known before the plan runs"},
      {"int b=64; if (n > 5 && (b = 128)) {} k<<<1,b>>>(x,y,n);",
       "launch k grid(1) block(n > 5 ? 128 : 64) args(x, y, n)\n"},
      {"int b=64; b = n>3 ? (b=128) : 7; k<<<1,b>>>(x,y,n);",
       "launch k grid(1) block(n > 3 ? 128 : 7) args(x, y, n)\n"},
  };
  expect_bodies(kCases);
}

TEST(HostValues, DoNotConfuseTwoValuesOfOneName) {
  static constexpr DraftCase kCases[] = {
      {"int b = 4; int g = n * b; b = 8; g = g / b; k<<<g,256>>>(x,y,n);",
       "launch k grid(n * 4 / 8) block(256) args(x, y, n)\n"},
      {"const int b = 16; int g; { const int b = 32; g = (n + b - 1); } g = g / b; "
       "k<<<g,256>>>(x,y,n);",
       "launch k grid((n + 31) / 16) block(256) args(x, y, n)\n"},
      {"int b=64; int c=b; b=c*2; c=1; k<<<c,b>>>(x,y,n);",
       "launch k grid(1) block(128) args(x, y, n)\n"},
      {"int b=64; auto f=[=]{ k<<<1,b>>>(x,y,n); }; b=128; f();",
       "launch k grid(1) block(64) args(x, y, n)\n"},
      {"int b=64; auto f=[&]{ k<<<1,b>>>(x,y,n); }; { int b=128; f(); }",
       "launch k grid(1) block(64) args(x, y, n)\n"},
      {"int b=64; { int& r=b; int& s=r; s=128; } k<<<1,b>>>(x,y,n);",
       "launch k grid(1) block(128) args(x, y, n)\n"},
      {"for (int m = 0; m < n; m++) k2<<<1,64>>>(x,y,n,m); k2<<<1,64>>>(x,y,n,m);",
       "for m_turn = 0 .. n\n"
       "  launch k2 grid(1) block(64) args(x, y, n, m_turn)\n"
       "end\n"
       "launch k2 grid(1) block(64) args(x, y, n, m)\n"},
      {"for (int i = 0; i < n; i++) for (int i = 0; i < m; i++) k2<<<1,64>>>(x,y,n,i);",
       "for i = 0 .. n\n"
       "  for i_2 = 0 .. m\n"
       "    launch k2 grid(1) block(64) args(x, y, n, i_2)\n"
       "  end\n"
       "end\n"},
      {"for (int x_pitch = 0; x_pitch < n; x_pitch++) k2<<<1,64>>>(x,y,n,x_pitch); for (int min = "
       "0; min < n; min++) k2<<<1,64>>>(x,y,n,min); for (int step = 0; step < n; step++) "
       "k2<<<1,64>>>(x,y,n,step);",
       "for x_pitch_turn = 0 .. n\n"
       "  launch k2 grid(1) block(64) args(x, y, n, x_pitch_turn)\n"
       "end\n"
       "for min_turn = 0 .. n\n"
       "  launch k2 grid(1) block(64) args(x, y, n, min_turn)\n"
       "end\n"
       "for step_turn = 0 .. n\n"
       "  launch k2 grid(1) block(64) args(x, y, n, step_turn)\n"
       "end\n"},
  };
  expect_bodies(kCases);
}

TEST(HostValues, FollowArithmeticAsInC) {
  static constexpr DraftCase kCases[] = {
      {"float s = n / 3; kf<<<(n+255)/256,256>>>(x,y,n, s);",
       "let whole_1 = n / 3\n"
       "launch kf grid(ceil_div(n, 256)) block(256) args(x, y, n, f32(whole_1))\n"},
      {"kf<<<(n+255)/256,256>>>(x,y,n, 1 / n);",
       "let whole_1 = 1 / n\n"
       "launch kf grid(ceil_div(n, 256)) block(256) args(x, y, n, f32(whole_1))\n"},
      {"kf<<<(n+255)/256,256>>>(x,y,n, n / 3 * 1.0f);",
       "let whole_1 = n / 3\n"
       "launch kf grid(ceil_div(n, 256)) block(256) args(x, y, n, f32(whole_1 * (1.0)))\n"},
      {"int h = n / 2.0f; kf<<<(n+255)/256,256>>>(x,y,n, h);",
       "let whole_1 = n / 2\n"
       "launch kf grid(ceil_div(n, 256)) block(256) args(x, y, n, f32(whole_1))\n"},
      {"kf<<<(n+255)/256,256>>>(x,y,n, (int)(n / 3.0f));",
       "let whole_1 = n / 3\n"
       "launch kf grid(ceil_div(n, 256)) block(256) args(x, y, n, f32(whole_1))\n"},
      {"kf<<<(n+255)/256,256>>>(x,y,n, sqrt(n/2));",
       "let whole_1 = n / 2\n"
       "launch kf grid(ceil_div(n, 256)) block(256) args(x, y, n, f32(sqrt(whole_1)))\n"},
      {"kf<<<(n+255)/256,256>>>(x,y,n, 1.0f / (n / 2));",
       "let whole_1 = n / 2\n"
       "launch kf grid(ceil_div(n, 256)) block(256) args(x, y, n, f32((1.0) / whole_1))\n"},
      {"int g = (n - 1) / 256 + 1; k<<<g,256>>>(x,y,n);",
       "launch k grid(ceil_div(n, 256)) block(256) args(x, y, n)\n"},
      {"int g = (n - 1000) / 256 + 8; k<<<g,256>>>(x,y,n);",
       "launch k grid((n - 1000 >= 0 ? (n - 1000) / 256 : -(-(n - 1000) / 256)) + 8) block(256) "
       "args(x, y, n)\n"},
      {"int g = (n - 1000) % 256 + 300; k<<<g,256>>>(x,y,n);",
       "launch k grid((n - 1000 >= 0 ? (n - 1000) % 256 : -(-(n - 1000) % 256)) + 300) block(256) "
       "args(x, y, n)\n"},
      {"int g = -((-n) / 256); k<<<g,256>>>(x,y,n);",
       "launch k grid(-(-n >= 0 ? -n / 256 : -(-(-n) / 256))) block(256) args(x, y, n)\n"},
      {"int h = -7/2; k2<<<1,64>>>(x,y,n,h); k2<<<1,64>>>(x,y,n,-7%3); "
       "k2<<<1,64>>>(x,y,n,(n-9)/2*3);",
       "launch k2 grid(1) block(64) args(x, y, n, -3)\n"
       "launch k2 grid(1) block(64) args(x, y, n, -1)\n"
       "launch k2 grid(1) block(64) args(x, y, n, (n - 9 >= 0 ? (n - 9) / 2 : -(-(n - 9) / 2)) * "
       "3)\n"},
      {"double d = n/2*0.5; kf<<<1,64>>>(x,y,n,d);",
       "let whole_1 = n / 2\n"
       "launch kf grid(1) block(64) args(x, y, n, f32(whole_1 * (0.5)))\n"},
      {"kb<<<(n+255)/256,256>>>(x,y,n, n);",
       "launch kb grid(ceil_div(n, 256)) block(256) args(x, y, n, u8(n != 0))\n"},
      {"bool b = n; k2<<<(n+255)/256,256>>>(x,y,n, b);",
       "launch k2 grid(ceil_div(n, 256)) block(256) args(x, y, n, n != 0)\n"},
      {"int b = n > 3; b += 2; k<<<1,b>>>(x,y,n);",
       "launch k grid(1) block((n > 3) + 2) args(x, y, n)\n"},
      {"unsigned g = n - 1000; k<<<g/256,256>>>(x,y,n);",
       "require n - 1000 >= 0\n"
       "launch k grid((n - 1000) / 256) block(256) args(x, y, n)\n"},
      {"unsigned char c = n; k<<<c+1,256>>>(x,y,n);",
       "launch k grid(n % 256 + 1) block(256) args(x, y, n)\n"},
      {"short c = n; k<<<c+1,256>>>(x,y,n);",
       "!the grid is not known: this value may be larger than the type 'short' can hold"},
      {"k2<<<(n+255)/256,256>>>(x,y,n, (unsigned char)m);",
       "launch k2 grid(ceil_div(n, 256)) block(256) args(x, y, n, m % 256)\n"},
      {"unsigned char c = 200; c += 100; k2<<<1,c>>>(x,y,n,c);",
       "launch k2 grid(1) block(44) args(x, y, n, 44)\n"},
      {"unsigned u = 3; u -= 5; k2<<<1,64>>>(x,y,n,u/2);",
       "!what is passed as 'm' is not known: this value may be below 0, which the type 'unsigned "
       "int' cannot hold"},
      {"int g = n >> 8; k<<<g + 1,256>>>(x,y,n);",
       "launch k grid(n / 256 + 1) block(256) args(x, y, n)\n"},
      {"int g = (n - 1000) >> 8; k<<<g+100,256>>>(x,y,n);",
       "!the grid is not known: the operator '>>' is applied to a number that may be below 0"},
      {"int a[10]; k2<<<sizeof(a),256>>>(x,y,n,sizeof(a)/sizeof(a[0]));",
       "launch k2 grid(40) block(256) args(x, y, n, 10)\n"},
      {"int g = (n + 255) / 256.0; k<<<g,256>>>(x,y,n);",
       "launch k grid(ceil_div(n, 256)) block(256) args(x, y, n)\n"},
      {"int g = ceil((float)(n / 256)); k<<<g,256>>>(x,y,n);",
       "!the grid is not known: a launch plan can round only a quotient of integers, and this "
       "value is none"},
  };
  expect_bodies(kCases);
}

TEST(HostValues, FollowEveryAssignmentOrForgetTheName) {
  static constexpr DraftCase kCases[] = {
      {"int b = n; b &= ~31; k<<<1,b>>>(x,y,n);",
       "launch k grid(1) block(n / 32 * 32) args(x, y, n)\n"},
      {"int b = 100; b &= 31; k<<<1,b>>>(x,y,n);", "launch k grid(1) block(4) args(x, y, n)\n"},
      {"int b = 100; b |= 31; k<<<1,b>>>(x,y,n);",
       "!the block is not known: expressions of a launch plan have no operator '|'"},
      {"int a = 1; int& r = a; r = 5; k2<<<1,256>>>(x,y,n,a);",
       "launch k2 grid(1) block(256) args(x, y, n, 5)\n"},
      {"int a = 1; int* r = &a; *r = 5; k2<<<1,256>>>(x,y,n,a);",
       "!what is passed as 'm' is not known: 'a' may change here through its address"},
      {"int a[3] = {1,2,3}; a[n%3] = 9; k2<<<a[0],256>>>(x,y,n,a[2]);",
       "!the grid is not known: 'a' is set here in a way that cannot be followed"},
      {"float* t; cudaMalloc(&t, n*4); float* b[2] = {y, t}; for (int i = 0; i < 2; i++) { "
       "k<<<1,256>>>(b[0], b[1], n); std::swap(b[0], b[1]); }",
       "workspace t f32 [n]\n"
       "launch k grid(1) block(256) args(y, t, n)\n"
       "launch k grid(1) block(256) args(t, y, n)\n"},
      {"int p = 1; std::tie(p, std::ignore) = std::make_tuple(n, m); k2<<<1,64>>>(x,y,p,m);",
       "!what is passed as 'n' is not known: 'p' is set here in a way that cannot be followed"},
      {"int b=256; int* p=&b; int q=0; { int* r=p; *r=512; } k<<<1,b>>>(x,y,n);",
       "!the block is not known: 'b' may change here through its address"},
      {"struct S{int b;}; S s{64}; S& r=s; r.b=128; k<<<1,s.b>>>(x,y,n);",
       "!the block is not known: what 'b' holds is not known"},
      {"int b[2]={1,2}; int i=0; b[i++]+=1; k2<<<1,b[0]>>>(x,y,n,i);",
       "!the block is not known: the plan drafter cannot follow this assignment"},
      {"int b=64; (n>5 ? b : m) = 3; k<<<1,b>>>(x,y,n);",
       "!the block is not known: 'b' is set here in a way that cannot be followed"},
      {"int b=64; std::exchange(b, 128); k<<<1,b>>>(x,y,n);",
       "!the block is not known: 'b' may be changed by 'std::exchange', which cannot be followed"},
      {"int b=64; sscanf(\"3\",\"%d\",&b); k<<<1,b>>>(x,y,n);",
       "!the block is not known: 'b' may be changed by 'sscanf', which cannot be followed"},
      {"int b=64; std::cin >> b; k<<<1,b>>>(x,y,n);",
       "!the block is not known: 'b' is read from a stream here"},
      {"int b=64; std::stringstream ss(\"5\"); ss >> b; k<<<1,b>>>(x,y,n);",
       "!the block is not known: 'b' is read from a stream here"},
      {"int b=64; std::for_each(v.begin(), v.end(), [&](int q){ b += q; }); k<<<1,b>>>(x,y,n);",
       "!the block is not known: 'b' may be changed by 'std::for_each', which cannot be followed"},
      {"int a=1,b=2; int& r = n>3 ? a : b; r = 7; k2<<<a,b>>>(x,y,n,m);",
       "!the grid is not known: 'a' has a part that another name refers to as well"},
      {"dim3 g(1,2); dim3* p=&g; p->x=7; k<<<g,64>>>(x,y,n);",
       "!the grid is not known: 'g' may change here through its address"},
      {"int b=64; new (&b) int(128); k<<<1,b>>>(x,y,n);",
       "!the block is not known: 'b' may be changed by this `new`"},
      {"int b=64; memcpy(&b,&m,4); k<<<1,b>>>(x,y,n);",
       "!the block is not known: 'b' may be changed by 'memcpy', which cannot be followed"},
      {"int b = 64; for (int& e : {b}) e = 3; k<<<1,b>>>(x,y,n);",
       "!the block is not known: 'b' has elements that this loop may change"},
      {"int a[3]={1,2,3}; for (auto& e : a) e *= 2; k2<<<1,64>>>(x,y,n,a[1]);",
       "!what is passed as 'm' is not known: 'a' has elements that this loop may change"},
      {"int a[3]={1,2,3}; int* p = a; p[1] = 9; k2<<<1,64>>>(x,y,n,a[1]);",
       "!what is passed as 'm' is not known: 'a' has elements that another name refers to as well"},
      {"int a[3]={1,2,3}; std::reverse(a, a+3); k2<<<1,64>>>(x,y,n,a[0]);",
       "!what is passed as 'm' is not known: 'a' may be changed by 'std::reverse', which cannot be "
       "followed"},
      {"std::array<int,2> a={1,2}; a[0]=5; a.fill(7); k2<<<1,64>>>(x,y,n,a[0]);",
       "!what is passed as 'm' is not known: 'a' may be changed by its method"},
      {"int c = 7; cudaGetDeviceCount(&c); k2<<<c,256>>>(x,y,n,c);",
       "!the grid is not known: what cudaGetDeviceCount answers is not known before the plan runs"},
      {"int h = 3; int* d; cudaMalloc(&d, 4); k<<<1,256>>>(x,(float*)d,n); cudaMemcpy(&h, d, 4, "
       "cudaMemcpyDeviceToHost); k2<<<h,256>>>(x,y,n,h);",
       "!the grid is not known: 'h' is copied from the device, and a launch plan cannot use values "
       "that the host waits for"},
      {"static int calls = 0; calls++; k2<<<1,256>>>(x,y,n,calls);",
       "!what is passed as 'm' is not known: 'calls' is static, so what it holds depends on "
       "earlier calls"},
      {"static bool init = false; if (!init) { init = true; k<<<9,64>>>(x,y,n); } "
       "k<<<1,64>>>(x,y,n);",
       "!this condition cannot be decided: 'init' is static, so what it holds depends "
       "on earlier "
       "calls"},
      {"void* args[3]; args[0] = &x; args[1] = &y; int q = 5; args[2] = &q; q = 6; "
       "cudaLaunchKernel((const void*)k, dim3(n), dim3(64), args, 128, 0);",
       "launch k grid(n) block(64) shared(128) args(x, y, 6)\n"},
  };
  expect_bodies(kCases);
}

}  // namespace
}  // namespace kw::import
