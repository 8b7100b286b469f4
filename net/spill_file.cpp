#include "net/spill_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace spillover::net {

namespace {

/// Before each line stands its number and its length.
constexpr std::size_t head_bytes = sizeof(std::uint64_t) + sizeof(std::uint32_t);
constexpr std::uint64_t lines_per_place = 64;
/// A batch of lines with their heads always fits.
constexpr std::size_t read_bytes = limits::telemetry_bytes + limits::telemetry_lines * head_bytes;

struct head {
  std::uint64_t number = 0;
  std::uint32_t length = 0;
};

head head_at(const char* at) noexcept {
  head x;
  std::memcpy(&x.number, at, sizeof x.number);
  std::memcpy(&x.length, at + sizeof x.number, sizeof x.length);
  return x;
}

/// @returns the number of bytes that were read; fewer than wanted at the file's end.
std::size_t read_at(int file, std::uint64_t offset, std::string& into) {
  std::size_t done = 0;
  while (done < into.size()) {
    const auto n =
      ::pread(file, into.data() + done, into.size() - done, static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      break;
    done += static_cast<std::size_t>(n);
  }
  return done;
}

} // namespace

spill_file::spill_file(std::filesystem::path path, int file, std::uint64_t most_bytes) noexcept
  : path_(std::move(path)), file_(file), most_bytes_(most_bytes) {}

// Emptied only once it is locked: it may be another's, who lives.
spill_file::spill_file(const std::filesystem::path& path, std::uint64_t most_bytes)
  : spill_file(path, ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600),
               most_bytes) {
  if (file_ < 0 || ::flock(file_, LOCK_EX | LOCK_NB) != 0 || ::ftruncate(file_, 0) != 0) {
    const auto why = errno;
    if (file_ >= 0)
      ::close(std::exchange(file_, -1));
    throw std::system_error{why, std::generic_category(), path.string()};
  }
}

std::unique_ptr<spill_file> spill_file::take_over(const std::filesystem::path& path) {
  const auto file = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0)
    return nullptr;
  if (::flock(file, LOCK_EX | LOCK_NB) != 0) {
    ::close(file);
    return nullptr;
  }
  std::unique_ptr<spill_file> result{new spill_file{path, file, 0}};
  result->find_lines();
  return result;
}

spill_file::~spill_file() {
  if (file_ < 0)
    return;
  // Before the lock goes: nobody takes over what is done.
  if (acknowledged_ >= last_written_)
    ::unlink(path_.c_str());
  ::close(file_);
}

void spill_file::add_place(const place& x) {
  if (since_index_++ % lines_per_place == 0)
    index_.push_back(x);
}

void spill_file::find_lines() {
  std::string bytes(head_bytes, '\0');
  place at;
  while (read_at(file_, at.offset, bytes) == head_bytes) {
    const auto [number, length] = head_at(bytes.data());
    const auto end = at.offset + head_bytes + length;
    std::string last(1, '\0');
    const auto whole =
      length == 0 || read_at(file_, end - 1, last) == 1; // else the process ended while it wrote
    if (number <= at.previous || length > limits::telemetry_bytes || !whole)
      break;
    add_place({number, at.previous, at.offset});
    at.previous = last_written_ = number;
    at.offset = size_ = end;
  }
}

bool spill_file::make_room(std::uint64_t bytes) {
  if (size_ + tail_.size() + bytes <= most_bytes_)
    return true;
  if (!tail_.empty() || acknowledged_ < last_written_ || bytes > most_bytes_
      || ::ftruncate(file_, 0) != 0)
    return false;
  size_ = 0;
  index_.clear();
  since_index_ = 0;
  next_ = {};
  last_written_ = 0;
  return true;
}

bool spill_file::append(std::uint64_t number, std::string_view line) {
  if (line.size() > limits::telemetry_bytes || !make_room(head_bytes + line.size()))
    return false;
  if (tail_.empty())
    last_appended_ = last_written_;
  tail_places_.push_back({number, last_appended_, size_ + tail_.size()});
  last_appended_ = number;
  const auto length = static_cast<std::uint32_t>(line.size());
  tail_.append(reinterpret_cast<const char*>(&number), sizeof number);
  tail_.append(reinterpret_cast<const char*>(&length), sizeof length);
  tail_.append(line);
  return true;
}

std::uint64_t spill_file::flush() {
  if (tail_.empty())
    return 0;
  std::size_t done = 0;
  while (done < tail_.size()) {
    const auto n =
      ::pwrite(file_, tail_.data() + done, tail_.size() - done, static_cast<off_t>(size_ + done));
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      break;
    done += static_cast<std::size_t>(n);
  }
  std::uint64_t lost = 0;
  if (done == tail_.size()) {
    for (const auto& x : tail_places_)
      add_place(x);
    size_ += tail_.size();
    last_written_ = tail_places_.back().number;
  } else {
    // What was written in part is written over by what comes next.
    lost = tail_places_.size();
  }
  tail_.clear();
  tail_places_.clear();
  return lost;
}

spill_file::place spill_file::place_before(std::uint64_t after) const {
  if (next_.number != 0 && next_.number == after + 1)
    return next_;
  const auto later = std::upper_bound(index_.begin(), index_.end(), after + 1,
                                      [](std::uint64_t x, const place& p) { return x < p.number; });
  if (later == index_.begin())
    return index_.empty() ? place{} : index_.front();
  return *std::prev(later);
}

bool spill_file::read(std::uint64_t after, telemetry_batch& into) {
  into = {};
  if (after >= last_written_)
    return false;
  auto at = place_before(after);
  std::size_t bytes = 0;
  while (at.offset < size_) {
    buffer_.resize(std::min<std::uint64_t>(read_bytes, size_ - at.offset));
    const auto got = read_at(file_, at.offset, buffer_);
    std::size_t used = 0;
    while (got - used >= head_bytes) {
      const auto [number, length] = head_at(buffer_.data() + used);
      if (got - used - head_bytes < length)
        break;
      if (number > after) {
        const auto follows = into.lines.empty() || number == into.first + into.lines.size();
        if (!follows || into.lines.size() == limits::telemetry_lines
            || bytes + length > limits::telemetry_bytes) {
          next_ = {number, at.previous, at.offset};
          return true;
        }
        if (into.lines.empty()) {
          into.first = number;
          into.previous = at.previous;
        }
        into.lines.emplace_back(buffer_, used + head_bytes, length);
        bytes += length;
      }
      used += head_bytes + length;
      at.offset += head_bytes + length;
      at.previous = number;
    }
    if (used == 0)
      break;
  }
  next_ = {at.previous + 1, at.previous, at.offset};
  return !into.lines.empty();
}

} // namespace spillover::net
