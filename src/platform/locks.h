// Locks between processes: an exclusive file lock and the machine-wide lease of a device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "platform/clock.h"
#include "platform/files.h"

namespace kw::platform {

/// Timeout that waits for ever; Nanoseconds::zero() tries once.
inline constexpr Nanoseconds kForever = Nanoseconds::max();

/// Exclusive lock on a file that is created if missing and never removed. The kernel releases it
/// when the holder dies, however it dies.
class FileLock {
 public:
  /// `owner` (one line: who, doing what) is shown to those who find the lock taken. A lock that
  /// stays taken past `timeout` is an Advice::Retry error that names the holder.
  static Result<FileLock> acquire(const Path& path, std::string_view owner,
                                  Nanoseconds timeout = Nanoseconds::zero());

  /// Whether somebody holds the lock now; never creates the file. The check itself takes a shared
  /// lock for some microseconds, so whoever acquires should wait at least as long. A file that
  /// cannot be opened is an error.
  static Result<bool> is_held(const Path& path);

 private:
  explicit FileLock(Fd fd) : fd_(std::move(fd)) {}
  Fd fd_;
};

enum class LeaseMode {
  Shared,     ///< For compiling, checking and computing truth: many at once.
  Exclusive,  ///< For measuring: alone on the device.
};

/// A machine-wide readers-writer lock per device: root, users and containers that share the lock
/// folder see the same lock. A waiting measurement goes before shared holders that come later.
/// Released by the destructor, or when the process dies.
class Lease {
 public:
  /// `device` is the stable id of the device ("cpu", a GPU's UUID), `owner` is shown to those who
  /// wait, and an empty `folder` means lease_dir(). Polls, so the lease comes at most 5 ms late. A
  /// device that stays taken past `timeout` is an Advice::Retry error, "device D is in use by
  /// OWNER", or by the owners of several shares.
  static Result<Lease> acquire(std::string_view device, LeaseMode mode, std::string_view owner,
                               Nanoseconds timeout = kForever, const Path& folder = {});

  LeaseMode mode() const { return mode_; }

 private:
  Lease(Fd fd, LeaseMode mode) : fd_(std::move(fd)), mode_(mode) {}
  Fd fd_;
  Fd name_;  ///< Shared mode: the lock on the file with this owner's name.
  LeaseMode mode_;
};

/// The folder of machine-wide locks: "kernelwright" (created with mode 1777) in the first of
/// /run/lock, /var/lock and /tmp that everyone may write to. The choice depends on the machine, not
/// on the user.
Result<Path> lease_dir();

}  // namespace kw::platform
