// A transport that does what another one does: what a test changes about one
// is overridden.
#pragma once

#include "net/transport.h"

#include <memory>
#include <utility>

namespace grapevine::net::testing {

class ForwardingTransport : public Transport {
 public:
  explicit ForwardingTransport(std::shared_ptr<Transport> inner)
      : inner_(std::move(inner)) {}

  int rank() const override { return inner_->rank(); }
  int size() const override { return inner_->size(); }
  std::string name() const override { return inner_->name(); }
  std::optional<LocalPlace> local_place() const override {
    return inner_->local_place();
  }
  Request send(std::span<const std::byte> bytes, int peer, Tag tag) override {
    return inner_->send(bytes, peer, tag);
  }
  Request recv(std::span<std::byte> bytes, int peer, Tag tag) override {
    return inner_->recv(bytes, peer, tag);
  }
  Request recv_at_most(std::span<std::byte> room, int peer, Tag tag) override {
    return inner_->recv_at_most(room, peer, tag);
  }
  bool test(Request request) override { return inner_->test(request); }
  void wait(Request request, Deadline deadline) override {
    inner_->wait(request, deadline);
  }
  bool progress() override { return inner_->progress(); }
  std::string memory_domain() const override { return inner_->memory_domain(); }
  void interrupt() override { inner_->interrupt(); }

 private:
  std::shared_ptr<Transport> inner_;
};

} // namespace grapevine::net::testing
