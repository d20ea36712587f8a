// The verb `edges` of transport_worker: keeps exchanging messages with every
// neighbour that is linked, loses those that fail or fall silent, and goes on.
//
// For the test to watch, in OUT: RANK.talk holds a line "PEER MESSAGES LINKS"
// for each neighbour, written anew every few milliseconds; RANK.way says "near"
// if the last link is through shared memory, else "far". Once the file `end`
// is there, it gathers, does the exercise over those that came, and leaves
// RANK.members.
#pragma once

#include "member/edges.h"
#include "net/exercise.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>

namespace grapevine::net::testing {

using member::Edge;
using member::EdgeChange;
using member::Edges;
using member::Gathering;

class EdgeWorker {
 public:
  EdgeWorker(
      Edges& edges,
      std::vector<int> neighbours,
      std::string out,
      std::chrono::duration<double> deadline)
      : edges_(edges),
        out_(std::move(out)),
        deadline_(deadline) {
    for (const int rank : neighbours)
      talks_[rank];
  }

  void run() {
    while (!std::filesystem::exists(out_ + "/end")) {
      for (const EdgeChange& change : edges_.changes())
        note(change);
      for (auto& [rank, talk] : talks_)
        advance(rank, talk);
      report();
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    const Gathering gathering = edges_.gather(Deadline::after(deadline_));
    Exercise(*gathering.transport).run();
    std::string members;
    for (const int rank : gathering.members)
      members += fmt::format("{} ", rank);
    write("members", members);
  }

 private:
  static constexpr size_t kLength = 10000;

  struct Talk {
    int messages = 0; // in all
    int links = 0;
    int message = 0; // of this link
    bool is_busy = false;
    Bytes out;
    Bytes in = Bytes(kLength);
    std::optional<Request> sent;
    std::optional<Request> received;
    Deadline until = Deadline::after(std::chrono::seconds(0));
  };

  void note(const EdgeChange& change) {
    Talk& talk = talks_[change.rank];
    // Only transports through shared memory want to be moved on.
    if (change.linked && edges_.edge(change.rank).linked()) {
      const bool is_near = edges_.edge(change.rank).transport->progress();
      write("way", is_near ? "near" : "far");
    }
    talk.is_busy = false;
    talk.message = 0;
    if (change.linked) ++talk.links;
  }

  void advance(int rank, Talk& talk) {
    const Edge edge = edges_.edge(rank);
    if (!edge.linked()) return;
    try {
      if (!talk.is_busy) begin(edge, rank, talk);
      if (talk.sent && edge.transport->test(*talk.sent)) talk.sent.reset();
      if (talk.received && edge.transport->test(*talk.received))
        talk.received.reset();
      if (!talk.sent && !talk.received) {
        expect_bytes(talk.in, rank, edges_.rank(), talk.message);
        ++talk.message;
        ++talk.messages;
        talk.is_busy = false;
      } else if (talk.until.passed()) {
        lose(rank, talk, "no answer");
      }
    } catch (const TransportError& error) {
      lose(rank, talk, error.what());
    }
  }

  void begin(const Edge& edge, int rank, Talk& talk) {
    talk.out = make_bytes(edges_.rank(), rank, talk.message, kLength);
    talk.received = edge.transport->recv(talk.in, edge.peer, 1);
    talk.sent = edge.transport->send(talk.out, edge.peer, 1);
    talk.is_busy = true;
    talk.until = Deadline::after(deadline_);
  }

  void lose(int rank, Talk& talk, const std::string& why) {
    edges_.lose(rank, why);
    talk.is_busy = false;
    talk.message = 0;
    std::ofstream(
        fmt::format("{}/{}.losses", out_, edges_.rank()),
        std::ios::app)
        << rank << ": " << why << std::endl;
  }

  void report() {
    std::string text;
    for (const auto& [rank, talk] : talks_)
      text += fmt::format("{} {} {}\n", rank, talk.messages, talk.links);
    write("talk", text);
  }

  void write(const char* ending, const std::string& text) {
    const auto path = fmt::format("{}/{}.{}", out_, edges_.rank(), ending);
    std::ofstream(path + ".new") << text << std::flush;
    std::filesystem::rename(path + ".new", path);
  }

  Edges& edges_;
  std::string out_;
  std::chrono::duration<double> deadline_;
  std::map<int, Talk> talks_;
};

} // namespace grapevine::net::testing
