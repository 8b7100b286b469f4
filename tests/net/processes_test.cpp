// Three processes, of which some are killed and started again.

#include "net/keys.hpp"
#include "tests/net/folder.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace spillover::net {
namespace {

/// A process of `peer_process.cpp`. Dies with this object, by SIGKILL.
class child {
public:
  explicit child(std::vector<std::string> arguments) {
    std::array<int, 2> in{};
    std::array<int, 2> out{};
    if (::pipe(in.data()) != 0 || ::pipe(out.data()) != 0)
      return;
    arguments.insert(arguments.begin(), SPILLOVER_PEER_PROCESS);
    std::vector<char*> pointers;
    for (auto& x : arguments)
      pointers.push_back(x.data());
    pointers.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(in[0], STDIN_FILENO);
      ::dup2(out[1], STDOUT_FILENO);
      for (const auto x : {in[0], in[1], out[0], out[1]})
        ::close(x);
      ::execv(pointers[0], pointers.data());
      ::_exit(127);
    }
    ::close(in[0]);
    ::close(out[1]);
    in_ = in[1];
    out_ = out[0];
  }
  ~child() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    ::close(in_);
    ::close(out_);
  }
  child(const child&) = delete;
  child& operator=(const child&) = delete;

  void say(const std::string& line) const {
    const auto text = line + "\n";
    EXPECT_EQ(::write(in_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }

  /// Waits until it has said what `done` looks for among all its lines, or for too long.
  bool hears(const std::function<bool(const std::vector<std::string>&)>& done) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{20};
    while (!done(lines)) {
      pollfd file{out_, POLLIN, 0};
      if (std::chrono::steady_clock::now() > until || ::poll(&file, 1, 1'000) < 0)
        return false;
      std::array<char, 4096> buffer{};
      const auto n = file.revents == 0 ? 0 : ::read(out_, buffer.data(), buffer.size());
      if (file.revents != 0 && n <= 0)
        return done(lines);
      rest_.append(buffer.data(), static_cast<std::size_t>(n));
      for (auto end = rest_.find('\n'); end != std::string::npos; end = rest_.find('\n')) {
        lines.push_back(rest_.substr(0, end));
        rest_.erase(0, end + 1);
      }
    }
    return true;
  }

  bool hears(const std::string& line, std::ptrdiff_t times = 1) {
    return hears([&](const auto& x) { return std::count(x.begin(), x.end(), line) >= times; });
  }

  /// Waits until the last words of all lines that begin with `start` add up to `sum`.
  bool hears_sum(const std::string& start, std::uint64_t sum) {
    return hears([&](const auto&) { return total(start) >= sum; }) && total(start) == sum;
  }

  [[nodiscard]] std::uint64_t total(const std::string& start) const {
    std::uint64_t result = 0;
    for (const auto& x : lines)
      if (x.starts_with(start))
        result += std::stoull(x.substr(x.rfind(' ') + 1));
    return result;
  }

  /// @returns the number behind `start` in the first line that begins so; 0 when there is none.
  [[nodiscard]] std::uint64_t first(const std::string& start) const {
    const auto at = std::find_if(lines.begin(), lines.end(),
                                 [&](const std::string& x) { return x.starts_with(start); });
    return at == lines.end() ? 0 : std::stoull(at->substr(start.size()));
  }

  /// @returns where it listens, once it does.
  std::string bound() {
    EXPECT_TRUE(hears([](const auto& x) { return !x.empty(); }));
    return lines.empty() ? "" : lines.front().substr(std::string{"bound "}.size());
  }

  std::vector<std::string> lines;

private:
  pid_t pid_ = -1;
  int in_ = -1;
  int out_ = -1;
  std::string rest_;
};

class ProcessesTest : public testing::Test {
protected:
  void SetUp() override {
    const std::vector<std::string> sites{"director", "us-east1", "clients-east"};
    ASSERT_EQ(make_keys(here_ / "keys", sites), std::nullopt);
    director_ = start("director", 1);
    east_ = start("us-east1", 1);
    clients_ = start("clients-east", 1);
    for (auto* x : {east_.get(), clients_.get()})
      x->say("connect director " + director_->bound());
    clients_->say("connect us-east1 " + east_->bound());
    ASSERT_TRUE(clients_->hears("step us-east1 back"));
    ASSERT_TRUE(clients_->hears("step us-east1 connected"));
    ASSERT_TRUE(east_->hears("step clients-east connected"));
    ASSERT_TRUE(east_->hears("step director back"));
  }

  std::unique_ptr<child> start(const std::string& site, int incarnation,
                               const std::vector<std::string>& more = {}) {
    const auto number = std::to_string(incarnation);
    std::vector<std::string> arguments{(here_ / "keys").string(), site, number,
                                       (here_ / (site + number)).string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return std::make_unique<child>(arguments);
  }

  test::folder here_;
  std::unique_ptr<child> director_;
  std::unique_ptr<child> east_;
  std::unique_ptr<child> clients_;
};

TEST_F(ProcessesTest, TheMiddleOneIsKilledAndComesBackElsewhere) {
  clients_->say("send us-east1 1000");
  EXPECT_TRUE(east_->hears_sum("records clients-east ", 1'000));
  east_->say("publish clients-east 7");
  EXPECT_TRUE(clients_->hears("state us-east1 1 7"));
  east_->say("report 100");
  EXPECT_TRUE(director_->hears_sum("lines us-east1 1 ", 100));

  east_.reset();
  ASSERT_TRUE(clients_->hears("step us-east1 disconnected"));
  ASSERT_TRUE(director_->hears("step us-east1 disconnected"));
  clients_->say("send us-east1 10");
  clients_->say("order us-east1");
  ASSERT_TRUE(clients_->hears([&](const auto& x) {
    clients_->say("dropped us-east1");
    return std::find(x.begin(), x.end(), "dropped 10") != x.end();
  }))
    << "what is sent to nobody is counted";

  east_ = start("us-east1", 2);
  const auto there = east_->bound();
  east_->say("connect director " + director_->bound());
  clients_->say("connect us-east1 " + there);
  ASSERT_TRUE(clients_->hears("step us-east1 restarted"));
  ASSERT_TRUE(clients_->hears("step us-east1 connected", 2));
  ASSERT_TRUE(east_->hears("step director back"));
  clients_->say("send us-east1 5");
  EXPECT_TRUE(east_->hears_sum("records clients-east ", 5)) << "nothing of before comes late";
  EXPECT_TRUE(clients_->hears("result us-east1 done")) << "the command waited for it";
  east_->say("publish clients-east 1");
  EXPECT_TRUE(clients_->hears("state us-east1 2 1")) << "generations begin anew";
  east_->say("report 50");
  EXPECT_TRUE(director_->hears_sum("lines us-east1 2 ", 50));
  EXPECT_EQ(director_->first("lines us-east1 2 "), 1U) << "lines begin anew";
  EXPECT_EQ(clients_->total("step us-east1 lost"), 0U);
}

TEST_F(ProcessesTest, ADirectorThatComesBackGetsTheLinesThatItLacks) {
  east_->say("report 3000");
  ASSERT_TRUE(director_->hears_sum("lines us-east1 1 ", 3'000));
  director_.reset();
  ASSERT_TRUE(east_->hears("step director disconnected"));
  east_->say("report 500");
  clients_->say("report 20");
  // It had kept 1,200 lines of this process, and some of an earlier process of the other site, it believes.
  director_ = start("director", 2, {"us-east1", "1", "1200"});
  for (auto* x : {east_.get(), clients_.get()})
    x->say("connect director " + director_->bound());
  EXPECT_TRUE(director_->hears_sum("lines us-east1 1 ", 2'300));
  EXPECT_TRUE(director_->hears_sum("lines clients-east 1 ", 20));
  EXPECT_EQ(director_->first("lines us-east1 1 "), 1'201U);
}

TEST_F(ProcessesTest, LinesOfAnotherProcessDoNotCount) {
  director_.reset();
  ASSERT_TRUE(east_->hears("step director disconnected"));
  east_->say("report 30");
  director_ = start("director", 2, {"us-east1", "9", "20"});
  east_->say("connect director " + director_->bound());
  EXPECT_TRUE(director_->hears_sum("lines us-east1 1 ", 30));
  EXPECT_EQ(director_->first("lines us-east1 1 "), 1U);
}

} // namespace
} // namespace spillover::net
