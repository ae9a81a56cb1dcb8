#include <atomic>
#include <cstddef>

#include <malloc.h>

#include <kubist/util/memory.hpp>

// jemalloc's: null where the program is linked with another malloc.
// http://jemalloc.net/jemalloc.3.html
extern "C" __attribute__((weak)) int mallctl(const char* name, void* before, size_t* before_size,
                                             void* value, size_t value_size);

namespace kubist::util {
namespace {

std::atomic<bool> g_rests = false;

bool is_controlled() { return g_rests && mallctl != nullptr; }

template <class Value>
void set(const char* name, Value value) {
  mallctl(name, nullptr, nullptr, &value, sizeof value);
}

template <class Value>
Value read(const char* name) {
  Value value{};
  std::size_t size = sizeof value;
  mallctl(name, &value, &size, nullptr, 0);
  return value;
}

unsigned arena_of(Stay stay) {
  static const auto passing = read<unsigned>("arenas.create");
  return stay == Stay::passing ? passing : 0;
}

}  // namespace

void expect_rest() {
  g_rests = true;
  keep_no_freed_memory();
#ifdef M_ARENA_MAX
  mallopt(M_ARENA_MAX, 2);  // glibc's malloc
#endif
}

void keep_no_freed_memory() {
  if (is_controlled()) {
    set("thread.tcache.enabled", false);
  }
}

void release_freed_memory() {
  if (!is_controlled()) {
    malloc_trim(0);
    return;
  }
  mallctl("arena.4096.purge", nullptr, nullptr, nullptr, 0);  // of MALLCTL_ARENAS_ALL
}

MemoryScope::MemoryScope(Stay stay) : m_on(is_controlled()) {
  if (m_on) {
    m_arena = read<unsigned>("thread.arena");
    m_caches = read<bool>("thread.tcache.enabled");
    set("thread.arena", arena_of(stay));
    if (stay == Stay::lasting) {  // what is kept for a thread is of any arena
      set("thread.tcache.enabled", false);
    }
  }
}

MemoryScope::~MemoryScope() {
  if (m_on) {
    set("thread.tcache.enabled", m_caches);
    set("thread.arena", m_arena);
  }
}

}  // namespace kubist::util
