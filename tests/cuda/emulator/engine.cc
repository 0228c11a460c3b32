// Runs emulated blocks: fibers, barriers and faults.
// SPDX-License-Identifier: Apache-2.0
#include "engine.h"

#include <signal.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <bit>
#include <cstdlib>
#include <cstring>

#include "faults.h"

namespace kw_emulated {

namespace {

constexpr std::size_t kStackBytes = std::size_t{64} << 10;

enum class State { New, Ready, AtBarrier, AtWarp, Done };

thread_local Block* current_block = nullptr;

}  // namespace

// Saves the callee-saved registers on the current stack, stores the stack pointer in *from, and
// switches to `to`.
extern "C" void kw_emulated_switch(void** from, void* to);
asm(R"(
.text
.type kw_emulated_switch, @function
kw_emulated_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size kw_emulated_switch, .-kw_emulated_switch
)");

struct Fiber {
  Thread thread;
  State state = State::New;
  unsigned char* stack = nullptr;
  void* pointer = nullptr;
  unsigned barrier = 0;
  unsigned mask = 0;
  std::uint64_t given = 0;
  bool vote = false;
};

/// One resident block, whose fibers share one operating-system thread.
class Block {
 public:
  Block() : fibers_(kMostThreads), shared_(kMostShared + 128) {}

  /// Runs the block; returns 0, or the status with which a thread ended it.
  int run(Engine& engine, const Grid& grid, std::uint64_t index) {
    grid_ = &grid;
    count_ = grid.block.x * grid.block.y * grid.block.z;
    alive_ = count_;
    self_ = grid.self();
    for (auto& b : barriers_) b = {};
    for (unsigned i = 0; i < count_; ++i) prepare(engine, i, index);
    current_block = this;
    if (const int fault = sigsetjmp(out_, 1); fault != 0) {
      release_stacks();
      return fault;
    }
    while (alive_ > 0) {
      bool moved = false;
      for (unsigned i = 0; i < count_; ++i)
        if (fibers_[i].state == State::New || fibers_[i].state == State::Ready) {
          resume(i);
          moved = true;
        }
      if (!moved) hang();
    }
    release_stacks();
    return 0;
  }

  void fault(int status) { siglongjmp(out_, status); }

  void sync(Fiber& f, unsigned barrier, unsigned threads) {
    Barrier& b = barriers_[barrier & 15];
    ++b.arrived;
    b.wanted = threads;
    f.barrier = barrier & 15;
    f.state = State::AtBarrier;
    open_barriers();
    if (f.state == State::AtBarrier) leave(f);
  }

  void exchange(Fiber& f, unsigned mask, std::uint64_t value) {
    f.mask = mask;
    f.given = value;
    f.state = State::AtWarp;
    open_warp(f.thread.warp);
    if (f.state == State::AtWarp) leave(f);
  }

  void yield(Fiber& f) {
    f.state = State::Ready;
    leave(f);
  }

  unsigned lanes_alive(unsigned warp) const {
    unsigned bits = 0;
    for (unsigned l = 0; l < 32 && warp * 32 + l < count_; ++l)
      if (fibers_[warp * 32 + l].state != State::Done) bits |= 1u << l;
    return bits;
  }

  bool vote(Fiber& f, bool value, int how, int* count) {
    f.vote = value;
    sync(f, 0, 0);
    int n = 0;
    for (unsigned i = 0; i < count_; ++i) n += fibers_[i].vote && fibers_[i].state != State::Done;
    const bool all = n == static_cast<int>(alive_), any = n > 0;
    sync(f, 0, 0);  // no thread may vote again before all have read the count
    if (count != nullptr) *count = n;
    return how == 1 ? all : any;
  }

  static Fiber& fiber_of(Thread& thread) { return *reinterpret_cast<Fiber*>(&thread); }

 private:
  struct Barrier {
    unsigned arrived = 0;
    unsigned wanted = 0;  // number of threads awaited; 0: the whole block
  };

  void prepare(Engine& engine, unsigned i, std::uint64_t index) {
    Fiber& f = fibers_[i];
    Thread& t = f.thread;
    const Index &b = grid_->block, &g = grid_->size;
    t.thread = {i % b.x, i / b.x % b.y, i / (b.x * b.y)};
    t.block = {static_cast<unsigned>(index % g.x), static_cast<unsigned>(index / g.x % g.y),
               static_cast<unsigned>(index / (std::uint64_t{g.x} * g.y))};
    t.block_size = b;
    t.grid_size = g;
    t.lane = i % 32;
    t.warp = i / 32;
    t.shared = reinterpret_cast<unsigned char*>(
        (reinterpret_cast<std::uintptr_t>(shared_.data()) + 127) & ~std::uintptr_t{127});
    t.engine = &engine;
    f.state = State::New;
  }

  void resume(unsigned i) {
    Fiber& f = fibers_[i];
    if (f.state == State::New) {
      f.stack = take_stack();
      auto** top = reinterpret_cast<void**>(f.stack + kStackBytes) - 2;
      // The stack top is 16-byte aligned and `ret` pops 8 bytes, so the fiber starts with the
      // alignment that follows a call.
      *top = reinterpret_cast<void*>(&Block::begin);
      top -= 6;
      f.pointer = top;
    }
    f.state = State::Ready;
    *self_ = &f.thread;
    running_ = &f;
    kw_emulated_switch(&scheduler_, f.pointer);
    if (f.state == State::Done) {
      stacks_.push_back(f.stack);
      f.stack = nullptr;
    }
  }

  // The first function of a fiber. It is entered by `ret`, with the stack as after a call.
  static void begin() {
    Block& block = *current_block;
    Fiber& f = *block.running_;
    block.grid_->thunk(block.grid_->arguments);
    f.state = State::Done;
    --block.alive_;
    block.open_barriers();
    block.open_warp(f.thread.warp);
    kw_emulated_switch(&f.pointer, block.scheduler_);
    std::abort();
  }

  void leave(Fiber& f) { kw_emulated_switch(&f.pointer, scheduler_); }

  void open_barriers() {
    for (unsigned id = 0; id < 16; ++id) {
      Barrier& b = barriers_[id];
      if (b.arrived == 0 || b.arrived < (b.wanted == 0 ? alive_ : b.wanted)) continue;
      b.arrived = 0;
      for (unsigned i = 0; i < count_; ++i)
        if (fibers_[i].state == State::AtBarrier && fibers_[i].barrier == id)
          fibers_[i].state = State::Ready;
    }
  }

  // Lets the lanes of a warp go on once all lanes of their mask wait; lanes that have ended are
  // ignored.
  void open_warp(unsigned warp) {
    const unsigned there = lanes_alive(warp);
    for (unsigned l = 0; l < 32 && warp * 32 + l < count_; ++l) {
      const Fiber& first = fibers_[warp * 32 + l];
      if (first.state != State::AtWarp) continue;
      const unsigned mask = first.mask & there;
      std::uint64_t values[32] = {};
      bool is_complete = true;
      for (unsigned k = 0; k < 32 && is_complete; ++k)
        if ((mask >> k & 1) != 0) {
          const Fiber& f = fibers_[warp * 32 + k];
          is_complete = f.state == State::AtWarp && (f.mask & there) == mask;
          values[k] = f.given;
        }
      if (!is_complete) continue;
      for (unsigned k = 0; k < 32; ++k)
        if ((mask >> k & 1) != 0) {
          Fiber& f = fibers_[warp * 32 + k];
          std::memcpy(f.thread.received, values, sizeof values);
          f.state = State::Ready;
        }
    }
  }

  unsigned char* take_stack() {
    if (!stacks_.empty()) {
      unsigned char* stack = stacks_.back();
      stacks_.pop_back();
      return stack;
    }
    void* fresh = ::mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (fresh == MAP_FAILED) std::abort();
    ::mprotect(fresh, 4096, PROT_NONE);
    return static_cast<unsigned char*>(fresh);
  }

  void release_stacks() {
    for (unsigned i = 0; i < count_; ++i)
      if (fibers_[i].stack != nullptr) {
        stacks_.push_back(fibers_[i].stack);
        fibers_[i].stack = nullptr;
      }
  }

  [[noreturn]] static void hang() {
    for (;;) ::pause();
  }

  std::vector<Fiber> fibers_;
  std::vector<unsigned char> shared_;
  std::vector<unsigned char*> stacks_;
  const Grid* grid_ = nullptr;
  Thread** self_ = nullptr;
  Fiber* running_ = nullptr;
  void* scheduler_ = nullptr;
  unsigned count_ = 0, alive_ = 0;
  Barrier barriers_[16];
  sigjmp_buf out_;
};

namespace {

void on_fault(int signal, siginfo_t*, void*) {
  if (current_block == nullptr) {
    ::signal(signal, SIG_DFL);
    ::raise(signal);
    return;
  }
  current_block->fault(signal == SIGILL   ? kIllegalInstruction
                       : signal == SIGBUS ? kIllegalAddress
                                          : kIllegalAddress);
}

void catch_faults() {
  thread_local static unsigned char room[32 << 10];
  stack_t other{};
  other.ss_sp = room;
  other.ss_size = sizeof room;
  ::sigaltstack(&other, nullptr);
  struct sigaction action{};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE}) ::sigaction(signal, &action, nullptr);
}

void sync_block(Thread& t, unsigned barrier, unsigned threads) {
  current_block->sync(Block::fiber_of(t), barrier, threads);
}
bool sync_block_reduce(Thread& t, bool value, int how, int* count) {
  return current_block->vote(Block::fiber_of(t), value, how, count);
}
void exchange(Thread& t, unsigned mask, std::uint64_t value) {
  current_block->exchange(Block::fiber_of(t), mask, value);
}
unsigned active_mask(Thread& t) { return current_block->lanes_alive(t.warp); }
constexpr unsigned kSlowest = 100;  // slowdown at which 20 us of a spacer take 2 ms

std::uint64_t host_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(now.tv_nsec);
}

/// State of the emulated clock since its speed last changed.
struct Pace {
  std::uint64_t since_ns = host_ns();
  std::uint64_t device_ns = since_ns / kSlowest;
  unsigned slowdown = faults().slowdown;

  std::uint64_t at(std::uint64_t host) const { return device_ns + (host - since_ns) / slowdown; }
};
std::mutex pace_mutex;
Pace pace;
std::atomic<bool> has_spell = false;
constexpr useconds_t kNapUs = 100;

void set_pace(unsigned slowdown) {
  const std::lock_guard lock(pace_mutex);
  const std::uint64_t now = host_ns();
  pace = {now, pace.at(now), slowdown};
}

void sleep_fiber(Thread& t, unsigned ns) {
  const std::uint64_t end = Engine::global_timer() + ns;
  do {
    ns < kNapUs * 1000 ? static_cast<void>(::sched_yield()) : static_cast<void>(::usleep(kNapUs));
    current_block->yield(Block::fiber_of(t));
  } while (Engine::global_timer() < end);
}
[[noreturn]] void fault(Thread&, int status) {
  current_block->fault(status);
  std::abort();
}

}  // namespace

const Calls& Engine::calls() {
  static const Calls table{sync_block, sync_block_reduce, exchange, active_mask, sleep_fiber,
                           fault,      global_timer};
  return table;
}

std::uint64_t Engine::global_timer() {
  // A spacer sleeps instead of spinning, since the process that watches it needs a processor too.
  if (has_spell) ::usleep(kNapUs);
  const std::lock_guard lock(pace_mutex);
  return pace.at(host_ns());
}

Engine::Spell::Spell() {
  set_pace(kSlowest);
  has_spell = true;
}
Engine::Spell::~Spell() {
  has_spell = false;
  set_pace(faults().slowdown);
}

Engine::Engine() {
  for (std::size_t i = 0; i < kResidentBlocks; ++i) threads_.emplace_back([this, i] { work(i); });
}

Engine::~Engine() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  for (std::thread& t : threads_) t.join();
}

int Engine::run(const Grid& grid) {
  std::unique_lock lock(mutex_);
  grid_ = &grid;
  next_ = 0;
  total_ = std::uint64_t{grid.size.x} * grid.size.y * grid.size.z;
  status_ = 0;
  ++launch_;
  working_ = static_cast<int>(threads_.size());
  changed_.notify_all();
  changed_.wait(lock, [this] { return working_ == 0; });
  return status_;
}

void Engine::work(std::size_t) {
  catch_faults();
  Block block;
  std::uint64_t done = 0;
  for (;;) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_ending_ || launch_ != done; });
    if (is_ending_) return;
    done = launch_;
    const Grid& grid = *grid_;
    while (next_ < total_ && status_ == 0) {
      const std::uint64_t index = next_++;
      lock.unlock();
      const int status = block.run(*this, grid, index);
      lock.lock();
      if (status != 0 && status_ == 0) status_ = status;
    }
    if (--working_ == 0) changed_.notify_all();
  }
}

}  // namespace kw_emulated
