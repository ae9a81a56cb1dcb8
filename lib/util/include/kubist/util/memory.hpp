#pragma once

namespace kubist::util {

// What a process keeps of memory that it has freed. It counts where the program works now and then
// and rests in between: pages on which little is left between what was freed are still its own.
// The program is linked with jemalloc (cli/src/main.cpp); with another malloc these do what they
// can. Any thread.

/// From here on the process rests between its work, and what follows holds; before, speed counts.
void expect_rest();

/// This thread keeps none of what it frees for itself: for those that mostly wait.
void keep_no_freed_memory();

/// Nothing will be asked for a while: gives back what was freed.
void release_freed_memory();

/// How long what a thread asks for stays.
enum class Stay {
  lasting,  ///< until the program ends, or nearly so
  passing,  ///< until the process rests, at most
};

/// What this thread asks for within its scope stays so long, and is kept apart from what does not.
class MemoryScope {
 public:
  explicit MemoryScope(Stay stay);
  ~MemoryScope();
  MemoryScope(const MemoryScope&) = delete;
  MemoryScope& operator=(const MemoryScope&) = delete;

 private:
  const bool m_on;
  unsigned m_arena = 0;   ///< of the thread before it
  bool m_caches = false;  ///< did the thread keep some for itself?
};

}  // namespace kubist::util
