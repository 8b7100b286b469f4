// What the wire costs: a record's way through the codec, and the transport's round trips and rates between two
// processes beside those of bare ZeroMQ sockets in the same run. With CURVE an idle request's round trip should
// take at most 2.5 times as long as over bare sockets.

#include "bench/processes.hpp"
#include "model/check.hpp"
#include "net/transport.hpp"

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <poll.h>
#include <unistd.h>
#include <zmq.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace {

using namespace spillover;
using namespace spillover::net;
using steady = std::chrono::steady_clock;

constexpr std::size_t client = 0;
constexpr std::size_t server = 1;

double seconds_since(steady::time_point begin) {
  return std::chrono::duration<double>(steady::now() - begin).count();
}

double median(std::vector<double> x) {
  std::sort(x.begin(), x.end());
  return x[x.size() / 2];
}

std::vector<timed_record> requests(std::size_t n) {
  std::vector<timed_record> result(n);
  for (std::size_t i = 0; i < n; ++i)
    result[i] = {
      {.to = 17, .what = op::request, .request = i, .sent = 1'000'000'000, .reply_to = 9, .arg = 3},
      run_start + std::chrono::seconds{2}};
  return result;
}

void report_codec(std::size_t n, std::size_t records) {
  codec writer{"us-east1", 1};
  codec reader{"us-west1", 1};
  const auto batch = requests(n);
  const auto rounds = records / n;
  std::size_t bytes = 0;
  auto begin = steady::now();
  for (std::size_t i = 0; i < rounds; ++i)
    bytes += writer.encode(batch).size();
  const auto encode = seconds_since(begin) * 1e9 / static_cast<double>(rounds * n);
  const std::string whole{writer.encode(batch)};
  const record_check accepts = [](const record& x) { return x.to < 1'000; };
  frame result;
  std::size_t read = 0;
  begin = steady::now();
  for (std::size_t i = 0; i < rounds; ++i)
    if (reader.decode(whole, accepts, result) == flaw::none)
      read += result.records.size();
  const auto decode = seconds_since(begin) * 1e9 / static_cast<double>(read);
  fmt::print("codec, batches of {:>3}: encode {:.1f} ns, decode {:.1f} ns, {:.1f} bytes a record\n",
             n, encode, decode, static_cast<double>(bytes) / static_cast<double>(rounds * n));
}

/// One end of a connection, and its inbox.
class end_point {
public:
  explicit end_point(transport_config config)
    : transport_(std::move(config), {[this] {
                                       const std::lock_guard lock{mutex_};
                                       woken_ = true;
                                       changed_.notify_one();
                                     },
                                     [](std::string_view x) { fmt::print(stderr, "{}\n", x); },
                                     {}}) {}

  transport* operator->() noexcept { return &transport_; }

  /// Waits for something to come, at most a moment, and takes it.
  const inbox& next() {
    {
      std::unique_lock lock{mutex_};
      changed_.wait_for(lock, std::chrono::milliseconds{100}, [&] { return woken_; });
      woken_ = false;
    }
    transport_.receive(got_);
    return got_;
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool woken_ = false;
  inbox got_;
  transport transport_;
};

transport_config config_of(std::size_t site, bool with_keys) {
  static const std::vector<std::string> sites{"clients-east", "us-east1"};
  static const std::vector<key_pair> pairs{make_key_pair(), make_key_pair()};
  transport_config x;
  x.site = sites[site];
  x.sites = sites;
  x.incarnation = 1;
  x.insecure = !with_keys;
  if (with_keys)
    x.keys =
      key_ring{pairs[site], {{sites[0], pairs[0].public_key}, {sites[1], pairs[1].public_key}}};
  return x;
}

/// Writes a line for the process that waits for it.
void tell(int file, const std::string& x) {
  const auto text = x + "\n";
  SPILLOVER_CHECK(::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
}

/// A client, and a server that sends every record back, in a process of its own.
class echo {
public:
  explicit echo(bool with_keys)
    : server_([config = config_of(server, with_keys)](int out) {
        bench::pin(server);
        end_point here{config};
        const auto& at = here->bound();
        for (const auto& x : {at.data, at.health, at.control})
          tell(out, x);
        while (true)
          if (const auto& got = here.next(); !got.records.empty())
            here->send(client, got.records);
      }),
      client_(config_of(client, with_keys)) {
    endpoints at;
    for (auto* x : {&at.data, &at.health, &at.control})
      *x = server_.line();
    SPILLOVER_CHECK(!client_->connect(server, at));
    // Connected, and heard of.
    for (std::size_t steps = 0; steps < 2;)
      steps += client_.next().peers.size();
  }

  /// @returns the median of so many round trips of one record, in microseconds.
  double round_trip(std::size_t times) {
    const auto one = requests(1);
    std::vector<double> taken;
    for (std::size_t i = 0; i < times; ++i) {
      const auto begin = steady::now();
      client_->send(server, one);
      while (client_.next().records.empty()) {}
      taken.push_back(seconds_since(begin) * 1e6);
    }
    return median(taken);
  }

  /// @returns records a second that come back, while so many are on their way.
  double rate(std::size_t records, std::size_t window) {
    const auto some = requests(512);
    std::size_t sent = 0;
    std::size_t back = 0;
    const auto begin = steady::now();
    while (back < records) {
      while (sent - back + some.size() <= window && sent < records)
        sent += client_->send(server, some);
      back += client_.next().records.size();
      // What was dropped by a full queue does not come back.
      if (seconds_since(begin) > 30)
        break;
    }
    return static_cast<double>(back) / seconds_since(begin);
  }

private:
  bench::child server_;
  end_point client_;
};

/// The same with bare sockets and messages of `bytes`.
class bare_echo {
public:
  bare_echo()
    : server_([](int out) {
        bench::pin(server);
        zmq::context_t context;
        zmq::socket_t router{context, zmq::socket_type::router};
        router.bind("tcp://127.0.0.1:*");
        tell(out, router.get(zmq::sockopt::last_endpoint));
        zmq::message_t id;
        zmq::message_t body;
        while (router.recv(id) && router.recv(body)) {
          router.send(id, zmq::send_flags::sndmore);
          router.send(body, zmq::send_flags::none);
        }
      }),
      dealer_(context_, zmq::socket_type::dealer) {
    dealer_.connect(server_.line());
  }

  /// @param pause before each; in it caches and branch predictors forget what the last one needed
  double round_trip(std::size_t times, std::size_t bytes, std::chrono::milliseconds pause = {}) {
    std::vector<double> taken;
    zmq::message_t back;
    for (std::size_t i = 0; i < times; ++i) {
      ::poll(nullptr, 0, static_cast<int>(pause.count()));
      const auto begin = steady::now();
      dealer_.send(zmq::message_t{bytes}, zmq::send_flags::none);
      if (dealer_.recv(back))
        taken.push_back(seconds_since(begin) * 1e6);
    }
    return median(taken);
  }

  double rate(std::size_t messages, std::size_t bytes, std::size_t window) {
    zmq::message_t back;
    std::size_t sent = 0;
    const auto begin = steady::now();
    for (std::size_t got = 0; got < messages; ++got) {
      for (; sent < messages && sent - got < window; ++sent)
        dealer_.send(zmq::message_t{bytes}, zmq::send_flags::none);
      if (!dealer_.recv(back))
        break;
    }
    return static_cast<double>(messages) / seconds_since(begin);
  }

private:
  bench::child server_;
  zmq::context_t context_;
  zmq::socket_t dealer_;
};

} // namespace

int main(int argc, char** argv) {
  CLI::App program{"Measures the wire format and the transport"};
  bool brief = false;
  program.add_flag("--short", brief, "A tenth of the work, for a quick look");
  CLI11_PARSE(program, argc, argv);
  const std::size_t scale = brief ? 1 : 10;

  for (const std::size_t n : {64U, 512U})
    report_codec(n, scale * 500'000);
  // Both processes are on a processor of their own, and neither falls asleep between two requests: what is
  // measured is the wire, not the machine's way of saving power.
  const bench::watch awake{2};
  bench::pin(client);
  constexpr std::size_t frame_bytes = 512 * 39 + 60;
  constexpr std::size_t window = 16'384;
  double bare_trip = 0;
  double bare_idle = 0;
  double bare_rate = 0;
  {
    bare_echo bare;
    bare_trip = bare.round_trip(scale * 500, 100);
    bare_idle = bare.round_trip(scale * 50, 100, std::chrono::milliseconds{10});
    bare_rate = 512 * bare.rate(scale * 300, frame_bytes, window / 512);
  }
  fmt::print("bare DEALER/ROUTER:  round trip p50 {:.0f} us, at 100 a second {:.0f} us; "
             "{:.2f} M records/s in frames of 512\n",
             bare_trip, bare_idle, bare_rate / 1e6);
  for (const auto with_keys : {false, true}) {
    echo x{with_keys};
    const auto trip = x.round_trip(scale * 500);
    const auto rate = x.rate(scale * 150'000, window);
    fmt::print(
      "transport, {:<9} round trip p50 {:.0f} us ({:.2f} of bare); {:.2f} M records/s ({:.2f} of bare)\n",
      with_keys ? "CURVE:" : "plain:", trip, trip / bare_trip, rate / 1e6, rate / bare_rate);
  }
  return 0;
}
