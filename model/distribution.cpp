#include "model/distribution.hpp"

#include "model/check.hpp"
#include "model/elementary.hpp"

namespace spillover {

namespace {

// The standard normal variable's 99 % point.
constexpr double z99 = 2.3263478740408408;

// Long enough for anything, and short enough that adding it to an instant does not overflow.
constexpr duration longest = std::chrono::years{100};

template <class... F>
struct overload : F... {
  using F::operator()...;
};
template <class... F>
overload(F...) -> overload<F...>;

double count_of(duration x) noexcept {
  return static_cast<double>(x.count());
}

// Rounds `x`, which is at least 0 and in nanoseconds.
duration rounded(double x) noexcept {
  return x < count_of(longest) ? duration{static_cast<duration::rep>(x + 0.5)} : longest;
}

// Standard deviation of the logarithm.
double sigma_of(const lognormal_distribution& x) noexcept {
  return portable_log(count_of(x.p99) / count_of(x.median)) / z99;
}

// Adds what is wrong with the span called `name`.
void validate_span(const std::string& name, duration x, duration least,
                   std::vector<std::string>& problems) {
  if (x < least)
    problems.push_back(
      name + (least == duration::zero() ? ": must be at least 0s" : ": must be above 0s"));
  if (x > longest)
    problems.push_back(name + ": must be at most 100 years");
}

} // namespace

std::vector<std::string> validate(const distribution& x) {
  constexpr duration shortest{1};
  std::vector<std::string> problems;
  std::visit(
    overload{
      [&](const constant_distribution& y) {
        validate_span("value", y.value, duration::zero(), problems);
      },
      [&](const exponential_distribution& y) { validate_span("mean", y.mean, shortest, problems); },
      [&](const lognormal_distribution& y) {
        validate_span("median", y.median, shortest, problems);
        validate_span("p99", y.p99, shortest, problems);
        if (y.p99 < y.median)
          problems.emplace_back("p99: must be at least median");
      },
      [&](const empirical_distribution& y) {
        if (y.values.empty())
          problems.emplace_back("values: needs at least one");
        for (std::size_t i = 0; i < y.values.size(); ++i)
          validate_span("values[" + std::to_string(i) + ']', y.values[i], duration::zero(),
                        problems);
      },
    },
    x);
  return problems;
}

duration mean_of(const distribution& x) {
  return std::visit(overload{
                      [](const constant_distribution& y) { return y.value; },
                      [](const exponential_distribution& y) { return y.mean; },
                      [](const lognormal_distribution& y) {
                        const auto sigma = sigma_of(y);
                        return rounded(count_of(y.median) * portable_exp(sigma * sigma / 2));
                      },
                      [](const empirical_distribution& y) {
                        // Whole and rest apart, so that the sum cannot overflow.
                        const auto n = static_cast<duration::rep>(y.values.size());
                        SPILLOVER_CHECK(n > 0);
                        duration::rep whole = 0;
                        duration::rep rest = 0;
                        for (const auto value : y.values) {
                          whole += value.count() / n;
                          rest += value.count() % n;
                        }
                        return duration{whole + (rest + n / 2) / n};
                      },
                    },
                    x);
}

std::string to_string(const distribution& x) {
  return std::visit(overload{
                      [](const constant_distribution& y) { return to_string(y.value); },
                      [](const exponential_distribution& y) {
                        return "exponential: {mean: " + to_string(y.mean) + '}';
                      },
                      [](const lognormal_distribution& y) {
                        return "lognormal: {median: " + to_string(y.median)
                               + ", p99: " + to_string(y.p99) + '}';
                      },
                      [](const empirical_distribution& y) {
                        if (y.values.size() > 8)
                          return "empirical: " + std::to_string(y.values.size()) + " values";
                        std::string text = "empirical: [";
                        for (const auto value : y.values) {
                          if (text.back() != '[')
                            text += ", ";
                          text += to_string(value);
                        }
                        return text + ']';
                      },
                    },
                    x);
}

sampler::sampler(const distribution& x) : mean_(mean_of(x)) {
  SPILLOVER_CHECK(validate(x).empty());
  std::visit(overload{
               [this](const constant_distribution&) { kind_ = kind::constant; },
               [this](const exponential_distribution& y) {
                 kind_ = kind::exponential;
                 scale_ = count_of(y.mean);
               },
               [this](const lognormal_distribution& y) {
                 kind_ = kind::lognormal;
                 location_ = portable_log(count_of(y.median));
                 scale_ = sigma_of(y);
               },
               [this](const empirical_distribution& y) {
                 kind_ = kind::empirical;
                 values_ = y.values;
               },
             },
             x);
}

duration sampler::draw(random_stream& random) const noexcept {
  switch (kind_) {
    case kind::exponential: return rounded(-scale_ * portable_log(1 - random.unit()));
    case kind::lognormal: {
      // A quantile needs a probability above 0; half a step stands for the first one.
      const auto u = random.unit();
      const auto z = normal_quantile(u > 0 ? u : 0x1p-54);
      return rounded(portable_exp(location_ + scale_ * z));
    }
    case kind::empirical: return values_[random.below(values_.size())];
    case kind::constant: break;
  }
  random.bits();
  return mean_;
}

} // namespace spillover
