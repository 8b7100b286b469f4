#pragma once

#include "net/moment.hpp"
#include "net/spill_file.hpp"
#include "net/wire.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace spillover::net {

/// Sends a site's event log to its collector: every line waits in a spill file until it is acknowledged,
/// and is sent again from the first one that is missing.
class telemetry_sender {
public:
  /// Lines that may be on their way unacknowledged.
  static constexpr std::uint64_t window = 8 * limits::telemetry_lines;

  /// @param again_after time without progress after which what is on its way counts as lost
  /// @throws std::system_error when the spill file cannot be made
  telemetry_sender(const std::filesystem::path& spill, std::uint64_t most_bytes,
                   span_of_time again_after);

  /// Takes in a line; `flush` makes it ready to be sent.
  /// @returns false when there is no room: then the line is gone, and the collector will know
  bool append(std::uint64_t number, std::string_view line) { return file_.append(number, line); }

  /// @returns the number of lines that the disk did not take, and that are gone
  std::uint64_t flush() { return file_.flush(); }

  /// @returns whether there is something to send now, which `into` then holds.
  bool next(moment now, telemetry_batch& into);

  /// The batch of `next` is on its way.
  void sent(const telemetry_batch& x, moment now) noexcept;

  /// Takes in an answer of the collector.
  void on_ack(const telemetry_ack& x, moment now) noexcept;

  /// The collector was lost: whatever was on its way is.
  void start_over() noexcept { cursor_ = acknowledged_; }

  /// Another process collects now, and may know nothing: sends all that the file still has.
  void start_anew() noexcept {
    cursor_ = acknowledged_ = 0;
    // Else a full file could begin anew, although nobody may have what it holds.
    file_.acknowledge(0);
  }

  /// @returns the number of the last acknowledged line.
  [[nodiscard]] std::uint64_t acknowledged() const noexcept { return acknowledged_; }

  /// @returns whether every line that was written is acknowledged.
  [[nodiscard]] bool empty() const noexcept { return acknowledged_ >= file_.last(); }

private:
  spill_file file_;
  span_of_time again_after_;
  std::uint64_t acknowledged_ = 0;
  /// The last line that was sent.
  std::uint64_t cursor_ = 0;
  std::uint64_t furthest_ = 0;
  moment progress_{};
};

/// Takes in the lines of one process of one site: each once, in order.
class telemetry_receiver {
public:
  /// @param through lines that are known already
  /// @param again_after least time between two requests for the same line
  explicit telemetry_receiver(span_of_time again_after, std::uint64_t through = 0)
    : again_after_(again_after), through_(through) {}

  /// What to do with a batch.
  struct verdict {
    /// Lines at its beginning that are known already.
    std::uint64_t known = 0;
    /// Whether the others are to be taken; else something before them is still to come.
    bool take = false;
    /// Lines that will never come, directly before the batch's first one.
    std::uint64_t gone = 0;
  };

  /// Decides about a batch; takes nothing in.
  [[nodiscard]] verdict judge(const telemetry_batch& x) const noexcept;

  /// Takes in what `judge` said is to be taken.
  void take(const telemetry_batch& x) noexcept { through_ = x.first + x.lines.size() - 1; }

  /// @returns the answer to a batch that was not taken, unless the same was asked for just before.
  std::optional<telemetry_ack> ask_again(moment now) noexcept;

  [[nodiscard]] std::uint64_t through() const noexcept { return through_; }

private:
  span_of_time again_after_;
  std::uint64_t through_;
  std::uint64_t asked_after_ = 0;
  std::optional<moment> asked_;
};

} // namespace spillover::net
