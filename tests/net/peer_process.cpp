// A site without a life of its own: it does what its standard input says, and says on its standard output
// what it hears. `processes_test.cpp` starts several, and kills some.

#include "actors/wake_event.hpp"
#include "net/transport.hpp"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <utility>
#include <variant>

namespace spillover::net {
namespace {

const char* name_of(peer_step x) {
  constexpr std::array<const char*, peer_step_count> names{"back", "lost", "restarted", "connected",
                                                           "disconnected"};
  return names[static_cast<std::size_t>(x)];
}

class peer_process {
public:
  peer_process(transport_config config)
    : config_(config),
      transport_(
        std::move(config),
        {[this] { wake_.set(); }, [](std::string_view x) { std::cerr << x << '\n'; }, {}}) {
    const auto& at = transport_.bound();
    std::cout << "bound " << at.data << ' ' << at.health << ' ' << at.control << ' ' << at.telemetry
              << std::endl;
  }

  /// Until the standard input ends.
  void run() {
    for (std::string rest; true;) {
      std::array<pollfd, 2> files{{{STDIN_FILENO, POLLIN, 0}, {wake_.file(), POLLIN, 0}}};
      ::poll(files.data(), files.size(), 50);
      wake_.clear();
      listen();
      if (files[0].revents == 0)
        continue;
      std::array<char, 4096> buffer{};
      const auto n = ::read(STDIN_FILENO, buffer.data(), buffer.size());
      if (n <= 0)
        return;
      rest.append(buffer.data(), static_cast<std::size_t>(n));
      for (auto end = rest.find('\n'); end != std::string::npos; end = rest.find('\n')) {
        obey(rest.substr(0, end));
        rest.erase(0, end + 1);
      }
    }
  }

private:
  void obey(const std::string& line) {
    std::istringstream words{line};
    std::string what;
    std::string whom;
    words >> what >> whom;
    const auto peer = transport_.find(whom);
    std::uint64_t number = 0;
    if (what == "connect" && peer) {
      endpoints at;
      words >> at.data >> at.health >> at.control >> at.telemetry;
      if (const auto problem = transport_.connect(*peer, at))
        std::cout << "problem " << *problem << std::endl;
    } else if (what == "send" && peer && words >> number) {
      const std::vector<timed_record> records(
        number, {{.to = 5, .what = op::request, .request = 1}, run_start + config_.heartbeat});
      transport_.send(*peer, records);
    } else if (what == "publish" && peer && words >> number) {
      transport_.publish(*peer, {.resource = "checkout",
                                 .region = config_.site,
                                 .state = health::healthy,
                                 .generation = number});
    } else if (what == "order" && peer) {
      transport_.order(*peer, "fault", "");
    } else if (what == "report") {
      for (number = std::stoull(whom); number > 0; --number)
        transport_.report("a line of " + config_.site);
    } else if (what == "dropped" && peer) {
      const auto counted = transport_.count();
      const auto& x = counted.sites[*peer].on(plane::data);
      std::cout << "dropped " << x.of(drop::unreachable) + x.of(drop::peer_lost) << std::endl;
    }
  }

  void listen() {
    transport_.receive(fresh_);
    const auto& sites = config_.sites;
    for (const auto& x : fresh_.peers)
      std::cout << "step " << sites[x.peer] << ' ' << name_of(x.step) << std::endl;
    for (const auto& x : fresh_.batches)
      std::cout << "records " << sites[x.from] << ' ' << x.count << std::endl;
    for (const auto& x : fresh_.health)
      std::cout << "state " << sites[x.from] << ' ' << x.incarnation << ' ' << x.state.generation
                << std::endl;
    for (const auto& x : fresh_.commands)
      transport_.answer(x, "", "done");
    for (const auto& x : fresh_.results)
      std::cout << "result " << sites[x.to] << ' ' << x.body << std::endl;
    for (const auto& x : fresh_.telemetry)
      std::cout << "lines " << sites[x.from] << ' ' << x.incarnation << ' ' << x.first << ' '
                << x.lines.size() << std::endl;
  }

  transport_config config_;
  wake_event wake_;
  inbox fresh_;
  transport transport_;
};

/// @param arguments the folder of keys, the site, its incarnation, its spill file, and what the collector has
///        of one site: its name, the process, the lines
int run(const std::vector<std::string>& arguments) {
  auto keys = read_keys(arguments.at(0), arguments.at(1));
  if (const auto* problem = std::get_if<std::string>(&keys)) {
    std::cerr << *problem << '\n';
    return 2;
  }
  transport_config x;
  x.site = arguments.at(1);
  x.sites = {"director", "us-east1", "clients-east"};
  x.incarnation = std::stoull(arguments.at(2));
  x.spill = arguments.at(3);
  x.keys = std::get<key_ring>(keys);
  x.collector = "director";
  x.heartbeat = std::chrono::milliseconds{100};
  // So late that whoever is noticed earlier is noticed by its connections.
  x.lost_after = std::chrono::seconds{30};
  x.reconnect_most = std::chrono::milliseconds{100};
  x.telemetry_again = std::chrono::milliseconds{200};
  if (arguments.size() > 6)
    x.collected[arguments[4]] = {std::stoull(arguments[5]), std::stoull(arguments[6])};
  peer_process{x}.run();
  return 0;
}

} // namespace
} // namespace spillover::net

int main(int argc, char** argv) {
  try {
    return spillover::net::run({argv + 1, argv + argc});
  } catch (const std::exception& x) {
    std::cerr << x.what() << '\n';
    return 3;
  }
}
