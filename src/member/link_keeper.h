// Keeps the links of one worker: a thread that reads the neighbours' notes in
// the store, agrees with them (member/handshake.h) and has the links made.
//
// The store is asked for one number five times a second; notes are read only
// after that has changed. Links that were handed out are never touched here:
// what happens to them is told as events, in order.
#pragma once

#include "member/attempts.h"
#include "member/handshake.h"
#include "net/key_value_store.h"
#include "net/wrap.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace grapevine::member {

// A link that has come about (with a transport), or is no more (without).
struct LinkEvent {
  int rank = -1;
  int64_t link = 0; // its number in this worker, from 1
  std::string why;
  std::unique_ptr<net::Transport> transport;
};

class LinkKeeper {
 public:
  struct Options {
    int rank = 0;
    int size = 1;     // of the run
    int64_t life = 1; // of this worker
    std::vector<int> neighbours;
    // Of one attempt to connect, once both sides want it.
    std::chrono::duration<double> connect_seconds{10};
    std::chrono::milliseconds period{200}; // of looking in the store
  };

  // Both must outlive this.
  LinkKeeper(
      net::KeyValueStore& store,
      net::GroupFactory& factory,
      Options options);
  // Gives up what is being connected, and waits for that.
  ~LinkKeeper();
  LinkKeeper(const LinkKeeper&) = delete;
  LinkKeeper& operator=(const LinkKeeper&) = delete;

  // What has happened since the last call.
  std::deque<LinkEvent> take_events();
  // Who of the run has ended for good, as last read.
  std::vector<int> ended() const;
  // Is written in the store once others gather there, who see that it changes.
  void show_progress(int64_t progress) { progress_ = progress; }
  // The user of this link has closed it. What was to be told of it is not.
  void lose(int rank, int64_t link);

 private:
  struct Neighbour {
    int rank;
    Handshake handshake;
    WorkerNote note;       // as last read
    std::string lost_mark; // the same
    std::unique_ptr<Attempt> attempt;
    int failures = 0; // in a row
    int64_t link = 0;
  };

  void run();
  // One look at everything; throws what the store does.
  void look();
  void read_store();
  void read_who_has_ended();
  void finish_attempt(Neighbour& neighbour);
  void take_losses();
  void act(Neighbour& neighbour);
  void begin_attempt(Neighbour& neighbour);
  void close(Neighbour& neighbour, const std::string& why);
  void publish();
  void publish_progress();
  void leave_to_successor();

  net::KeyValueStore& store_;
  net::GroupFactory& factory_;
  const Options options_;

  // Of the thread.
  std::vector<Neighbour> neighbours_;
  int64_t news_ = -1; // seen last
  int64_t lost_count_ = 0;
  bool others_gather_ = false;
  int64_t published_progress_ = 0;
  std::string published_; // what the others can read
  bool is_published_ = false;
  int64_t links_ = 0;
  bool is_superseded_ = false; // by a newer life of this worker

  std::atomic<int64_t> progress_ = 0;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_.
  bool stop_ = false;
  bool is_awake_ = false; // there is something to look at now
  std::deque<LinkEvent> events_;
  std::vector<std::pair<int, int64_t>> losses_;
  std::vector<int> ended_;

  std::thread thread_; // last: it uses the others
};

} // namespace grapevine::member
