#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace spillover::net {

/// A CURVE key pair, both halves as 40 characters of Z85 (ZeroMQ RFC 32).
struct key_pair {
  std::string public_key;
  std::string secret_key;
};

/// @returns a new pair.
key_pair make_key_pair();

/// Stands beside the sites: whoever asks the director from outside. No site has this name.
inline constexpr std::string_view operator_name = "operator";

/// A site that may take part, and the public key that it proves itself with.
struct authorised_site {
  std::string site;
  std::string public_key;
  friend bool operator==(const authorised_site&, const authorised_site&) = default;
};

/// What one site needs to know of a deployment's keys. A site shows the same pair wherever it connects, and
/// to whoever connects to it: there is no key that two sites share.
struct key_ring {
  key_pair own;
  /// Every site of the deployment, this one included; no name and no key twice.
  std::vector<authorised_site> authorised;
};

/// Makes a key pair for each site of a deployment.
///
/// The folder gets `SITE.key` for each, which only that site should have, and `authorised`, the list of
/// sites and public keys, which all need. It is made with mode 0700 and its files with 0600; an existing
/// folder must be ours alone.
/// @param sites at least one; each of letters, digits, `.`, `_` and `-`, and not starting with `.`
/// @returns what went wrong, in one line; files that exist are never overwritten
std::optional<std::string> make_keys(const std::filesystem::path& folder,
                                     std::span<const std::string> sites);

/// Reads what `site` needs from a folder that `make_keys` made.
/// @returns the keys, or what is wrong in one line: missing, malformed or contradicting files, and files or
///          folders that others than root could read (`SITE.key`) or write
std::variant<key_ring, std::string> read_keys(const std::filesystem::path& folder,
                                              const std::string& site);

} // namespace spillover::net
