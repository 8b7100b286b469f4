#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace spillover::net::test {

/// A folder of its own, mode 0700, that goes when the test does.
class folder {
public:
  folder() {
    auto name = (std::filesystem::temp_directory_path() / "spillover-net-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr)
      path_ = name;
  }
  ~folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  folder(const folder&) = delete;
  folder& operator=(const folder&) = delete;

  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const {
    return path_ / name;
  }
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

private:
  std::filesystem::path path_;
};

} // namespace spillover::net::test
