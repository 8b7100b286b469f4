#pragma once

#include "actors/messages.hpp"
#include "actors/site.hpp"
#include "model/books.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <string>
#include <utility>

namespace spillover {

/// Base of every actor: a CAF actor with a typed handle that also takes records from its site's lane.
///
/// @tparam Handle a typed handle, whose messages the actor takes
template <class Handle>
class shell : public Handle::base, public entity {
public:
  /// @param what it stands for
  /// @param id where records reach the actor, or `nobody` when none do
  /// @param path unique, beginning with the site, e.g. "us-east1/checkout/web/7"
  shell(caf::actor_config& config, site& where, actor_kind what, entity_id id, std::string path)
    : Handle::base(config), site_(where), id_(id), path_(std::move(path)) {
    site_.enter(what, path_);
    if (id_ != nobody)
      site_.events().bind(id_, *this);
  }

  /// Shown in logs.
  const char* name() const override { return path_.c_str(); }

  void on_record(const record&) override { SPILLOVER_CHECK_NEVER("this actor takes no records"); }

  /// Records that still come for it are counted from now on, not delivered.
  void on_exit() override {
    if (id_ != nobody)
      site_.events().bury(id_);
    site_.leave(path_);
  }

protected:
  /// Records what `x` says at the end of the run.
  void record_books(std::string_view account, std::string_view counterpart, const books& x) {
    record_event({}, books_closed{std::string{account}, std::string{counterpart}, x.taken, x.ended,
                                  x.open(), x.late});
  }

  [[nodiscard]] lane& events() noexcept { return site_.events(); }
  [[nodiscard]] instant now() const noexcept { return site_.now(); }
  [[nodiscard]] entity_id id() const noexcept { return id_; }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

  event_id record_event(event_id cause, payload what) {
    return site_.record_event(path_, cause, std::move(what));
  }

  site& site_;

private:
  entity_id id_;
  std::string path_;
};

} // namespace spillover
