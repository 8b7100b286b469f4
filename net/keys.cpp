#include "net/keys.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zmq.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

namespace spillover::net {

namespace {

constexpr std::size_t key_characters = 40;
constexpr std::size_t most_bytes = 1U << 20U;

std::string text_of(int error) {
  return std::generic_category().message(error);
}

bool is_site_name(std::string_view x) {
  constexpr std::string_view others = "._-";
  return !x.empty() && x.size() <= 200 && x.front() != '.'
         && std::all_of(x.begin(), x.end(), [&](char c) {
              return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
                     || others.find(c) != std::string_view::npos;
            });
}

bool is_key(const std::string& x) {
  std::array<std::uint8_t, 32> binary{};
  return x.size() == key_characters && zmq_z85_decode(binary.data(), x.c_str()) != nullptr;
}

std::filesystem::path key_file(const std::filesystem::path& folder, const std::string& site) {
  return folder / (site + ".key");
}

/// What is wrong with a file's owner and mode, if anything.
std::optional<std::string> check_mode(const struct stat& x, unsigned forbidden) {
  // What root could change, root could change anyhow: secrets of orchestrators are mounted as root's.
  if (x.st_uid != ::geteuid() && x.st_uid != 0)
    return "belongs to another user";
  if ((x.st_mode & forbidden) != 0)
    return (forbidden & 0044U) != 0 ? "can be read or written by others (chmod go= it)"
                                    : "can be written by others (chmod go-w it)";
  return std::nullopt;
}

std::optional<std::string> check_folder(const std::filesystem::path& folder, unsigned forbidden) {
  struct stat found {};
  if (::stat(folder.c_str(), &found) != 0)
    return folder.string() + ": " + text_of(errno);
  if (!S_ISDIR(found.st_mode))
    return folder.string() + ": is no folder";
  if (const auto problem = check_mode(found, forbidden))
    return folder.string() + ": " + *problem;
  return std::nullopt;
}

std::optional<std::string> write_file(const std::filesystem::path& path, const std::string& text) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0)
    return path.string() + ": " + text_of(errno);
  const auto written = ::write(file, text.data(), text.size());
  const auto error = errno;
  ::close(file);
  if (written == static_cast<ssize_t>(text.size()))
    return std::nullopt;
  return path.string() + ": " + (written < 0 ? text_of(error) : "was not written whole");
}

/// The text of a file, or what is wrong with it.
std::variant<std::string, std::string_view> read_all(int file) {
  std::string text;
  std::array<char, 4096> buffer{};
  for (;;) {
    const auto n = ::read(file, buffer.data(), buffer.size());
    if (n < 0)
      return std::string_view{"cannot be read"};
    if (n == 0)
      return text;
    text.append(buffer.data(), static_cast<std::size_t>(n));
    if (text.size() > most_bytes)
      return std::string_view{"is too long"};
  }
}

struct file_text {
  std::string text;
  std::optional<std::string> problem = std::nullopt;
};

file_text read_file(const std::filesystem::path& path, unsigned forbidden) {
  const auto wrong = [&](const std::string& why) {
    return file_text{"", path.string() + ": " + why};
  };
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0)
    return wrong(errno == ELOOP ? "is a link" : text_of(errno));
  struct stat found {};
  auto problem = ::fstat(file, &found) != 0 ? std::optional{text_of(errno)}
                 : !S_ISREG(found.st_mode)  ? std::optional<std::string>{"is no file"}
                                            : check_mode(found, forbidden);
  auto content = read_all(file);
  ::close(file);
  if (problem)
    return wrong(*problem);
  if (const auto* why = std::get_if<std::string_view>(&content))
    return wrong(std::string{*why});
  return {std::move(std::get<std::string>(content))};
}

/// The words of a text's lines; a line that begins with # is a comment.
std::vector<std::vector<std::string>> words_of(const std::string& text) {
  std::vector<std::vector<std::string>> result;
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.front() == '#')
      continue;
    std::istringstream words{line};
    auto& row = result.emplace_back();
    for (std::string word; words >> word;)
      row.push_back(word);
  }
  return result;
}

std::variant<key_pair, std::string> read_pair(const std::filesystem::path& path) {
  const auto file = read_file(path, 0077);
  if (file.problem)
    return *file.problem;
  key_pair result;
  for (const auto& row : words_of(file.text)) {
    if (row.size() != 2 || !is_key(row[1]) || (row[0] != "public" && row[0] != "secret"))
      return path.string() + ": is no key file";
    (row[0] == "public" ? result.public_key : result.secret_key) = row[1];
  }
  std::array<char, key_characters + 1> derived{};
  if (result.secret_key.empty() || zmq_curve_public(derived.data(), result.secret_key.c_str()) != 0
      || result.public_key != derived.data())
    return path.string() + ": the public key does not belong to the secret key";
  return result;
}

std::variant<std::vector<authorised_site>, std::string>
read_authorised(const std::filesystem::path& path) {
  const auto file = read_file(path, 0022);
  if (file.problem)
    return *file.problem;
  std::vector<authorised_site> result;
  std::set<std::string> seen;
  for (const auto& row : words_of(file.text)) {
    if (row.size() != 2 || !is_site_name(row[0]) || !is_key(row[1]))
      return path.string() + ": is no list of sites and keys";
    if (!seen.insert(row[0]).second || !seen.insert("=" + row[1]).second)
      return path.string() + ": " + row[0] + ": its name or its key stands there twice";
    result.push_back({row[0], row[1]});
  }
  return result;
}

} // namespace

key_pair make_key_pair() {
  std::array<char, key_characters + 1> public_key{};
  std::array<char, key_characters + 1> secret_key{};
  if (zmq_curve_keypair(public_key.data(), secret_key.data()) != 0)
    throw std::system_error{errno, std::generic_category(), "cannot make a CURVE key"};
  return {public_key.data(), secret_key.data()};
}

std::optional<std::string> make_keys(const std::filesystem::path& folder,
                                     std::span<const std::string> sites) {
  if (sites.empty())
    return "there is no site to make a key for";
  std::set<std::string> seen;
  for (const auto& x : sites) {
    if (!is_site_name(x))
      return "'" + x
             + "' is no name of a site: --sites takes names such as us-east1, separated by commas, of "
               "letters, digits, '.', '_' and '-'";
    if (!seen.insert(x).second)
      return "'" + x + "' is named twice";
  }
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    return folder.string() + ": " + text_of(errno);
  if (auto problem = check_folder(folder, 0077))
    return problem;
  // Looked for first, so that a second try does not leave keys that no list names.
  for (const auto& x : sites)
    if (std::filesystem::exists(std::filesystem::symlink_status(key_file(folder, x))))
      return key_file(folder, x).string() + ": exists, and is not overwritten";
  std::string list = "# The sites of this deployment and their public keys.\n";
  std::vector<key_pair> pairs;
  for (const auto& x : sites) {
    pairs.push_back(make_key_pair());
    list.append(x).append(" ").append(pairs.back().public_key).append("\n");
  }
  if (auto problem = write_file(folder / "authorised", list))
    return problem;
  for (std::size_t i = 0; i < sites.size(); ++i)
    if (auto problem =
          write_file(key_file(folder, sites[i]),
                     "public " + pairs[i].public_key + "\nsecret " + pairs[i].secret_key + "\n"))
      return problem;
  return std::nullopt;
}

std::variant<key_ring, std::string> read_keys(const std::filesystem::path& folder,
                                              const std::string& site) {
  if (!is_site_name(site))
    return "'" + site + "' is no name of a site";
  if (const auto problem = check_folder(folder, 0022))
    return *problem;
  auto pair = read_pair(key_file(folder, site));
  if (auto* problem = std::get_if<std::string>(&pair))
    return *problem;
  auto authorised = read_authorised(folder / "authorised");
  if (auto* problem = std::get_if<std::string>(&authorised))
    return *problem;
  key_ring result{std::get<key_pair>(pair), std::get<std::vector<authorised_site>>(authorised)};
  const authorised_site own{site, result.own.public_key};
  if (std::find(result.authorised.begin(), result.authorised.end(), own) == result.authorised.end())
    return (folder / "authorised").string() + ": does not name " + site + " with its key";
  return result;
}

} // namespace spillover::net
