// A stand-in for NVIDIA's driver library: implements on the host the calls that Kernelwright makes.
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "engine.h"
#include "exported.h"
#include "faults.h"

using namespace kw::player::cuda;
namespace emu = kw_emulated;

namespace {

using emu::kCaptureInvalidated;
using emu::kCaptureUnsupported;
using emu::kCooperativeTooLarge;
using emu::kInvalidImage;
constexpr std::size_t kGranularity = std::size_t{2} << 20;
/// How often a waiting call checks whether the emulated device was lost.
constexpr std::chrono::milliseconds kLook{20};

struct LoadedModule {
  void* library = nullptr;
  emu::Exports exports{};
};
struct LoadedFunction {
  const emu::Kernel* kernel = nullptr;
  LoadedModule* module = nullptr;
};
struct Node {
  std::function<Status()> run;
};
struct OpenStream;
struct CapturedGraph {
  std::vector<Node> nodes;
  std::vector<OpenStream*> streams;  // streams that record into this graph
  bool is_invalid = false;
};
struct OpenStream {
  CapturedGraph* capture = nullptr;
  void join(CapturedGraph* graph) {
    capture = graph;
    graph->streams.push_back(this);
  }
};
struct MadeEvent {
  CapturedGraph* capture = nullptr;
  std::uint64_t at = 0;
};

/// Runs queued work of all streams one item after another. Every correct program must accept this
/// order.
class Queue {
 public:
  static Queue& get() {
    static Queue* queue = new Queue;  // never destroyed, as in the real driver
    return *queue;
  }
  void add(std::function<Status()> work) {
    {
      const std::lock_guard lock(mutex_);
      waiting_.push_back(std::move(work));
    }
    changed_.notify_all();
  }
  Status drain() {
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, kLook, [this] { return waiting_.empty() && !is_busy_; }))
      if (const Status lost = emu::loss(); lost != 0) return lost;
    return status();
  }
  /// The status of the context, or the status of a device that is lost.
  Status status() const { return status_ != 0 ? status_.load() : emu::loss(); }
  emu::Engine& engine() { return engine_; }

 private:
  Queue() : thread_([this] { work(); }) {}
  [[noreturn]] void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return !waiting_.empty(); });
      const auto next = std::move(waiting_.front());
      waiting_.pop_front();
      is_busy_ = true;
      const bool is_lost = status_ != 0;
      lock.unlock();
      const Status ended = is_lost ? 0 : next();
      lock.lock();
      if (ended != 0) status_ = ended;
      is_busy_ = false;
      changed_.notify_all();
    }
  }
  emu::Engine engine_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<Status()>> waiting_;
  bool is_busy_ = false;
  std::atomic<Status> status_ = 0;
  std::thread thread_;
};

template <class T, class H>
T* as(H handle) {
  return reinterpret_cast<T*>(handle);
}
void* pointer(Address address) { return reinterpret_cast<void*>(address); }

/// The largest number of bytes that one allocation may have.
std::size_t most_bytes() { return std::min(emu::faults().memory, emu::faults().most); }

/// Conversions between memory handles and file descriptors: a handle is the descriptor plus one,
/// since 0 is no handle.
Allocation allocation_of(int descriptor) { return static_cast<Allocation>(descriptor) + 1; }
int descriptor_of(Allocation handle) { return static_cast<int>(handle) - 1; }

std::size_t rounded(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

/// Loads the host code behind a cubin as a separate shared object, so that its globals have their
/// initial values.
void* open_object(const unsigned char* bytes, std::size_t size) {
  const int file = ::memfd_create("module", MFD_CLOEXEC);
  if (file < 0) return nullptr;
  for (std::size_t at = 0; at < size;) {
    const ssize_t n = ::write(file, bytes + at, size - at);
    if (n <= 0) break;
    at += static_cast<std::size_t>(n);
  }
  // The loader identifies libraries by their path too, and descriptors are reused, so each path
  // must be unique.
  static std::uint64_t opened = 0;
  std::string path = "/proc/self/fd";
  for (std::uint64_t bits = ++opened; bits != 0; bits /= 2) path += bits % 2 == 0 ? "/" : "/./";
  void* library = ::dlopen((path + "/" + std::to_string(file)).c_str(), RTLD_NOW | RTLD_LOCAL);
  ::close(file);
  return library;
}

Status run_kernel(const LoadedFunction& f, const LaunchConfig& config,
                  const std::vector<unsigned char>& bytes) {
  std::vector<void*> arguments;
  for (std::size_t i = 0; i < f.kernel->parameter_count; ++i)
    arguments.push_back(const_cast<unsigned char*>(bytes.data()) + f.kernel->parameters[i].offset);
  emu::Grid grid;
  grid.thunk = f.kernel->thunk;
  grid.self = f.module->exports.self;
  grid.size = {config.grid[0], config.grid[1], config.grid[2]};
  grid.block = {config.block[0], config.block[1], config.block[2]};
  grid.shared_bytes = config.shared_bytes;
  grid.arguments = arguments.data();
  // While the spacer runs, the device's clock is slowed down, so that the process that waits for
  // its announcement keeps pace on a busy machine.
  std::optional<emu::Engine::Spell> slow;
  if (std::strcmp(f.kernel->name, "kw_spacer") == 0) slow.emplace();
  return Queue::get().engine().run(grid);
}

Status check(const LaunchConfig& c) {
  const auto threads = std::uint64_t{c.block[0]} * c.block[1] * c.block[2];
  const auto blocks = std::uint64_t{c.grid[0]} * c.grid[1] * c.grid[2];
  if (threads == 0 || threads > emu::kMostThreads || blocks == 0) return kInvalidValue;
  if (c.shared_bytes > emu::kMostShared) return kInvalidValue;
  for (unsigned i = 0; i < c.attribute_count; ++i)
    if (c.attributes[i].id == kLaunchCooperative && c.attributes[i].value.number != 0 &&
        blocks > emu::kResidentBlocks)
      return kCooperativeTooLarge;
  return 0;
}

void add_to(Stream stream, std::function<Status()> work) {
  auto* open = as<OpenStream>(stream);
  if (open != nullptr && open->capture != nullptr)
    open->capture->nodes.push_back({std::move(work)});
  else
    Queue::get().add(std::move(work));
}

}  // namespace

// Calls about the context.
KW_EMULATED cuCtxCreate_v2(Context* context, unsigned, DeviceOrdinal) {
  Queue::get();  // creates the threads while that is still allowed
  return *context = reinterpret_cast<Context>(1), 0;
}
KW_EMULATED cuDevicePrimaryCtxSetFlags_v2(DeviceOrdinal, unsigned) { return 0; }
KW_EMULATED cuDevicePrimaryCtxRetain(Context* context, DeviceOrdinal device) {
  return cuCtxCreate_v2(context, 0, device);
}
/// The current context; the same for all threads, once the first one was created.
KW_EMULATED cuCtxGetCurrent(Context* context) {
  return *context = reinterpret_cast<Context>(1), emu::loss();
}
KW_EMULATED cuCtxGetDevice(DeviceOrdinal* device) { return *device = 0, emu::loss(); }
KW_EMULATED cuCtxDestroy_v2(Context) { return 0; }
KW_EMULATED cuCtxSetCurrent(Context) { return emu::loss(); }
KW_EMULATED cuCtxSynchronize() { return Queue::get().drain(); }
KW_EMULATED cuCtxSetLimit(int, std::size_t) { return 0; }
KW_EMULATED cuCtxResetPersistingL2Cache() { return Queue::get().status(); }

// Calls about modules and functions.
KW_EMULATED cuModuleLoadData(Module* module, const void* image) {
  const auto* bytes = static_cast<const unsigned char*>(image);
  const std::size_t end = emu::elf_bytes(bytes);
  emu::Trailer trailer;
  if (end == 0 || std::memcmp(bytes + end, trailer.magic, sizeof trailer.magic) != 0)
    return kInvalidImage;
  std::memcpy(&trailer, bytes + end, sizeof trailer);
  auto made = std::make_unique<LoadedModule>();
  made->library = open_object(bytes + end + sizeof trailer, trailer.object_bytes);
  if (made->library == nullptr) return kInvalidImage;
  const auto exports =
      reinterpret_cast<emu::Exports (*)()>(::dlsym(made->library, emu::kExportsName));
  if (exports == nullptr) return kInvalidImage;
  made->exports = exports();
  made->exports.bind(&emu::Engine::calls());
  *module = reinterpret_cast<Module>(made.release());
  return Queue::get().status();
}
KW_EMULATED cuModuleUnload(Module module) {
  Queue::get().drain();
  auto* loaded = as<LoadedModule>(module);
  ::dlclose(loaded->library);
  delete loaded;
  return 0;
}
KW_EMULATED cuModuleGetFunction(Function* function, Module module, const char* name) {
  auto* loaded = as<LoadedModule>(module);
  void* address = ::dlsym(loaded->library, name);
  for (const emu::Kernel* k = loaded->exports.kernels; k != nullptr; k = k->next)
    if (std::strcmp(k->name, name) == 0 || k->address == address) {
      *function = reinterpret_cast<Function>(new LoadedFunction{k, loaded});
      return 0;
    }
  return kNotFound;
}
KW_EMULATED cuFuncGetAttribute(int* value, int attribute, Function) {
  return *value = attribute == kFunctionMaxThreads ? static_cast<int>(emu::kMostThreads) : 0, 0;
}
KW_EMULATED cuFuncSetAttribute(Function, int attribute, int value) {
  return attribute == kFunctionDynamicShared && value > static_cast<int>(emu::kMostShared)
             ? kInvalidValue
             : 0;
}
KW_EMULATED cuFuncGetParamInfo(Function function, std::size_t index, std::size_t* offset,
                               std::size_t* bytes) {
  const emu::Kernel& kernel = *as<LoadedFunction>(function)->kernel;
  if (index >= kernel.parameter_count) return kInvalidValue;
  *offset = kernel.parameters[index].offset;
  if (bytes != nullptr) *bytes = kernel.parameters[index].bytes;
  return 0;
}
KW_EMULATED cuLaunchKernelEx(const LaunchConfig* config, Function function, void** arguments,
                             void**) {
  if (const Status lost = Queue::get().status(); lost != 0) return lost;
  if (const Status wrong = check(*config); wrong != 0) return wrong;
  const LoadedFunction f = *as<LoadedFunction>(function);
  std::vector<unsigned char> bytes(4096 + 64);
  for (std::size_t i = 0; i < f.kernel->parameter_count; ++i)
    std::memcpy(bytes.data() + f.kernel->parameters[i].offset, arguments[i],
                f.kernel->parameters[i].bytes);
  LaunchConfig kept = *config;
  kept.attributes = nullptr;
  add_to(config->stream, [f, kept, bytes] { return run_kernel(f, kept, bytes); });
  return 0;
}
KW_EMULATED cuLaunchKernel(Function function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                           unsigned by, unsigned bz, unsigned shared, Stream stream,
                           void** arguments, void** extra) {
  LaunchConfig config;
  config.grid[0] = gx, config.grid[1] = gy, config.grid[2] = gz;
  config.block[0] = bx, config.block[1] = by, config.block[2] = bz;
  config.shared_bytes = shared;
  config.stream = stream;
  return cuLaunchKernelEx(&config, function, arguments, extra);
}

// Calls about memory.
KW_EMULATED cuMemAlloc_v2(Address* address, std::size_t bytes) {
  const std::size_t size = rounded(bytes + sizeof(std::size_t) * 64, 4096);
  if (bytes > most_bytes()) return kOutOfMemory;
  void* at = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return kOutOfMemory;
  std::memcpy(at, &size, sizeof size);
  return *address = reinterpret_cast<Address>(at) + 512, 0;
}
KW_EMULATED cuMemFree_v2(Address address) {
  Queue::get().drain();
  std::size_t size = 0;
  std::memcpy(&size, pointer(address - 512), sizeof size);
  ::munmap(pointer(address - 512), size);
  return 0;
}
KW_EMULATED cuMemcpyHtoD_v2(Address to, const void* from, std::size_t bytes) {
  const Status status = Queue::get().drain();
  if (status == 0) std::memcpy(pointer(to), from, bytes);
  return status;
}
KW_EMULATED cuMemcpyDtoH_v2(void* to, Address from, std::size_t bytes) {
  const Status status = Queue::get().drain();
  if (status == 0) std::memcpy(to, pointer(from), bytes);
  return status;
}
KW_EMULATED cuMemcpyDtoD_v2(Address to, Address from, std::size_t bytes) {
  const Status status = Queue::get().drain();
  if (status == 0) std::memmove(pointer(to), pointer(from), bytes);
  return status;
}
KW_EMULATED cuMemsetD32Async(Address to, unsigned value, std::size_t count, Stream stream) {
  add_to(stream, [=] { return std::fill_n(static_cast<unsigned*>(pointer(to)), count, value), 0; });
  return 0;
}
KW_EMULATED cuMemsetD8Async(Address to, unsigned char value, std::size_t count, Stream stream) {
  add_to(stream, [=] { return std::memset(pointer(to), value, count), 0; });
  return 0;
}
KW_EMULATED cuMemsetD16Async(Address to, unsigned short value, std::size_t count, Stream stream) {
  add_to(stream,
         [=] { return std::fill_n(static_cast<unsigned short*>(pointer(to)), count, value), 0; });
  return 0;
}
KW_EMULATED cuMemcpyDtoDAsync_v2(Address to, Address from, std::size_t bytes, Stream stream) {
  add_to(stream, [=] { return std::memmove(pointer(to), pointer(from), bytes), 0; });
  return 0;
}
KW_EMULATED cuMemcpyHtoDAsync_v2(Address to, const void* from, std::size_t bytes, Stream stream) {
  add_to(stream, [=] { return std::memcpy(pointer(to), from, bytes), 0; });
  return 0;
}
KW_EMULATED cuMemHostRegister_v2(void*, std::size_t, unsigned) { return Queue::get().status(); }
KW_EMULATED cuMemHostGetDevicePointer_v2(Address* address, void* host, unsigned) {
  return *address = reinterpret_cast<Address>(host), 0;
}
KW_EMULATED cuMemGetAllocationGranularity(std::size_t* bytes, const AllocationProperties*, int) {
  return *bytes = kGranularity, 0;
}
KW_EMULATED cuMemAddressReserve(Address* address, std::size_t bytes, std::size_t alignment, Address,
                                unsigned long long) {
  if (alignment < kGranularity) alignment = kGranularity;
  void* at = ::mmap(nullptr, bytes + alignment, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return kOutOfMemory;
  const auto first = reinterpret_cast<Address>(at);
  const Address aligned = rounded(first, alignment);
  if (aligned > first) ::munmap(at, aligned - first);
  if (first + alignment > aligned) ::munmap(pointer(aligned + bytes), first + alignment - aligned);
  return *address = aligned, 0;
}
KW_EMULATED cuMemAddressFree(Address address, std::size_t bytes) {
  Queue::get().drain();
  return ::munmap(pointer(address), bytes) == 0 ? 0 : kInvalidValue;
}
KW_EMULATED cuMemCreate(Allocation* allocation, std::size_t bytes, const AllocationProperties*,
                        unsigned long long) {
  if (bytes == 0 || bytes % kGranularity != 0) return kInvalidValue;
  if (bytes > most_bytes()) return kOutOfMemory;
  const int file = ::memfd_create("gpu", MFD_CLOEXEC);
  if (file < 0 || ::ftruncate(file, static_cast<off_t>(bytes)) != 0) return kOutOfMemory;
  return *allocation = allocation_of(file), 0;
}
KW_EMULATED cuMemRelease(Allocation allocation) {
  return ::close(descriptor_of(allocation)) == 0 ? 0 : kInvalidValue;
}
KW_EMULATED cuMemMap(Address address, std::size_t bytes, std::size_t offset, Allocation allocation,
                     unsigned long long) {
  void* at = ::mmap(pointer(address), bytes, PROT_NONE, MAP_SHARED | MAP_FIXED,
                    descriptor_of(allocation), static_cast<off_t>(offset));
  return at == MAP_FAILED ? kInvalidValue : 0;
}
KW_EMULATED cuMemUnmap(Address address, std::size_t bytes) {
  Queue::get().drain();
  void* at = ::mmap(pointer(address), bytes, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  return at == MAP_FAILED ? kInvalidValue : 0;
}
KW_EMULATED cuMemSetAccess(Address address, std::size_t bytes, const AccessDescription* access,
                           std::size_t) {
  const int how = access->flags == kProtectReadWrite ? PROT_READ | PROT_WRITE : PROT_READ;
  return ::mprotect(pointer(address), bytes, how) == 0 ? 0 : kInvalidValue;
}
KW_EMULATED cuMemExportToShareableHandle(void* handle, Allocation allocation, int,
                                         unsigned long long) {
  const int copy = ::fcntl(descriptor_of(allocation), F_DUPFD_CLOEXEC, 0);
  if (copy < 0) return kInvalidValue;
  std::memcpy(handle, &copy, sizeof copy);
  return 0;
}
KW_EMULATED cuMemImportFromShareableHandle(Allocation* allocation, void* handle, int) {
  const int copy =
      ::fcntl(static_cast<int>(reinterpret_cast<std::intptr_t>(handle)), F_DUPFD_CLOEXEC, 0);
  if (copy < 0) return kInvalidValue;
  return *allocation = allocation_of(copy), 0;
}

// Calls about streams, events and graphs.
KW_EMULATED cuStreamCreate(Stream* stream, unsigned) {
  return *stream = reinterpret_cast<Stream>(new OpenStream), 0;
}
KW_EMULATED cuStreamDestroy_v2(Stream stream) { return delete as<OpenStream>(stream), 0; }
KW_EMULATED cuStreamSynchronize(Stream stream) {
  auto* open = as<OpenStream>(stream);
  if (open != nullptr && open->capture != nullptr) {
    open->capture->is_invalid = true;
    return kCaptureUnsupported;
  }
  return Queue::get().drain();
}
KW_EMULATED cuStreamWaitEvent(Stream stream, Event event, unsigned) {
  auto* made = as<MadeEvent>(event);
  if (made->capture != nullptr) as<OpenStream>(stream)->join(made->capture);
  return 0;
}
KW_EMULATED cuStreamBeginCapture_v2(Stream stream, int) {
  as<OpenStream>(stream)->join(new CapturedGraph);
  return 0;
}
KW_EMULATED cuStreamEndCapture(Stream stream, Graph* graph) {
  CapturedGraph* made = as<OpenStream>(stream)->capture;
  *graph = reinterpret_cast<Graph>(made);
  if (made == nullptr) return kInvalidValue;
  for (OpenStream* open : made->streams) open->capture = nullptr;
  if (!made->is_invalid) return 0;
  delete made;
  *graph = nullptr;
  return kCaptureInvalidated;
}
KW_EMULATED cuEventCreate(Event* event, unsigned) {
  return *event = reinterpret_cast<Event>(new MadeEvent), 0;
}
KW_EMULATED cuEventDestroy_v2(Event event) { return delete as<MadeEvent>(event), 0; }
KW_EMULATED cuProfilerStart() { return 0; }  // no profiler is attached to the stand-in
KW_EMULATED cuProfilerStop() { return 0; }
KW_EMULATED cuEventRecord(Event event, Stream stream) {
  auto* made = as<MadeEvent>(event);
  auto* open = as<OpenStream>(stream);
  made->capture = open == nullptr ? nullptr : open->capture;
  if (made->capture == nullptr)
    Queue::get().add([made] { return made->at = emu::Engine::global_timer(), 0; });
  return 0;
}
KW_EMULATED cuEventElapsedTime(float* ms, Event from, Event to) {
  const Status status = Queue::get().drain();
  *ms = static_cast<float>(as<MadeEvent>(to)->at - as<MadeEvent>(from)->at) * 1e-6f;
  return status;
}
KW_EMULATED cuGraphGetNodes(Graph graph, void*, std::size_t* count) {
  return *count = as<CapturedGraph>(graph)->nodes.size(), 0;
}
KW_EMULATED cuGraphDestroy(Graph graph) { return delete as<CapturedGraph>(graph), 0; }
KW_EMULATED cuGraphInstantiateWithFlags(GraphExec* exec, Graph graph, unsigned long long) {
  return *exec = reinterpret_cast<GraphExec>(new CapturedGraph(*as<CapturedGraph>(graph))), 0;
}
KW_EMULATED cuGraphExecDestroy(GraphExec exec) {
  Queue::get().drain();
  return delete as<CapturedGraph>(exec), 0;
}
KW_EMULATED cuGraphUpload(GraphExec, Stream) { return Queue::get().status(); }
KW_EMULATED cuGraphLaunch(GraphExec exec, Stream) {
  if (const Status lost = Queue::get().status(); lost != 0) return lost;
  const auto nodes = as<CapturedGraph>(exec)->nodes;
  Queue::get().add([nodes]() -> Status {
    for (const Node& node : nodes)
      if (const Status ended = node.run(); ended != 0) return ended;
    return 0;
  });
  return 0;
}
KW_EMULATED cuTensorMapEncodeTiled(TensorMap* map, int, std::uint32_t, void* base,
                                   const std::uint64_t*, const std::uint64_t*, const std::uint32_t*,
                                   const std::uint32_t*, int, int, int, int) {
  *map = {};
  map->opaque[0] = reinterpret_cast<std::uintptr_t>(base);
  return reinterpret_cast<std::uintptr_t>(base) % 16 == 0 ? 0 : kInvalidValue;
}
