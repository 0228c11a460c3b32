// Encodes launch plans, and decodes them with checks.
// SPDX-License-Identifier: Apache-2.0
#include "player/plan_wire.h"

#include <algorithm>
#include <cstring>

namespace kw::player {
namespace {

constexpr std::size_t padded(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

/// Hands out the parts of a message in order.
class Cutter {
 public:
  explicit Cutter(std::span<const std::byte> rest) : rest_(rest) {}

  template <class T>
  bool cut(std::uint64_t count, std::span<const T>& out) {
    if (count > rest_.size() / sizeof(T)) return false;
    const auto bytes = static_cast<std::size_t>(count) * sizeof(T);
    if (padded(bytes) > rest_.size()) return false;
    out = {reinterpret_cast<const T*>(rest_.data()), static_cast<std::size_t>(count)};
    rest_ = rest_.subspan(padded(bytes));
    return true;
  }
  bool is_empty() const { return rest_.empty(); }

 private:
  std::span<const std::byte> rest_;
};

bool is_range(std::uint64_t first, std::uint64_t count, std::uint64_t size) {
  return first <= size && count <= size - first;
}

class Checker {
 public:
  explicit Checker(const PlanView& view) : view_(view) {}

  bool is_sound() const {
    for (const WireTable& t : view_.tables)
      if (t.bytes == 0 || t.offset % 8 != 0 || !is_range(t.offset, t.bytes, view_.data.size()))
        return false;
    for (std::size_t i = 0; i < view_.steps.size(); ++i)
      if (!is_sound(view_.steps[i], i)) return false;
    return std::ranges::all_of(view_.maps, [this](const WireTensorMap& m) { return is_sound(m); });
  }

 private:
  bool is_sound(const WirePlace& p, std::uint64_t bytes = 0) const {
    if (p.kind == PlaceKind::Table)
      return p.index < view_.tables.size() &&
             is_range(p.offset, bytes, view_.tables[p.index].bytes);
    return p.kind == PlaceKind::Buffer && p.offset < std::uint64_t{1} << 46;
  }

  bool is_sound(const WireTensorMap& m) const {
    if (m.rank < 1 || m.rank > kMaxTensorMapRank || !is_sound(m.base)) return false;
    // Largest enumeration values of CUDA 13.0; an older driver or device refuses those that it
    // lacks.
    return m.element <= 15 && m.interleave <= 2 && m.swizzle <= 6 && m.promotion <= 3 &&
           m.fill <= 1;
  }

  bool is_sound(const WirePlanArgument& a) const {
    if (a.bytes == 0 || !is_range(a.at, a.bytes, kMaxParameterBytes) ||
        a.parameter >= kMaxParameterBytes)
      return false;
    switch (a.kind) {
      case WireArgumentKind::Scalar:
        return a.bytes == 1 || a.bytes == 2 || a.bytes == 4 || a.bytes == 8;
      case WireArgumentKind::Address:
        return a.bytes == 8 && is_sound(a.place);
      case WireArgumentKind::TensorMap:
        return a.bytes == kTensorMapBytes && a.map < view_.maps.size();
    }
    return false;
  }

  bool is_launch_sound(const WireStep& s) const {
    const auto name = view_.name(s);
    if (s.name_bytes == 0 || name.find('\0') != std::string_view::npos) return false;
    for (int d = 0; d < 3; ++d)
      if (s.grid[d] == 0 || s.block[d] == 0 || (s.cluster[d] == 0) != (s.cluster[0] == 0))
        return false;
    if (s.carveout < -1 || s.carveout > 100) return false;
    if ((s.flags & ~(kStepCooperative | kStepProgrammatic)) != 0) return false;
    return std::ranges::all_of(view_.arguments_of(s),
                               [this](const WirePlanArgument& a) { return is_sound(a); });
  }

  /// Whether a call is sound: the plan has only calls, in order, and argument i is for parameter i.
  bool is_call_sound(const WireStep& s) const {
    if (!view_.tables.empty() || !view_.maps.empty() || s.branch != 0 || s.afters != 0 ||
        view_.steps[0].kind != WireStepKind::Call)
      return false;
    const auto arguments = view_.arguments_of(s);
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const WirePlanArgument& a = arguments[i];
      if (a.parameter != i || a.at != 0 || a.kind == WireArgumentKind::TensorMap || !is_sound(a))
        return false;
    }
    return true;
  }

  bool is_memory_sound(const WireStep& s) const {
    if (s.to.kind != PlaceKind::Buffer || !is_sound(s.to, s.bytes)) return false;
    if (s.kind == WireStepKind::Copy) return is_sound(s.from, s.bytes);
    return (s.unit == 1 || s.unit == 2 || s.unit == 4) && s.bytes % s.unit == 0 &&
           s.to.offset % s.unit == 0;
  }

  bool is_sound(const WireStep& s, std::size_t index) const {
    if (s.branch >= kMaxPlanBranches || !is_range(s.first_after, s.afters, view_.afters.size()) ||
        !is_range(s.first_argument, s.arguments, view_.arguments.size()) ||
        !is_range(s.name, s.name_bytes, view_.names.size()))
      return false;
    if (!std::ranges::all_of(view_.afters_of(s), [&](std::uint32_t i) { return i < index; }))
      return false;
    if (s.kind != WireStepKind::Call && view_.steps[0].kind == WireStepKind::Call) return false;
    switch (s.kind) {
      case WireStepKind::Launch:
        return is_launch_sound(s);
      case WireStepKind::Fill:
      case WireStepKind::Copy:
        return is_memory_sound(s);
      case WireStepKind::Call:
        return is_call_sound(s);
    }
    return false;
  }

  const PlanView& view_;
};

template <class T>
void append(std::vector<std::byte>& to, const std::vector<T>& from) {
  const auto bytes = std::as_bytes(std::span(from));
  to.insert(to.end(), bytes.begin(), bytes.end());
  to.resize(padded(to.size()));
}

}  // namespace

std::optional<PlanView> decode_plan(std::span<const std::byte> bytes) {
  PlanHead head;
  if (bytes.size() < sizeof head || bytes.size() > kMaxPlanBytes) return std::nullopt;
  std::memcpy(&head, bytes.data(), sizeof head);
  if (head.magic != kPlanMagic || head.version != kPlanVersion || head.bytes != bytes.size() ||
      head.steps > kMaxPlanSteps)
    return std::nullopt;
  PlanView view;
  std::span<const char> names;
  Cutter cutter(bytes.subspan(sizeof head));
  if (!cutter.cut(head.tables, view.tables) || !cutter.cut(head.maps, view.maps) ||
      !cutter.cut(head.steps, view.steps) || !cutter.cut(head.arguments, view.arguments) ||
      !cutter.cut(head.afters, view.afters) || !cutter.cut(head.name_bytes, names) ||
      !cutter.cut(head.data_bytes, view.data) || !cutter.is_empty())
    return std::nullopt;
  view.names = {names.data(), names.size()};
  if (!Checker(view).is_sound()) return std::nullopt;
  return view;
}

std::vector<std::byte> encode_plan(const PlanParts& parts) {
  PlanHead head;
  head.tables = static_cast<std::uint32_t>(parts.tables.size());
  head.maps = static_cast<std::uint32_t>(parts.maps.size());
  head.steps = static_cast<std::uint32_t>(parts.steps.size());
  head.arguments = static_cast<std::uint32_t>(parts.arguments.size());
  head.afters = static_cast<std::uint32_t>(parts.afters.size());
  head.name_bytes = static_cast<std::uint32_t>(parts.names.size());
  head.data_bytes = parts.data.size();
  std::vector<std::byte> bytes(sizeof head);
  append(bytes, parts.tables);
  append(bytes, parts.maps);
  append(bytes, parts.steps);
  append(bytes, parts.arguments);
  append(bytes, parts.afters);
  append(bytes, parts.names);
  append(bytes, parts.data);
  head.bytes = bytes.size();
  std::memcpy(bytes.data(), &head, sizeof head);
  return bytes;
}

}  // namespace kw::player
