// Lets a program of libFuzzer write the seeds it knows into the folder that NPUWH_FUZZ_SEEDS names.
#include <cstdlib>
#include <fstream>
#include <string>

#include "fuzz_seeds.hpp"

extern "C" int LLVMFuzzerInitialize(int*, char***);

extern "C" int LLVMFuzzerInitialize(int*, char***) {
    if (const char* const folder = std::getenv("NPUWH_FUZZ_SEEDS")) {
        int number = 0;
        for (const check::Bytes& seed : check::fuzz_seeds()) {
            std::ofstream((std::string(folder) + "/seed-" + std::to_string(number++)).c_str(), std::ios::binary)
                .write(reinterpret_cast<const char*>(seed.data()), static_cast<std::streamsize>(seed.size()));
        }
    }
    return 0;
}
