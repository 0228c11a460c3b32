// kw: tune BLOCK = 64, 128
// kw: let TILE = BLOCK * 4
// kw: require TILE <= 1024
// kw: option fast_math
// kw: technique tiling
void f();
