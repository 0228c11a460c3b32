// Locks between processes: an exclusive file lock and the machine-wide lease of a device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "platform/clock.h"
#include "platform/files.h"

namespace kw::platform {

/// Waits for ever; Nanoseconds::zero() tries once.
inline constexpr Nanoseconds kForever = Nanoseconds::max();

/// Exclusive lock on a file that is created if missing and never removed. The kernel releases it
/// when the holder dies, however it dies.
class FileLock {
 public:
  /// `owner` (one line: who, doing what) is shown to those who find the lock taken. A lock that
  /// stays taken past `timeout` is an Advice::Retry error that names the holder.
  static Result<FileLock> acquire(const Path& path, std::string_view owner,
                                  Nanoseconds timeout = Nanoseconds::zero());

  /// Whether somebody holds it now; never creates the file. Looking takes a shared lock for some
  /// microseconds: whoever acquires should wait that long. A file that cannot be opened is an
  /// error.
  static Result<bool> is_held(const Path& path);

 private:
  explicit FileLock(Fd fd) : fd_(std::move(fd)) {}
  Fd fd_;
};

enum class LeaseMode {
  Shared,     ///< Compiling, checking, computing truth: many at once.
  Exclusive,  ///< Measuring: alone on the device.
};

/// One readers-writer lock per device, machine-wide: root, users and containers that share the lock
/// folder see the same one. A waiting measurement goes before later shared holders. Released when
/// destroyed or when the process dies.
class Lease {
 public:
  /// `device` is the stable id of the device ("cpu", a GPU's UUID). `folder` empty: lease_dir().
  /// `owner` is told to those who wait. Polls, at most 5 ms late. Taken past `timeout`:
  /// Advice::Retry with "device D is in use by OWNER", or by the owners of several shares.
  static Result<Lease> acquire(std::string_view device, LeaseMode mode, std::string_view owner,
                               Nanoseconds timeout = kForever, const Path& folder = {});

  LeaseMode mode() const { return mode_; }

 private:
  Lease(Fd fd, LeaseMode mode) : fd_(std::move(fd)), mode_(mode) {}
  Fd fd_;
  Fd name_;  ///< Of a share: the lock on the file with its owner's name.
  LeaseMode mode_;
};

/// The folder of machine-wide locks: the first of /run/lock, /var/lock and /tmp that everyone may
/// write to, plus "kernelwright" (created with mode 1777). The choice depends on the machine, not
/// on the user.
Result<Path> lease_dir();

}  // namespace kw::platform
