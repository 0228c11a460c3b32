// bench-landscape: times every point of a kernel's tuning space and writes a landscape for
// bench-tuners.
// SPDX-License-Identifier: Apache-2.0
//
// bench-landscape KERNEL NAME OUT ROUNDS [K=V,V...]...: K=V,V... replaces a knob's values by a
// longer list. The kernel runs with the threads and the priority with which the program is started.
#include <dlfcn.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/rng.h"
#include "base/text.h"
#include "task/header.h"

namespace {

using namespace kw;

std::vector<float> random_values(std::size_t count, double low, double high) {
  Rng rng{Seed::from_number(count)};
  std::vector<float> values(count);
  for (float& v : values) v = static_cast<float>(rng.uniform(low, high));
  return values;
}

/// One small workload of a task: calls the task's function and gives its outputs.
class Workload {
 public:
  virtual ~Workload() = default;
  virtual void reset() {}  ///< Restores the inputs before a call; not timed.
  virtual void call(void* function) = 0;
  virtual const std::vector<float>& result() const = 0;
  virtual std::string what() const = 0;
};

class Matmul final : public Workload {
 public:
  void call(void* function) override {
    reinterpret_cast<void (*)(int, int, int, int, const float*, int, const float*, int, float*,
                              int)>(function)(1, kSide, kSide, kSide, a_.data(), kSide, b_.data(),
                                              kSide, c_.data(), kSide);
  }
  const std::vector<float>& result() const override { return c_; }
  std::string what() const override { return "1 x 384 x 384 x 384"; }

 private:
  static constexpr int kSide = 384;
  std::vector<float> a_ = random_values(kSide * kSide, -1, 1);
  std::vector<float> b_ = a_;
  std::vector<float> c_ = std::vector<float>(kSide * kSide);
};

class Softmax final : public Workload {
 public:
  void call(void* function) override {
    reinterpret_cast<void (*)(int, int, int, const float*, float*)>(function)(kRows, kCols, kCols,
                                                                              x_.data(), y_.data());
  }
  const std::vector<float>& result() const override { return y_; }
  std::string what() const override { return "2048 rows of 4096"; }

 private:
  static constexpr int kRows = 2048, kCols = 4096;
  std::vector<float> x_ = random_values(std::size_t{kRows} * kCols, -4, 4);
  std::vector<float> y_ = std::vector<float>(x_.size());
};

class Waves final : public Workload {
 public:
  void reset() override { u_ = start_; }
  void call(void* function) override {
    reinterpret_cast<void (*)(float*, const float*, const float*, const float*, int, int, int, int,
                              int, float, float, float, float, float, float, float)>(function)(
        u_.data(), m_.data(), src_.data(), coords_.data(), kSide, kSide, kSide, kSteps, 1, 0.003F,
        0.010F, 0.011F, 0.012F, 0, 0, 0);
  }
  const std::vector<float>& result() const override { return u_; }
  std::string what() const override { return "112 x 112 x 112, 10 steps, 1 source"; }

 private:
  static constexpr int kSide = 112, kSteps = 10;
  static constexpr std::size_t kLevel = std::size_t{kSide + 8} * (kSide + 8) * (kSide + 8);
  std::vector<float> start_ = random_values(3 * kLevel, -1, 1);
  std::vector<float> u_ = start_;
  std::vector<float> m_ = random_values(kLevel, 0.6, 2.0);
  std::vector<float> src_ = random_values(kSteps, 10, 40);
  std::vector<float> coords_{0.3F, 0.31F, 0.32F};
};

std::unique_ptr<Workload> make_workload(const std::string& function) {
  if (function == "matmul") return std::make_unique<Matmul>();
  if (function == "softmax") return std::make_unique<Softmax>();
  if (function == "fctd3d") return std::make_unique<Waves>();
  return nullptr;
}

const char* declaration(const std::string& function) {
  if (function == "matmul")
    return "void matmul(int, int, int, int, const float*, int, const float*, int, float*, int);";
  if (function == "softmax") return "void softmax(int, int, int, const float*, float*);";
  return "void fctd3d(float*, const float*, const float*, const float*, int, int, int, int, int, "
         "float, float, float, float, float, float, float);";
}

/// The largest difference divided by the largest correct value.
double difference(const std::vector<float>& truth, const std::vector<float>& got) {
  double most = 0;
  double scale = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const double d = std::abs(static_cast<double>(truth[i]) - got[i]);
    most = std::isnan(d) ? HUGE_VAL : std::max(most, d);
    scale = std::max(scale, std::abs(static_cast<double>(truth[i])));
  }
  return most / scale;
}

struct Point {
  void* function = nullptr;
  std::string fate = "compile_failed";
  double best_ns = HUGE_VAL;
};

/// Compiles the source at one point of its tuning space with the flags that candidates get.
Point build(const std::string& source, const task::CandidateHeader& header, const KnobPoint& knobs,
            const std::string& function, const std::string& folder, std::size_t number) {
  const std::string stem = fmt::format("{}/{}", folder, number);
  {
    std::ofstream out(stem + ".cpp");
    for (const std::string& define : header.defines(knobs)) {
      const auto cut = define.find('=');
      out << "#define " << define.substr(0, cut) << ' ' << define.substr(cut + 1) << '\n';
    }
    out << "extern \"C\" {\n" << declaration(function) << "\n}\n#line 1\n" << source;
  }
  const std::string command = fmt::format(
      "c++ -std=c++20 -O3 -march=native -fopenmp -fPIC -ffp-contract=fast -fno-math-errno "
      "-fno-trapping-math -fno-stack-protector -fcf-protection=none -w -shared {0}.cpp -o {0}.so "
      "2>{0}.log",
      stem);
  Point point;
  if (std::system(command.c_str()) != 0) return point;
  void* library = dlopen((stem + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
  point.function = library == nullptr ? nullptr : dlsym(library, function.c_str());
  point.fate = point.function == nullptr ? "load_failed" : "correct";
  return point;
}

/// The least time of several calls at each point, in rounds over all points. Other work of the
/// machine only adds time, and slow drift affects all points alike.
void time_all(std::vector<Point>& points, Workload& workload, int rounds) {
  std::vector<float> truth;
  constexpr double kTolerance = 1e-3;
  for (int round = 0; round <= rounds; ++round) {
    for (Point& point : points) {
      if (point.fate != "correct") continue;
      workload.reset();
      const auto start = std::chrono::steady_clock::now();
      workload.call(point.function);
      const std::chrono::duration<double, std::nano> took =
          std::chrono::steady_clock::now() - start;
      if (round > 0) point.best_ns = std::min(point.best_ns, took.count());
      if (round > 0) continue;
      if (truth.empty()) truth = workload.result();
      if (difference(truth, workload.result()) > kTolerance) point.fate = "wrong_result";
    }
    std::fprintf(stderr, "\rround %d of %d", round, rounds);
  }
  std::fprintf(stderr, "\n");
}

std::string first_line_with(const char* path, const std::string& key) {
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(key)) return line.substr(line.find(':') + 2);
  return "unknown";
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
  return text;
}

int record(const std::string& kernel, const std::string& name, const std::string& out, int rounds,
           const std::vector<std::string>& lists) {
  std::ifstream in(kernel);
  const std::string source{std::istreambuf_iterator<char>(in), {}};
  auto header = task::parse_header(source, kernel);
  if (!header) {
    std::fprintf(stderr, "%s\n", task::to_text(header.error()).c_str());
    return 2;
  }
  for (const std::string& list : lists) {
    const auto cut = list.find('=');
    for (task::Knob& knob : header->knobs) {
      if (knob.name != list.substr(0, cut)) continue;
      knob.values.clear();
      for (const auto value : split(std::string_view(list).substr(cut + 1), ','))
        knob.values.push_back(std::stoll(std::string(value)));
    }
  }
  const std::string function = std::filesystem::path(kernel).parent_path().filename();
  const auto workload = make_workload(function);
  if (!workload) return 2;
  const std::string folder =
      std::filesystem::temp_directory_path() / fmt::format("kw-{}", getpid());
  std::filesystem::create_directories(folder);

  std::vector<Point> points;
  const std::vector<KnobPoint> all = header->points(std::numeric_limits<std::size_t>::max());
  for (const KnobPoint& knobs : all) {
    points.push_back(build(source, *header, knobs, function, folder, points.size()));
    std::fprintf(stderr, "\rbuilt %zu of %zu", points.size(), all.size());
  }
  time_all(points, *workload, rounds);
  std::filesystem::remove_all(folder);

  nlohmann::ordered_json json;
  json["format"] = 1;
  json["name"] = name;
  json["date"] = today();
  json["machine"] = fmt::format(
      "{}, family {}, model {}", first_line_with("/proc/cpuinfo", "model name"),
      first_line_with("/proc/cpuinfo", "cpu family"), first_line_with("/proc/cpuinfo", "model\t"));
  const char* threads = std::getenv("OMP_NUM_THREADS");
  json["how"] =
      fmt::format("{}: least of {} calls in rounds over all points, {} thread(s); {}", function,
                  rounds, threads == nullptr ? "all" : threads, workload->what());
  for (const task::Knob& knob : header->knobs)
    json["knobs"].push_back({{"name", knob.name}, {"values", knob.values}});
  for (const Expr& e : header->requirements) json["require"].push_back(e.text());
  // The landscape has one entry for each combination of knob values, with the last knob fastest: a
  // time in ns, how the kernel failed, or null where the combination is invalid.
  std::size_t combinations = 1;
  for (const task::Knob& knob : header->knobs) combinations *= knob.values.size();
  nlohmann::ordered_json entries = nlohmann::ordered_json::array();
  for (std::size_t n = 0, next = 0; n < combinations; ++n) {
    KnobPoint knobs;
    std::size_t rest = n;
    for (auto knob = header->knobs.rbegin(); knob != header->knobs.rend(); ++knob) {
      knobs[knob->name] = knob->values[rest % knob->values.size()];
      rest /= knob->values.size();
    }
    if (next == all.size() || knobs != all[next]) {
      entries.push_back(nullptr);
      continue;
    }
    const Point& point = points[next++];
    if (point.fate == "correct")
      entries.push_back(std::llround(point.best_ns));
    else
      entries.push_back(point.fate);
  }
  json["points"] = entries;
  std::ofstream(out) << json.dump() << '\n';
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fprintf(stderr, "usage: bench-landscape KERNEL NAME OUT ROUNDS [K=V,V...]...\n");
    return 2;
  }
  return record(argv[1], argv[2], argv[3], std::atoi(argv[4]), {argv + 5, argv + argc});
}
