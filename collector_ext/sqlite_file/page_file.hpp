// The pages of a database file, in the order in which they are finished.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace npuwh::sqlite_file {

// Pages gather in staging buffers of about 1 MiB, which a thread of its own writes one after the other.  Page 1 is written last,
// so that what a crash leaves is no database.
class PageFile {
public:
    // `handle` is an empty file, which stays the caller's; `between` is called now and then while much is written and may throw.
    PageFile(int handle, std::size_t page_size, std::function<void()> between);
    ~PageFile();
    PageFile(const PageFile&) = delete;
    PageFile& operator=(const PageFile&) = delete;

    std::size_t page_size() const { return page_size_; }

    // Adds a page and returns its number.  Throws std::system_error if the file takes no more.
    std::uint32_t append(const std::uint8_t* page);

    // The number that the next page gets, and the one after a number: SQLite locks bytes of one page, which stays unused.
    std::uint32_t next() const { return next_; }
    std::uint32_t after(std::uint32_t number) const { return number + 1 == lock_page_ ? number + 2 : number + 1; }

    // Takes back all pages from `next` on.
    void rewind(std::uint32_t next);

    // Writes everything, then page 1, and cuts the file to its length.
    void finish(const std::uint8_t* first_page);

    // Pages in the file, once it is finished.
    std::uint32_t count() const { return next_ - 1; }

private:
    struct Staging {
        std::vector<std::uint8_t> bytes;
        std::uint32_t first = 0;  // number of its first page
        std::size_t pages = 0;
    };

    void hand_over();
    void wait_until_written();
    void write_in_background();
    void write_all(const std::uint8_t* bytes, std::size_t size, std::uint64_t offset) const;

    int handle_;
    std::size_t page_size_;
    std::function<void()> between_;
    std::uint32_t next_ = 2;
    std::uint32_t lock_page_;

    std::vector<Staging> buffers_;
    std::size_t filling_ = 0;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::size_t> waiting_;  // full buffers, in order
    std::vector<std::size_t> empty_;
    bool is_writing_ = false;
    bool is_ending_ = false;
    int failure_ = 0;
    std::thread thread_;
};

}  // namespace npuwh::sqlite_file
