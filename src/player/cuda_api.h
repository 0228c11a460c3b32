// The part of NVIDIA's driver API that we use, looked up at run time, so that neither headers nor
// libraries of the toolkit are needed to build.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

/// Types, values and calls as the CUDA driver API documents them (cuda.h of CUDA 12.4 to 13.0). The
/// layouts are part of its binary interface and are checked below. Calls keep the driver's names,
/// so that its documentation can be searched for them.
namespace kw::player::cuda {

using Status = int;  ///< CUresult; 0 is success.
using DeviceOrdinal = int;
using Address = unsigned long long;     ///< CUdeviceptr
using Allocation = unsigned long long;  ///< CUmemGenericAllocationHandle
using Context = struct ContextOpaque*;
using Module = struct ModuleOpaque*;
using Function = struct FunctionOpaque*;
using Stream = struct StreamOpaque*;
using Event = struct EventOpaque*;
using Graph = struct GraphOpaque*;
using GraphExec = struct GraphExecOpaque*;

/// The oldest driver that has all of the calls below, and the number by which people know it.
/// cuFuncGetParamInfo is the newest of these calls; it came with CUDA 12.4.
inline constexpr int kOldestCuda = 12040;
inline constexpr const char* kOldestDriver = "550";

// Values of Status that we distinguish.
inline constexpr Status kInvalidValue = 1;
inline constexpr Status kOutOfMemory = 2;
inline constexpr Status kNoDevice = 100;
inline constexpr Status kNotFound = 500;
inline constexpr Status kIllegalAddress = 700;

/// True for statuses after which the context is lost: faults of kernels and of the device itself.
bool is_fatal(Status status);

// Attributes of devices (CUdevice_attribute).
inline constexpr int kRegistersPerBlock = 12;
inline constexpr int kClockKilohertz = 13;
inline constexpr int kMultiprocessors = 16;
inline constexpr int kMemoryClockKilohertz = 36;
inline constexpr int kMemoryBusBits = 37;
inline constexpr int kL2Bytes = 38;
inline constexpr int kThreadsPerMultiprocessor = 39;
inline constexpr int kCapabilityMajor = 75;
inline constexpr int kCapabilityMinor = 76;
inline constexpr int kSharedPerMultiprocessor = 81;
inline constexpr int kSharedPerBlock = 97;  ///< Largest shared memory of a block, after opt-in.
inline constexpr int kVirtualMemory = 102;
inline constexpr int kDescriptorHandles = 103;

// Attributes of functions (CUfunction_attribute).
inline constexpr int kFunctionMaxThreads = 0;
inline constexpr int kFunctionStaticShared = 1;
inline constexpr int kFunctionLocal = 3;
inline constexpr int kFunctionDynamicShared = 8;
inline constexpr int kFunctionCarveout = 9;
inline constexpr int kFunctionNonPortableCluster = 14;

// Limits of a context (CUlimit).
inline constexpr int kLimitPrintf = 1;
inline constexpr int kLimitHeap = 2;

// Flags of contexts, streams, events, registered host memory, captures and allocations.
inline constexpr unsigned kContextSpins = 1;
inline constexpr unsigned kStreamNonBlocking = 1;
inline constexpr unsigned kEventDisableTiming = 2;
inline constexpr unsigned kRegisterPortable = 1;
inline constexpr unsigned kRegisterDeviceMap = 2;
inline constexpr int kCaptureThreadLocal = 1;
inline constexpr int kHandlePosixDescriptor = 1;
inline constexpr int kGranularityMinimum = 0;
inline constexpr int kGranularityRecommended = 1;

struct Uuid {
  unsigned char bytes[16] = {};
  bool operator==(const Uuid&) const = default;
};

struct Location {
  int type = 1;  ///< 1: a device
  int id = 0;
};

struct AllocationProperties {
  int type = 1;  ///< 1: pinned to its location
  int requested_handle_types = 0;
  Location location;
  void* win32 = nullptr;
  unsigned char flags[8] = {};
};

inline constexpr int kProtectRead = 1;
inline constexpr int kProtectReadWrite = 3;
struct AccessDescription {
  Location location;
  int flags = kProtectRead;
};

inline constexpr int kLaunchCooperative = 2;
inline constexpr int kLaunchCluster = 4;
inline constexpr int kLaunchProgrammatic = 6;
struct LaunchAttribute {
  int id = 0;
  int pad = 0;
  union {
    char bytes[64] = {};
    int number;
    unsigned dimensions[3];
    void* pointer;
  } value;
};

struct LaunchConfig {
  unsigned grid[3] = {1, 1, 1};
  unsigned block[3] = {1, 1, 1};
  unsigned shared_bytes = 0;
  Stream stream = nullptr;
  LaunchAttribute* attributes = nullptr;
  unsigned attribute_count = 0;
};

struct alignas(128) TensorMap {
  std::uint64_t opaque[16] = {};
};

static_assert(sizeof(Uuid) == 16 && sizeof(Location) == 8);
static_assert(sizeof(AllocationProperties) == 32 && offsetof(AllocationProperties, win32) == 16);
static_assert(sizeof(AccessDescription) == 12);
static_assert(sizeof(LaunchAttribute) == 72 && offsetof(LaunchAttribute, value) == 8);
static_assert(sizeof(LaunchConfig) == 56 && offsetof(LaunchConfig, stream) == 32 &&
              offsetof(LaunchConfig, attribute_count) == 48);
static_assert(sizeof(TensorMap) == 128);  // aligned to 64 up to CUDA 12, to 128 from 13 on

// The calls of the driver that we use, one row each: X(name of the member, symbol, parameters).
#define KW_CUDA_CALLS(X)                                                                           \
  X(cuInit, "cuInit", (unsigned))                                                                  \
  X(cuDriverGetVersion, "cuDriverGetVersion", (int*))                                              \
  X(cuGetErrorName, "cuGetErrorName", (Status, const char**))                                      \
  X(cuGetErrorString, "cuGetErrorString", (Status, const char**))                                  \
  X(cuDeviceGetCount, "cuDeviceGetCount", (int*))                                                  \
  X(cuDeviceGet, "cuDeviceGet", (DeviceOrdinal*, int))                                             \
  X(cuDeviceGetName, "cuDeviceGetName", (char*, int, DeviceOrdinal))                               \
  X(cuDeviceGetUuid_v2, "cuDeviceGetUuid_v2", (Uuid*, DeviceOrdinal))                              \
  X(cuDeviceGetPCIBusId, "cuDeviceGetPCIBusId", (char*, int, DeviceOrdinal))                       \
  X(cuDeviceGetAttribute, "cuDeviceGetAttribute", (int*, int, DeviceOrdinal))                      \
  X(cuDeviceTotalMem, "cuDeviceTotalMem_v2", (std::size_t*, DeviceOrdinal))                        \
  X(cuCtxCreate, "cuCtxCreate_v2", (Context*, unsigned, DeviceOrdinal))                            \
  X(cuCtxDestroy, "cuCtxDestroy_v2", (Context))                                                    \
  X(cuCtxSetCurrent, "cuCtxSetCurrent", (Context))                                                 \
  X(cuCtxSynchronize, "cuCtxSynchronize", ())                                                      \
  X(cuCtxSetLimit, "cuCtxSetLimit", (int, std::size_t))                                            \
  X(cuCtxResetPersistingL2Cache, "cuCtxResetPersistingL2Cache", ())                                \
  X(cuModuleLoadData, "cuModuleLoadData", (Module*, const void*))                                  \
  X(cuModuleUnload, "cuModuleUnload", (Module))                                                    \
  X(cuModuleGetFunction, "cuModuleGetFunction", (Function*, Module, const char*))                  \
  X(cuFuncGetAttribute, "cuFuncGetAttribute", (int*, int, Function))                               \
  X(cuFuncSetAttribute, "cuFuncSetAttribute", (Function, int, int))                                \
  X(cuFuncGetParamInfo, "cuFuncGetParamInfo", (Function, std::size_t, std::size_t*, std::size_t*)) \
  X(cuLaunchKernel, "cuLaunchKernel",                                                              \
    (Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream,       \
     void**, void**))                                                                              \
  X(cuLaunchKernelEx, "cuLaunchKernelEx", (const LaunchConfig*, Function, void**, void**))         \
  X(cuMemGetInfo, "cuMemGetInfo_v2", (std::size_t*, std::size_t*))                                 \
  X(cuMemAlloc, "cuMemAlloc_v2", (Address*, std::size_t))                                          \
  X(cuMemFree, "cuMemFree_v2", (Address))                                                          \
  X(cuMemcpyHtoD, "cuMemcpyHtoD_v2", (Address, const void*, std::size_t))                          \
  X(cuMemcpyDtoH, "cuMemcpyDtoH_v2", (void*, Address, std::size_t))                                \
  X(cuMemcpyDtoD, "cuMemcpyDtoD_v2", (Address, Address, std::size_t))                              \
  X(cuMemHostRegister, "cuMemHostRegister_v2", (void*, std::size_t, unsigned))                     \
  X(cuMemHostGetDevicePointer, "cuMemHostGetDevicePointer_v2", (Address*, void*, unsigned))        \
  X(cuMemGetAllocationGranularity, "cuMemGetAllocationGranularity",                                \
    (std::size_t*, const AllocationProperties*, int))                                              \
  X(cuMemAddressReserve, "cuMemAddressReserve",                                                    \
    (Address*, std::size_t, std::size_t, Address, unsigned long long))                             \
  X(cuMemAddressFree, "cuMemAddressFree", (Address, std::size_t))                                  \
  X(cuMemCreate, "cuMemCreate",                                                                    \
    (Allocation*, std::size_t, const AllocationProperties*, unsigned long long))                   \
  X(cuMemRelease, "cuMemRelease", (Allocation))                                                    \
  X(cuMemMap, "cuMemMap", (Address, std::size_t, std::size_t, Allocation, unsigned long long))     \
  X(cuMemUnmap, "cuMemUnmap", (Address, std::size_t))                                              \
  X(cuMemSetAccess, "cuMemSetAccess",                                                              \
    (Address, std::size_t, const AccessDescription*, std::size_t))                                 \
  X(cuMemExportToShareableHandle, "cuMemExportToShareableHandle",                                  \
    (void*, Allocation, int, unsigned long long))                                                  \
  X(cuMemImportFromShareableHandle, "cuMemImportFromShareableHandle", (Allocation*, void*, int))   \
  X(cuDevicePrimaryCtxSetFlags, "cuDevicePrimaryCtxSetFlags_v2", (DeviceOrdinal, unsigned))        \
  X(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (Context*, DeviceOrdinal))               \
  X(cuStreamCreate, "cuStreamCreate", (Stream*, unsigned))                                         \
  X(cuStreamDestroy, "cuStreamDestroy_v2", (Stream))                                               \
  X(cuStreamSynchronize, "cuStreamSynchronize", (Stream))                                          \
  X(cuStreamWaitEvent, "cuStreamWaitEvent", (Stream, Event, unsigned))                             \
  X(cuStreamBeginCapture, "cuStreamBeginCapture_v2", (Stream, int))                                \
  X(cuStreamEndCapture, "cuStreamEndCapture", (Stream, Graph*))                                    \
  X(cuEventCreate, "cuEventCreate", (Event*, unsigned))                                            \
  X(cuEventDestroy, "cuEventDestroy_v2", (Event))                                                  \
  X(cuEventRecord, "cuEventRecord", (Event, Stream))                                               \
  X(cuEventElapsedTime, "cuEventElapsedTime", (float*, Event, Event))                              \
  X(cuGraphGetNodes, "cuGraphGetNodes", (Graph, void*, std::size_t*))                              \
  X(cuGraphDestroy, "cuGraphDestroy", (Graph))                                                     \
  X(cuGraphInstantiate, "cuGraphInstantiateWithFlags", (GraphExec*, Graph, unsigned long long))    \
  X(cuGraphExecDestroy, "cuGraphExecDestroy", (GraphExec))                                         \
  X(cuGraphUpload, "cuGraphUpload", (GraphExec, Stream))                                           \
  X(cuGraphLaunch, "cuGraphLaunch", (GraphExec, Stream))                                           \
  X(cuProfilerStart, "cuProfilerStart", ())                                                        \
  X(cuProfilerStop, "cuProfilerStop", ())                                                          \
  X(cuTensorMapEncodeTiled, "cuTensorMapEncodeTiled",                                              \
    (TensorMap*, int, std::uint32_t, void*, const std::uint64_t*, const std::uint64_t*,            \
     const std::uint32_t*, const std::uint32_t*, int, int, int, int))

/// Addresses of the calls in the driver's library; filled by load_api().
struct Api {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a declarator and its list of parameters.
#define KW_CUDA_MEMBER(name, symbol, parameters) Status(*name) parameters = nullptr;
  KW_CUDA_CALLS(KW_CUDA_MEMBER)
#undef KW_CUDA_MEMBER
  int cuda_version = 0;  ///< CUDA version of the driver: 13000 for 13.0.
  std::string path;      ///< Path of the library that was found, as far as the linker knows it.

  /// A status in words: "CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal memory access was
  /// encountered".
  std::string words(Status status) const;
};

/// Opens `library` (empty: libcuda.so.1 where systems keep it), looks up the calls, checks the
/// driver's version and calls cuInit. Returns an empty string, or one line that says what to do.
/// The library is never closed, since it has threads and exit handlers.
std::string load_api(Api& api, const std::string& library = {});

/// Finds the device with this UUID; false if there is none.
bool find_device(const Api& api, const Uuid& uuid, DeviceOrdinal& out);

}  // namespace kw::player::cuda
