// What was read of a file, in memory of its own.
#pragma once

#include <taglib/tpropertymap.h>

#include <deque>
#include <set>
#include <string>
#include <vector>

#include "CTagLib.h"

namespace sotto {

class Result : public sotto_taglib_file {
 public:
  Result() : sotto_taglib_file() {
    rating = -1;
    is_sure = true;
  }

  /// Adds a property.
  void add(const TagLib::String &name, const TagLib::String &value) {
    if (entries_.size() >= mostTexts || value.isEmpty()) return;
    std::string text = value.to8Bit(true);
    // A text that is left out takes no room from those behind it.
    if (text.size() > longestText || static_cast<long>(text.size()) > room_) return;
    room_ -= static_cast<long>(text.size());
    store_.push_back(name.upper().to8Bit(true));
    names_.insert(store_.back());
    const std::string &key = store_.back();
    store_.push_back(std::move(text));
    entries_.push_back(
        {key.data(), key.size(), store_.back().data(), store_.back().size()});
  }

  /// Adds what one tag of the file says and those before it did not.
  void add(const TagLib::PropertyMap &map) {
    std::set<std::string> before = names_;
    for (const auto &pair : map) {
      if (before.count(pair.first.upper().to8Bit(true))) continue;
      for (const auto &value : pair.second) add(pair.first, value);
    }
  }

  bool knows(const TagLib::String &name) const {
    return names_.count(name.upper().to8Bit(true)) != 0;
  }

  void chapter(int64_t start, const TagLib::String &title) {
    if (marks_.size() >= mostChapters) return;
    std::string text = title.to8Bit(true);
    if (text.size() > 4096) text.clear();
    store_.push_back(std::move(text));
    marks_.push_back({start, store_.back().data(), store_.back().size()});
  }

  /// Ready to be handed on.
  const sotto_taglib_file *finished() {
    texts = entries_.data();
    text_count = entries_.size();
    chapters = marks_.data();
    chapter_count = marks_.size();
    return this;
  }

 private:
  static constexpr size_t mostTexts = 1024;
  static constexpr size_t mostChapters = 1000;
  static constexpr size_t longestText = 1 << 18;

  long room_ = 4 << 20;
  /// A deque's elements stay where they are.
  std::deque<std::string> store_;
  std::set<std::string> names_;
  std::vector<sotto_taglib_text> entries_;
  std::vector<sotto_taglib_chapter> marks_;
};

}  // namespace sotto
