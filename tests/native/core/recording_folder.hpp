// A folder to record into, and what is recorded there.
#pragma once

#include <dirent.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "core/recorder.hpp"

namespace npuwh::core {

// A folder of its own, removed with what is in it.
class Folder {
   public:
    Folder() {
        const char* base = getenv("TMPDIR");
        path = std::string(base != nullptr ? base : P_tmpdir) + "/npuwh-recorder-XXXXXX";
        if (mkdtemp(path.data()) == nullptr) abort();
    }
    ~Folder() {
        for (const std::string& file : files()) unlink((path + "/" + file).c_str());
        rmdir(path.c_str());
    }
    std::vector<std::string> files() const {
        std::vector<std::string> found;
        DIR* folder = opendir(path.c_str());
        while (const dirent* entry = readdir(folder)) {
            if (entry->d_name[0] != '.') found.emplace_back(entry->d_name);
        }
        closedir(folder);
        return found;
    }
    bool has(const std::string& ending) const {
        for (const std::string& file : files()) {
            if (file.size() >= ending.size() && file.compare(file.size() - ending.size(), ending.size(), ending) == 0) {
                return true;
            }
        }
        return false;
    }
    std::string read(const std::string& file) const {
        std::ifstream in(path + "/" + file);
        std::stringstream text;
        text << in.rdbuf();
        return text.str();
    }
    // Sum of "rows" of a table in the manifest.
    int64_t rows(const std::string& table) const {
        const std::string text = read("manifest.json");
        const std::string key = "\"table\": \"" + table + "\", \"rows\": ";
        int64_t sum = 0;
        for (size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + 1)) {
            sum += std::stoll(text.substr(at + key.size()));
        }
        return sum;
    }
    // A number of "lost" in the manifest.
    int64_t lost(const std::string& what) const {
        const std::string text = read("manifest.json");
        const size_t at = text.find("\"" + what + "\": ", text.find("\"lost\": "));
        return at == std::string::npos ? -1 : std::stoll(text.substr(at + what.size() + 4));
    }
    std::string path;
};

inline RecorderOptions options_for(const Folder& folder) {
    RecorderOptions options;
    options.folder = folder.path;
    options.ring_bytes = size_t{1} << 20;
    return options;
}

inline bool record_one(const char* name) {
    Recorder& recorder = Recorder::instance();
    ThreadLog* log = recorder.thread_log();
    if (log == nullptr) return false;
    const int64_t now = now_ticks();
    return log->op({{}, now, now + 1, -1, 0, recorder.number_of(name), 0, 0, log->facts.number, 0, 0, 7, 0, 0});
}

// Three threads, each of which records one operator after the other, as fast as it can.
class Storm {
   public:
    Storm() {
        for (int thread = 0; thread < 3; ++thread) {
            threads_.emplace_back([this] {
                while (go_on_) taken_ += record_one("op") ? 1 : 0;
            });
        }
    }
    // How many operators were taken, when all threads have ended.
    int64_t end() {
        go_on_ = false;
        for (std::thread& thread : threads_) thread.join();
        return taken_;
    }

   private:
    std::atomic<bool> go_on_{true};
    std::atomic<int64_t> taken_{0};
    std::vector<std::thread> threads_;
};

}  // namespace npuwh::core
