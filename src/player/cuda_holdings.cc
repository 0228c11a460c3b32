// Loads trusted kernels and foreign cubins into a context.
// SPDX-License-Identifier: Apache-2.0
#include "player/cuda_holdings.h"

#include <cstring>
#include <span>
#include <utility>

#include "player/cuda_scrub.h"

namespace kw::player::cuda {
namespace {

bool is_cubin(std::span<const std::byte> image) {
  constexpr char kElf[4] = {0x7f, 'E', 'L', 'F'};
  return image.size() >= 64 && std::memcmp(image.data(), kElf, sizeof kElf) == 0;
}

}  // namespace

Outcome load_trusted(Holdings& held, const std::vector<std::byte>& image) {
  if (held.trusted.module != nullptr || !is_cubin(image))
    return fail(Trouble::BadRequest, "trusted kernels");
  if (auto f = held.gpu.check(held.gpu.api().cuModuleLoadData(&held.trusted.module, image.data()),
                              "load the referee's own kernels", Trouble::LoadRefused))
    return f;
  const std::pair<Function*, const char*> functions[] = {{&held.trusted.spacer, "kw_spacer"},
                                                         {&held.trusted.stamp, "kw_stamp"},
                                                         {&held.trusted.touch, "kw_touch"},
                                                         {&held.trusted.plan_fill, "kw_plan_fill"},
                                                         {&held.trusted.plan_copy, "kw_plan_copy"}};
  for (const auto& [function, name] : functions)
    if (auto f =
            held.gpu.check(held.gpu.api().cuModuleGetFunction(function, held.trusted.module, name),
                           name, Trouble::LoadRefused))
      return f;
  return find_scrubs(held);
}

Outcome load_cubin(Holdings& held, std::vector<std::byte> image, std::int32_t& handle) {
  if (!is_cubin(image))
    return fail(Trouble::LoadRefused, "the object to load is not a cubin (compiled device code)");
  Object object;
  object.image = std::move(image);
  if (auto f = held.gpu.check(held.gpu.api().cuModuleLoadData(&object.module, object.image.data()),
                              "load the cubin", Trouble::LoadRefused))
    return f;
  handle = static_cast<std::int32_t>(held.objects.size());
  held.objects.push_back(std::move(object));
  return std::nullopt;
}

}  // namespace kw::player::cuda
