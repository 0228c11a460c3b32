// An object that lacks the function that players call.
// SPDX-License-Identifier: Apache-2.0
extern "C" void something_else() {}
