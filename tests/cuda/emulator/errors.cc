// Names and descriptions of the stand-in driver's errors.
// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "engine.h"
#include "exported.h"

using namespace kw::player::cuda;

KW_EMULATED cuGetErrorName(Status status, const char** name) {
  static const std::map<Status, const char*> names{
      {0, "CUDA_SUCCESS"},
      {kInvalidValue, "CUDA_ERROR_INVALID_VALUE"},
      {kOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY"},
      {kw_emulated::kDeviceUnavailable, "CUDA_ERROR_DEVICE_UNAVAILABLE"},
      {kNoDevice, "CUDA_ERROR_NO_DEVICE"},
      {kw_emulated::kEccUncorrectable, "CUDA_ERROR_ECC_UNCORRECTABLE"},
      {kw_emulated::kInvalidImage, "CUDA_ERROR_INVALID_IMAGE"},
      {kNotFound, "CUDA_ERROR_NOT_FOUND"},
      {kw_emulated::kIllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS"},
      {kw_emulated::kIllegalInstruction, "CUDA_ERROR_ILLEGAL_INSTRUCTION"},
      {kw_emulated::kLaunchFailed, "CUDA_ERROR_LAUNCH_FAILED"},
      {kw_emulated::kCooperativeTooLarge, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE"},
      {kw_emulated::kCaptureUnsupported, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"},
      {kw_emulated::kCaptureInvalidated, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"}};
  const auto found = names.find(status);
  return *name = found == names.end() ? "CUDA_ERROR_UNKNOWN" : found->second, 0;
}
KW_EMULATED cuGetErrorString(Status status, const char** words) {
  return *words = status == kw_emulated::kIllegalAddress
                      ? "an illegal memory access was encountered"
                      : "as emulated",
         0;
}
