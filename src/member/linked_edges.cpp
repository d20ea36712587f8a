#include "member/linked_edges.h"

#include "base/check.h"
#include "member/final_rendezvous.h"
#include "member/link_keeper.h"

#include <map>

namespace grapevine::member {
namespace {

class LinkedEdges : public Edges {
 public:
  LinkedEdges(
      std::shared_ptr<net::KeyValueStore> store,
      std::shared_ptr<net::GroupFactory> factory,
      LinkedEdgesOptions options)
      : store_(std::move(store)),
        factory_(std::move(factory)),
        options_(std::move(options)) {
    for (const int neighbour : options_.neighbours) {
      GV_CHECK_GE(neighbour, 0);
      GV_CHECK_LT(neighbour, options_.size);
      GV_CHECK(neighbour != options_.rank);
      links_[neighbour];
    }
    life_ = store_->add(net::life_key(options_.rank), 1);
    store_->add(net::kNewsKey, 1); // a former life learns of it
    keeper_ = std::make_unique<LinkKeeper>(
        *store_,
        *factory_,
        LinkKeeper::Options{
            .rank = options_.rank,
            .size = options_.size,
            .life = life_,
            .neighbours = options_.neighbours,
            .connect_seconds = options_.connect_seconds});
    rendezvous_ = std::make_unique<FinalRendezvous>(
        *store_,
        *factory_,
        FinalRendezvous::Self{options_.rank, options_.size, life_});
  }

  int rank() const override { return options_.rank; }
  int size() const override { return options_.size; }
  std::string name() const override { return options_.name; }
  bool survives_loss() const override { return true; }

  Edge edge(int rank) override {
    const Link& link = link_to(rank);
    if (link.transport == nullptr) return {};
    // Two ranks: the lower worker is 0.
    return {
        .transport = link.transport.get(),
        .peer = options_.rank < rank ? 1 : 0};
  }

  std::vector<EdgeChange> changes() override {
    std::vector<EdgeChange> changes;
    if (keeper_ == nullptr) return changes;
    for (LinkEvent& event : keeper_->take_events()) {
      const bool is_linked = event.transport != nullptr;
      links_[event.rank] = {std::move(event.transport), event.link};
      changes.push_back(
          {.rank = event.rank,
           .linked = is_linked,
           .why = std::move(event.why)});
    }
    return changes;
  }

  void lose(int rank, const std::string& /*why*/) override {
    Link& link = link_to(rank);
    if (link.transport == nullptr) return;
    link.transport.reset();
    keeper_->lose(rank, link.id);
  }

  std::vector<int> ended() override {
    return keeper_ == nullptr ? std::vector<int>() : keeper_->ended();
  }

  void show_progress(int64_t gradients) override {
    if (keeper_ != nullptr) keeper_->show_progress(gradients);
  }

  bool is_gathering() override { return rendezvous_->has_begun(); }

  Gathering gather(Deadline deadline) override {
    keeper_.reset();
    for (auto& [rank, link] : links_)
      link.transport.reset();
    return rendezvous_->gather(deadline);
  }

  std::optional<bool> conclude() override { return rendezvous_->conclude(); }
  bool is_concluded() override { return rendezvous_->is_concluded(); }

 private:
  struct Link {
    std::unique_ptr<net::Transport> transport;
    int64_t id = 0;
  };

  Link& link_to(int rank) {
    const auto found = links_.find(rank);
    GV_CHECK(found != links_.end());
    return found->second;
  }

  std::shared_ptr<net::KeyValueStore> store_;
  std::shared_ptr<net::GroupFactory> factory_;
  LinkedEdgesOptions options_;
  int64_t life_ = 0;
  std::map<int, Link> links_;          // by neighbour
  std::unique_ptr<LinkKeeper> keeper_; // until the gathering
  std::unique_ptr<FinalRendezvous> rendezvous_;
};

} // namespace

std::unique_ptr<Edges> make_linked_edges(
    std::shared_ptr<net::KeyValueStore> store,
    std::shared_ptr<net::GroupFactory> factory,
    LinkedEdgesOptions options) {
  return std::make_unique<LinkedEdges>(
      std::move(store),
      std::move(factory),
      std::move(options));
}

} // namespace grapevine::member
