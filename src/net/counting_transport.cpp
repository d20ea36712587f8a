// Counts what leaves a worker.
#include "net/wraps.h"

namespace grapevine::net {
namespace {

class CountingTransport : public WrappedTransport {
 public:
  CountingTransport(std::unique_ptr<Transport> inner, MessageCounts& counts)
      : WrappedTransport(std::move(inner)),
        counts_(counts) {}

  Request post(const Message& message) override {
    const Request request = WrappedTransport::post(message);
    if (message.is_send) {
      ++counts_.sends;
      counts_.bytes += static_cast<int64_t>(message.bytes.size());
      counts_.messages.insert({message.peer, message.tag});
    }
    return request;
  }

 private:
  MessageCounts& counts_;
};

} // namespace

Wrap count_messages(MessageCounts& counts) {
  return {
      .apply = [&counts](
                   std::unique_ptr<Transport> inner,
                   const GroupSpec&,
                   Deadline) -> std::unique_ptr<Transport> {
        return std::make_unique<CountingTransport>(std::move(inner), counts);
      }};
}

} // namespace grapevine::net
