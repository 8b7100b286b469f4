#include "sweeps/file_lock.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace spillover {

namespace {

/// @returns whether the path still leads to the open file: who held the lock before removed it.
bool same_file(const std::filesystem::path& place, int descriptor) {
  struct stat by_name {};
  struct stat open {};
  return ::stat(place.c_str(), &by_name) == 0 && ::fstat(descriptor, &open) == 0
         && by_name.st_ino == open.st_ino && by_name.st_dev == open.st_dev;
}

} // namespace

file_lock::file_lock(std::filesystem::path place, int descriptor)
  : place_(std::move(place)), descriptor_(descriptor) {}

file_lock::file_lock(file_lock&& other) noexcept
  : place_(std::move(other.place_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

file_lock::~file_lock() {
  if (descriptor_ < 0)
    return;
  ::unlink(place_.c_str());
  ::close(descriptor_);
}

std::optional<file_lock> file_lock::take(const std::filesystem::path& file) {
  // Whatever links lead there: the one that is written to is the one that is locked.
  auto place = std::filesystem::weakly_canonical(file);
  place += ".lock";
  for (;;) {
    const auto descriptor = ::open(place.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor < 0)
      throw std::system_error{errno, std::generic_category(), place.string()};
    // A record lock: a copy of this process, made by fork, does not hold it.
    struct flock how {};
    how.l_type = F_WRLCK;
    how.l_whence = SEEK_SET;
    if (::fcntl(descriptor, F_SETLK, &how) != 0) {
      const auto error = errno;
      ::close(descriptor);
      if (error == EACCES || error == EAGAIN)
        return std::nullopt;
      throw std::system_error{error, std::generic_category(), place.string()};
    }
    if (same_file(place, descriptor))
      return file_lock{std::move(place), descriptor};
    ::close(descriptor);
  }
}

} // namespace spillover
