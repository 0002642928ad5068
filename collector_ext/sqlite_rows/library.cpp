#include "sqlite_rows/library.hpp"

#if !defined(_WIN32)
#include <dlfcn.h>
#endif

namespace npuwh::sqlite_rows {

#if defined(_WIN32)

std::shared_ptr<const Library> Library::of(const std::string&, const std::string&) {
    throw Unavailable("not on this system");
}

Library::~Library() = default;

#else

namespace {

template <class Function>
void look_up(void* handle, const char* name, Function& function) {
    void* const found = dlsym(handle, name);
    if (found == nullptr) {
        throw Unavailable(std::string("the module has no ") + name);
    }
    function = reinterpret_cast<Function>(found);
}

}  // namespace

std::shared_ptr<const Library> Library::of(const std::string& extension, const std::string& version) {
    void* const handle = dlopen(extension.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
    if (handle == nullptr) {
        throw Unavailable(extension + " is not loaded");
    }
    const std::shared_ptr<Library> library(new Library(handle));
    Functions& call = library->functions_;
#define NPUWH_LOOK_UP(name) look_up(handle, "sqlite3_" #name, call.name)
    NPUWH_LOOK_UP(libversion);
    NPUWH_LOOK_UP(threadsafe);
    NPUWH_LOOK_UP(memory_used);
    NPUWH_LOOK_UP(open_v2);
    NPUWH_LOOK_UP(close);
    NPUWH_LOOK_UP(errmsg);
    NPUWH_LOOK_UP(busy_timeout);
    NPUWH_LOOK_UP(db_config);
    NPUWH_LOOK_UP(interrupt);
    NPUWH_LOOK_UP(prepare_v2);
    NPUWH_LOOK_UP(finalize);
    NPUWH_LOOK_UP(reset);
    NPUWH_LOOK_UP(step);
    NPUWH_LOOK_UP(bind_int64);
    NPUWH_LOOK_UP(bind_null);
    NPUWH_LOOK_UP(column_count);
    NPUWH_LOOK_UP(column_value);
    NPUWH_LOOK_UP(value_type);
    NPUWH_LOOK_UP(value_int64);
    NPUWH_LOOK_UP(value_double);
    NPUWH_LOOK_UP(value_text);
    NPUWH_LOOK_UP(value_bytes);
    NPUWH_LOOK_UP(create_function_v2);
    NPUWH_LOOK_UP(user_data);
    NPUWH_LOOK_UP(result_error);
#undef NPUWH_LOOK_UP
    if (version != call.libversion()) {
        throw Unavailable("its SQLite is " + std::string(call.libversion()) + ", not " + version);
    }
    if (call.threadsafe() == 0) {
        throw Unavailable("its SQLite was built for one thread");
    }
    return library;
}

Library::~Library() { dlclose(handle_); }

#endif

}  // namespace npuwh::sqlite_rows
