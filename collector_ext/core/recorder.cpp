#include "core/recorder.hpp"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <new>
#include <stdexcept>

namespace npuwh::core {

struct Recorder::Session {
    Session(const RecorderOptions& options, std::function<void()> on_failure)
        : ring_bytes(options.ring_bytes),
          ops(options.ops),
          dumper(options.folder, options.facts_json, options.limits, threads, strings, std::move(on_failure)) {}

    const size_t ring_bytes;
    const NameFilter ops;
    StringTable strings;
    ThreadList threads;
    std::atomic<uint32_t> next_thread{1};
    Dumper dumper;
};

namespace {

std::atomic<Recorder*> the_recorder{nullptr};

// A thread's place in the recording; the log lives as long as either of thread and recording wants it.
struct ThreadPlace {
    std::shared_ptr<ThreadLog> log;
    uint32_t generation = 0;
    uint32_t refused_in = 0;  // the generation in which there was no memory for it

    ~ThreadPlace() { leave(); }
    void leave() noexcept {
        if (log) {
            log->tell_losses();
            log->has_ended.store(true, std::memory_order_release);
            log.reset();
        }
    }
};

thread_local ThreadPlace place;

std::string system_name_of_thread() {
    char name[32] = {};
    pthread_getname_np(pthread_self(), name, sizeof name);
    return name;
}

void install_fork_handler() {
    static const int installed = pthread_atfork(nullptr, nullptr, &Recorder::forget_after_fork);
    if (installed != 0) throw std::runtime_error("no fork handler can be set; recording is not safe in this process");
}

}  // namespace

Recorder& Recorder::instance() {
    Recorder* found = the_recorder.load(std::memory_order_acquire);
    if (found == nullptr) {
        auto* made = new Recorder();
        if (the_recorder.compare_exchange_strong(found, made)) return *made;
        delete made;
    }
    return *found;
}

void Recorder::forget_after_fork() noexcept {
    Recorder* old = the_recorder.exchange(nullptr);
    if (old == nullptr) return;
    is_on_.store(false, std::memory_order_release);
    // its locks may be held by threads that are not in this process, so it is left as it is; only descriptors go
    if (old->session_) old->session_->dumper.forget_after_fork();
    place.log.reset();
}

void Recorder::prepare(const RecorderOptions& options) {
    install_fork_handler();
    const std::lock_guard<std::mutex> lock(mutex_);
    if (session_) throw std::runtime_error("a recording is open already; finish it first");
    if (options.ring_bytes < 4096 || (options.ring_bytes & (options.ring_bytes - 1)) != 0) {
        throw std::runtime_error("the size of a ring is a power of two, at least 4096 bytes");
    }
    generation_.fetch_add(1, std::memory_order_acq_rel);
    ThreadList::missed_events = ThreadList::missed_frames = ThreadList::refused_threads = 0;
    ThreadList::refused_events = ThreadList::refused_frames = 0;
    auto session = std::make_shared<Session>(options, [current = generation()] {
        ended_early_.store(current, std::memory_order_relaxed);
        is_on_.store(false, std::memory_order_release);
    });
    if (const std::string state = session->dumper.state(); state != "recording") {
        throw std::runtime_error(session->dumper.reason());
    }
    session_ = std::move(session);
    thread_names_.clear();
}

void Recorder::start() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!session_) throw std::runtime_error("no recording is open; prepare one first");
    if (session_->dumper.state() == "recording") is_on_.store(true, std::memory_order_release);
}

void Recorder::stop() {
    is_on_.store(false, std::memory_order_release);
    if (const auto open = session()) open->dumper.flush();
}

void Recorder::finish(std::string facts_json) {
    is_on_.store(false, std::memory_order_release);
    std::shared_ptr<Session> open;
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        open.swap(session_);
    }
    if (open) open->dumper.finish(std::move(facts_json));
}

std::shared_ptr<Recorder::Session> Recorder::session() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return session_;
}

bool Recorder::is_open() const { return session() != nullptr; }

std::string Recorder::state() const {
    const auto open = session();
    return open ? open->dumper.state() : "idle";
}

std::string Recorder::reason() const {
    const auto open = session();
    return open ? open->dumper.reason() : "";
}

RecorderCounters Recorder::counters() const {
    RecorderCounters found;
    const auto open = session();
    if (!open) return found;
    const DumpCounters& dumped = open->dumper.counters();
    found.ops = dumped.ops.load(std::memory_order_relaxed);
    found.frames = dumped.frames.load(std::memory_order_relaxed);
    found.other_records = dumped.other_records.load(std::memory_order_relaxed);
    found.bytes_written = open->dumper.bytes_written();
    found.ring_peak_bytes = dumped.ring_peak_bytes.load(std::memory_order_relaxed);
    const ThreadList::Totals totals = open->threads.totals();
    found.lost_events = totals.lost_events;
    found.lost_frames = totals.lost_frames;
    found.threads = totals.threads;
    found.refused_threads = ThreadList::refused_threads.load(std::memory_order_relaxed);
    return found;
}

void Recorder::name_thread(int64_t tid, std::string name) {
    const std::lock_guard<std::mutex> lock(mutex_);
    thread_names_[tid] = std::move(name);
}

std::string Recorder::name_of_thread(int64_t tid) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = thread_names_.find(tid);
    return found != thread_names_.end() ? found->second : system_name_of_thread();
}

ThreadLog* Recorder::open_log(bool is_frame) noexcept {
    const uint32_t current = generation();
    if (__builtin_expect(place.generation == current && place.log != nullptr, 1)) return place.log.get();
    if (place.refused_in == current) {
        count_refused(is_frame);
        return nullptr;
    }
    try {
        const auto open = session();
        if (!open) return nullptr;
        place.leave();
        const auto tid = static_cast<int64_t>(syscall(SYS_gettid));
        auto log = std::make_shared<ThreadLog>(
            ThreadFacts{open->next_thread.fetch_add(1), getpid(), tid, name_of_thread(tid)}, open->ring_bytes);
        open->threads.add(log);
        place.log = std::move(log);
        place.generation = current;
        return place.log.get();
    } catch (const std::exception&) {
        // no memory for a ring: the thread is not recorded, the program goes on
        place.refused_in = current;
        ThreadList::refused_threads.fetch_add(1, std::memory_order_relaxed);
        count_refused(is_frame);
        return nullptr;
    }
}

uint32_t Recorder::number_of(std::string_view text) {
    const auto open = session();
    return open ? open->strings.number_of(text) : kNoText;
}

uint32_t Recorder::number_of_op(std::string_view name) {
    const auto open = session();
    if (!open) return kNoText;
    return is_step(name) || open->ops.takes(name) ? open->strings.number_of(name) : kLeftOut;
}

}  // namespace npuwh::core
