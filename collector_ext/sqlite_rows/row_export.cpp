#include "sqlite_rows/row_export.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <mutex>
#include <set>
#include <thread>

#include "sqlite_rows/flow_events.hpp"
#include "sqlite_rows/refused.hpp"
#include "sqlite_rows/section_reader.hpp"

namespace npuwh::sqlite_rows {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 19;
constexpr std::size_t kHeld = std::size_t{24} << 20;
constexpr auto kBetweenSignals = std::chrono::milliseconds(100);

// What the threads have to do, in order: the lane passes, then the ranges of the sections.  A section without ranges is one thread's
// alone, and SQLite may have to sort it before it gives a row: one thread, the forerunner, does just those, ahead of their turns.
class Work {
public:
    Work(Export& wanted, OrderedOutput& output, bool has_forerunner)
        : wanted_(wanted), output_(output), has_forerunner_(has_forerunner) {
        wanted_.row_lanes.resize(wanted.lane_passes.size());
        for (std::size_t section = 0; section < wanted.sections.size(); ++section) {
            const std::size_t ranges = wanted.sections[section].is_ranged ? wanted.sections[section].bounds.size() + 1 : 1;
            for (std::size_t range = 0; range < ranges; ++range) {
                parts_.push_back({section, range});
            }
        }
        read_.resize(parts_.size());
    }

    // Until nothing is left or one thread failed.
    void run(Connection& connection, bool is_forerunner) {
        ThreadSet threads;
        try {
            while (find_next_lanes(connection)) {
            }
            wait_for_lanes();
            if (is_forerunner) {
                for (std::size_t part = 0; part < parts_.size(); ++part) {
                    if (is_whole(part)) {
                        write_whole(connection, part, threads);
                    }
                }
            } else {
                write_ranges(connection, threads);
            }
        } catch (const OrderedOutput::Stopped&) {  // told by who stopped it
        } catch (...) {
            fail(std::current_exception());
        }
        const std::lock_guard<std::mutex> lock(mutex_);
        threads_.insert(threads.all().begin(), threads.all().end());
    }

    void fail(std::exception_ptr failure) {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            if (!failure_) {
                failure_ = std::move(failure);
            }
            lanes_found_.notify_all();
        }
        output_.stop();
    }

    std::exception_ptr failure() {
        const std::lock_guard<std::mutex> lock(mutex_);
        return failure_;
    }

    // When all threads are done.  Throws OutOfOrder if ranges do not follow each other.
    Exported done() const {
        Exported exported;
        exported.rows.resize(wanted_.sections.size());
        std::optional<std::int64_t> last;
        for (std::size_t part = 0; part < parts_.size(); ++part) {
            const auto [section, range] = parts_[part];
            exported.rows[section] += read_[part].rows;
            if (range == 0) {
                last.reset();
            }
            if (const auto& places = read_[part].places; places && wanted_.sections[section].is_ranged) {
                if (last && places->first <= *last) {
                    throw OutOfOrder("ranges do not come in their order");
                }
                last = places->second;
            }
        }
        exported.threads.assign(threads_.begin(), threads_.end());
        return exported;
    }

private:
    struct Part {
        std::size_t section;
        std::size_t range;
    };

    bool find_next_lanes(Connection& connection) {
        const std::size_t pass = next_pass_++;
        if (pass >= wanted_.lane_passes.size()) {
            return false;
        }
        SliceLanes slices;
        find_lanes(connection, wanted_.lane_passes[pass], wanted_.row_lanes[pass], slices);
        const std::lock_guard<std::mutex> lock(mutex_);
        wanted_.slice_lanes.put_all(slices);
        ++passes_done_;
        lanes_found_.notify_all();
        return true;
    }

    void wait_for_lanes() {
        std::unique_lock<std::mutex> lock(mutex_);
        lanes_found_.wait(lock, [&] { return failure_ || passes_done_ == wanted_.lane_passes.size(); });
        if (failure_) {
            throw OrderedOutput::Stopped();
        }
    }

    const RowLanes* lanes_of(std::size_t section) const {
        const auto pass = wanted_.sections[section].lane_pass;
        return pass ? &wanted_.row_lanes.at(*pass) : nullptr;
    }

    bool is_whole(std::size_t part) const { return !wanted_.sections[parts_[part].section].is_ranged; }

    void write_ranges(Connection& connection, ThreadSet& threads) {
        std::optional<SectionReader> reader;
        TextBuffer text;
        std::size_t read = parts_.size();
        for (std::size_t part = next_part_++; part < parts_.size(); part = next_part_++) {
            if (has_forerunner_ && is_whole(part)) {
                continue;
            }
            const auto [section, range] = parts_[part];
            if (read != section) {
                reader.reset();
                reader.emplace(connection, wanted_.sections[section], lanes_of(section), wanted_.slice_lanes, threads);
                read = section;
            }
            write_part(*reader, part, range, text);
        }
    }

    void write_whole(Connection& connection, std::size_t part, ThreadSet& threads) {
        SectionReader reader(connection, wanted_.sections[parts_[part].section], lanes_of(parts_[part].section),
                             wanted_.slice_lanes, threads);
        TextBuffer text;
        read_[part] = reader.read(0, text, kBlock, [&] {
            output_.wait_for_turn(part);
            text = output_.put(part, std::move(text), false);
            text.reserve(kBlock + kBlock / 8);
        });
        output_.put(part, std::move(text), true);  // what is short is held until its turn
    }

    void write_part(SectionReader& reader, std::size_t part, std::size_t range, TextBuffer& text) {
        read_[part] = reader.read(range, text, kBlock, [&] {
            text = output_.put(part, std::move(text), false);
            text.reserve(kBlock + kBlock / 8);
        });
        text = output_.put(part, std::move(text), true);
    }

    Export& wanted_;
    OrderedOutput& output_;
    const bool has_forerunner_;
    std::vector<Part> parts_;
    std::atomic<std::size_t> next_part_{0};
    std::atomic<std::size_t> next_pass_{0};
    std::vector<RangeRead> read_;  // of each part
    std::mutex mutex_;
    std::condition_variable lanes_found_;
    std::size_t passes_done_ = 0;
    std::set<std::pair<std::int64_t, std::int64_t>> threads_;
    std::exception_ptr failure_;
};

}  // namespace

RowReader::RowReader(const std::shared_ptr<const Library>& library, const std::string& uri, int busy_milliseconds,
                     const std::vector<std::string>& setup, std::size_t threads) {
    for (std::size_t thread = 0; thread < (threads > 1 ? threads + 1 : 1); ++thread) {  // the last is the forerunner's
        connections_.push_back(std::make_unique<Connection>(library, uri, busy_milliseconds));
        for (const std::string& statement : setup) {
            connections_.back()->execute(statement);
        }
    }
}

Exported RowReader::run(Export& wanted, const OrderedOutput::Write& write, const std::function<void()>& is_wanted) {
    OrderedOutput output(write, kHeld);
    const bool has_forerunner = connections_.size() > 1;
    Work work(wanted, output, has_forerunner);
    std::mutex mutex;
    std::condition_variable ended;
    std::size_t running = connections_.size();
    std::vector<std::thread> threads;
    const auto stop = [&](std::exception_ptr failure) {
        work.fail(std::move(failure));
        for (const auto& connection : connections_) {
            connection->interrupt();
        }
    };
    for (const auto& connection : connections_) {
        const bool is_forerunner = has_forerunner && connection == connections_.back();
        threads.emplace_back([&work, &mutex, &ended, &running, &connection, is_forerunner] {
            work.run(*connection, is_forerunner);
            const std::lock_guard<std::mutex> lock(mutex);
            --running;
            ended.notify_all();
        });
    }
    std::unique_lock<std::mutex> lock(mutex);
    bool is_stopped = false;
    while (!ended.wait_for(lock, kBetweenSignals, [&] { return running == 0; })) {
        lock.unlock();
        if (!is_stopped) {
            try {
                is_wanted();
            } catch (...) {
                stop(std::current_exception());
                is_stopped = true;
            }
            if (!is_stopped && work.failure()) {
                stop(work.failure());
                is_stopped = true;
            }
        } else {
            stop(nullptr);  // who was between two statements began another
        }
        lock.lock();
    }
    lock.unlock();
    for (std::thread& thread : threads) {
        thread.join();
    }
    if (work.failure()) {
        std::rethrow_exception(work.failure());
    }
    return work.done();
}

}  // namespace npuwh::sqlite_rows
