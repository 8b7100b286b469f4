#include "scenario/yaml_tree.hpp"

#include <libfyaml.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <set>

namespace spillover {

namespace {

struct diag_deleter {
  void operator()(fy_diag* x) const noexcept { fy_diag_destroy(x); }
};

struct parser_deleter {
  void operator()(fy_parser* x) const noexcept { fy_parser_destroy(x); }
};

// libfyaml's own lines and columns can be outside the text: behind an indentation that is not there,
// or on a line after the last. Its positions are right, or behind the end.
mark mark_of(const text_places& places, const fy_mark* x, mark otherwise) {
  return x == nullptr ? otherwise : places.at(x->input_pos);
}

std::string text_of(fy_token* token) {
  std::size_t length = 0;
  const auto* text = token == nullptr ? nullptr : fy_token_get_text(token, &length);
  return text == nullptr ? std::string{} : std::string{text, length};
}

bool is_digit(char x) {
  return x >= '0' && x <= '9';
}

// A number as JSON writes it.
bool is_json_number(std::string_view x, bool& integer) {
  std::size_t i = 0;
  const auto digits = [&] {
    const auto start = i;
    while (i < x.size() && is_digit(x[i]))
      ++i;
    return i > start;
  };
  if (i < x.size() && x[i] == '-')
    ++i;
  const auto first = i;
  if (!digits() || (x[first] == '0' && i > first + 1))
    return false;
  integer = true;
  if (i < x.size() && x[i] == '.') {
    integer = false;
    ++i;
    if (!digits())
      return false;
  }
  if (i < x.size() && (x[i] == 'e' || x[i] == 'E')) {
    integer = false;
    ++i;
    if (i < x.size() && (x[i] == '+' || x[i] == '-'))
      ++i;
    if (!digits())
      return false;
  }
  return i == x.size();
}

// Builds the tree from libfyaml's events. Not libfyaml's own document: it expands aliases before
// anyone can count them.
class builder {
public:
  builder(const text_places& places, problem_list& problems)
    : places_(places), problems_(problems) {}

  // Returns false when it makes no sense to go on.
  bool take(fy_event& x);

  std::optional<yaml_node> finish() { return std::move(root_); }

private:
  struct frame {
    yaml_node node;
    std::string anchor;
    std::optional<std::pair<std::string, mark>> key;
    bool merge = false;
    std::vector<yaml_node> merges;
    std::set<std::string> keys;
  };

  bool fail(mark at, std::string message) {
    problems_.add(at, std::move(message));
    return false;
  }

  bool begin(yaml_node::type type, std::string anchor);
  bool end();
  bool scalar(fy_event& x, std::string anchor);
  bool alias(const std::string& name);
  bool put(yaml_node value, const std::string& anchor, bool plain);
  bool put_key(const yaml_node& value, bool plain);
  bool merge_value(yaml_node value);
  [[nodiscard]] bool wants_key() const {
    return !stack_.empty() && stack_.back().node.is_mapping() && !stack_.back().key
           && !stack_.back().merge;
  }

  const text_places& places_;
  problem_list& problems_;
  std::vector<frame> stack_;
  // Looked up only, never walked.
  std::map<std::string, yaml_node> anchors_;
  std::optional<yaml_node> root_;
  mark last_;
  std::size_t nodes_ = 0;
  // Of the scalar that comes next, when it has one.
  std::optional<mark> file_tag_;
};

bool builder::take(fy_event& x) {
  last_ = mark_of(places_, fy_event_start_mark(&x), last_);
  if (auto* tag = fy_event_get_tag_token(&x); tag != nullptr) {
    const auto at = mark_of(places_, fy_token_start_mark(tag), last_);
    if (text_of(tag) != "!file")
      return fail(at, "tags such as !!str have no use in a scenario");
    if (x.type != FYET_SCALAR || wants_key())
      return fail(at, "!file must stand before the name of a file");
    file_tag_ = at;
  }
  auto anchor = text_of(fy_event_get_anchor_token(&x));
  switch (x.type) {
    case FYET_DOCUMENT_START:
      if (root_)
        return fail(last_, "a second document begins here; a scenario file holds one");
      return true;
    case FYET_MAPPING_START: return begin(yaml_node::type::mapping, std::move(anchor));
    case FYET_SEQUENCE_START: return begin(yaml_node::type::list, std::move(anchor));
    case FYET_MAPPING_END:
    case FYET_SEQUENCE_END: return end();
    case FYET_SCALAR: return scalar(x, std::move(anchor));
    case FYET_ALIAS: return alias(text_of(x.alias.anchor));
    default: return true;
  }
}

bool builder::begin(yaml_node::type type, std::string anchor) {
  if (wants_key())
    return fail(last_, "a key must be a plain text");
  if (stack_.size() + 1 > max_yaml_depth)
    return fail(last_, "nested more than " + std::to_string(max_yaml_depth) + " deep");
  frame result;
  result.node.is = type;
  result.node.at = last_;
  result.anchor = std::move(anchor);
  stack_.push_back(std::move(result));
  return true;
}

bool builder::end() {
  auto done = std::move(stack_.back());
  stack_.pop_back();
  // Own keys win over merged ones, and earlier merges over later ones.
  for (auto& source : done.merges)
    for (auto& x : source.members)
      if (done.keys.insert(x.key).second)
        done.node.members.push_back(std::move(x));
  auto& node = done.node;
  const auto add = [&node](const yaml_node& x) {
    node.size += x.size;
    node.depth = std::max(node.depth, x.depth + 1);
  };
  for (const auto& x : node.items)
    add(x);
  for (const auto& x : node.members)
    add(x.value);
  return put(std::move(node), done.anchor, false);
}

bool builder::scalar(fy_event& x, std::string anchor) {
  auto text = text_of(x.scalar.value);
  const auto style = x.scalar.value == nullptr ? FYSS_PLAIN : fy_token_scalar_style(x.scalar.value);
  const auto plain = style == FYSS_PLAIN;
  // libfyaml reads the end of the text as a zero byte when a block scalar has no line before it.
  if (style == FYSS_LITERAL || style == FYSS_FOLDED)
    std::erase(text, '\0');
  if (text.size() > max_yaml_text)
    return fail(last_, "longer than " + std::to_string(max_yaml_text) + " bytes");
  if (find_binary(text))
    return fail(last_, "contains control characters");
  yaml_node value;
  if (plain) {
    value = plain_scalar(text);
  } else {
    value.is = yaml_node::type::text;
    value.text = std::move(text);
  }
  value.at = last_;
  if (file_tag_) {
    value.is = yaml_node::type::text;
    value.names_file = true;
    value.at = *file_tag_;
    file_tag_.reset();
  }
  return put(std::move(value), anchor, plain);
}

bool builder::alias(const std::string& name) {
  if (last_.column > 1)
    --last_.column; // libfyaml points behind the asterisk
  const auto found = anchors_.find(name);
  if (found == anchors_.end())
    return fail(last_, "alias *" + name + " names no anchor before it");
  if (nodes_ + found->second.size > max_yaml_nodes)
    return fail(last_, "with its aliases expanded, the file has more than "
                         + std::to_string(max_yaml_nodes) + " values");
  if (stack_.size() + found->second.depth > max_yaml_depth)
    return fail(last_, "nested more than " + std::to_string(max_yaml_depth) + " deep");
  nodes_ += found->second.size - 1;
  return put(found->second, {}, false);
}

bool builder::put(yaml_node value, const std::string& anchor, bool plain) {
  if (++nodes_ > max_yaml_nodes)
    return fail(last_, "the file has more than " + std::to_string(max_yaml_nodes) + " values");
  if (!anchor.empty())
    anchors_.insert_or_assign(anchor, value);
  if (stack_.empty()) {
    root_ = std::move(value);
    return true;
  }
  auto& top = stack_.back();
  if (top.node.is_list()) {
    top.node.items.push_back(std::move(value));
    return true;
  }
  if (top.merge)
    return merge_value(std::move(value));
  if (!top.key)
    return put_key(value, plain);
  auto [key, key_at] = std::move(*top.key);
  top.key.reset();
  if (!top.keys.insert(key).second) {
    problems_.add(key_at, "duplicate key \"" + key + "\"");
    return true;
  }
  top.node.members.push_back({std::move(key), key_at, std::move(value)});
  return true;
}

bool builder::put_key(const yaml_node& value, bool plain) {
  if (value.is_mapping() || value.is_list())
    return fail(last_, "a key must be a plain text");
  if (plain && value.text == "<<")
    stack_.back().merge = true;
  else
    stack_.back().key.emplace(value.text, last_);
  return true;
}

bool builder::merge_value(yaml_node value) {
  auto& top = stack_.back();
  top.merge = false;
  if (value.is_mapping()) {
    top.merges.push_back(std::move(value));
    return true;
  }
  for (auto& x : value.items) {
    if (!x.is_mapping())
      return fail(last_, "<< merges mappings only");
    top.merges.push_back(std::move(x));
  }
  return value.is_list() || fail(last_, "<< merges mappings only");
}

void add_library_errors(fy_diag* diag, const text_places& places, mark last,
                        problem_list& problems) {
  void* position = nullptr;
  while (const auto* x = fy_diag_errors_iterate(diag, &position)) {
    if (x->type < FYET_ERROR)
      continue;
    const auto* start = x->fyt == nullptr ? nullptr : fy_token_start_mark(x->fyt);
    problems.add(mark_of(places, start, last),
                 std::string{"not valid YAML: "} + (x->msg == nullptr ? "unreadable" : x->msg));
    return;
  }
  problems.add(last, "not valid YAML");
}

} // namespace

const yaml_node* yaml_node::find(std::string_view key) const noexcept {
  for (const auto& x : members)
    if (x.key == key)
      return &x.value;
  return nullptr;
}

bool yaml_node::clean() const noexcept {
  return !bad && std::all_of(items.begin(), items.end(), [](const auto& x) {
    return x.clean();
  }) && std::all_of(members.begin(), members.end(), [](const auto& x) { return x.value.clean(); });
}

yaml_node plain_scalar(std::string_view text) {
  yaml_node result;
  result.text = text;
  bool integer = false;
  if (text.empty() || text == "null" || text == "~") {
    result.is = yaml_node::type::null;
  } else if (text == "true" || text == "false") {
    result.is = yaml_node::type::boolean;
    result.truth = text == "true";
  } else if (is_json_number(text, integer)) {
    const auto* end = text.data() + text.size();
    if (std::from_chars(text.data(), end, result.number).ec != std::errc{})
      result.is = yaml_node::type::text; // beyond what a double can hold
    else if (integer && std::from_chars(text.data(), end, result.integer).ec == std::errc{})
      result.is = yaml_node::type::integer;
    else
      result.is = yaml_node::type::number;
  } else {
    result.is = yaml_node::type::text;
  }
  return result;
}

std::optional<yaml_node> parse_yaml(std::string_view text, problem_list& problems) {
  fy_diag_cfg diag_config{};
  fy_diag_cfg_default(&diag_config);
  diag_config.fp = nullptr;
  diag_config.output_fn = [](fy_diag*, void*, const char*, std::size_t) {};
  const std::unique_ptr<fy_diag, diag_deleter> diag{fy_diag_create(&diag_config)};
  fy_diag_set_collect_errors(diag.get(), true);

  fy_parse_cfg config{};
  config.flags = static_cast<fy_parse_cfg_flags>(FYPCF_DEFAULT_PARSE | FYPCF_JSON_NONE);
  config.diag = diag.get();
  const std::unique_ptr<fy_parser, parser_deleter> parser{fy_parser_create(&config)};
  fy_parser_set_string(parser.get(), text.data(), text.size());

  const text_places places{text};
  builder tree{places, problems};
  mark last;
  bool ended = false;
  while (auto* event = fy_parser_parse(parser.get())) {
    last = mark_of(places, fy_event_start_mark(event), last);
    ended = event->type == FYET_STREAM_END;
    const auto go_on = tree.take(*event);
    fy_parser_event_free(parser.get(), event);
    if (!go_on)
      return std::nullopt;
  }
  if (!ended) {
    add_library_errors(diag.get(), places, last, problems);
    return std::nullopt;
  }
  auto result = tree.finish();
  if (!result)
    problems.add({}, "is empty; a scenario is a mapping with the keys name, duration, producers, "
                     "consumers");
  return result;
}

} // namespace spillover
