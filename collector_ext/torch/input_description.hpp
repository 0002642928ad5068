// Inputs of an operator as bytes: types and sizes (core/input_texts.hpp, input_code), and which tensors and values they are.
#pragma once

#include <ATen/core/ivalue.h>
#include <ATen/core/ivalue_inl.h>
#include <ATen/core/Tensor.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "core/input_texts.hpp"

namespace npuwh::torch_observer {

// Bytes that grow once and are used again and again.
class Bytes {
   public:
    template <typename Number>
    void push(Number number) {
        if (__builtin_expect(size_ + sizeof number > room_, 0)) grow(sizeof number);
        std::memcpy(bytes_.get() + size_, &number, sizeof number);
        size_ += sizeof number;
    }
    void push(c10::IntArrayRef numbers) {
        const size_t more = numbers.size() * sizeof(int64_t);
        if (more == 0) return;
        if (__builtin_expect(size_ + more > room_, 0)) grow(more);
        std::memcpy(bytes_.get() + size_, numbers.data(), more);
        size_ += more;
    }
    void clear() noexcept { size_ = 0; }
    const uint8_t* data() const noexcept { return bytes_.get(); }
    size_t size() const noexcept { return size_; }

   private:
    __attribute__((noinline)) void grow(size_t more) {
        constexpr size_t kFirstRoom = 256;
        const size_t room = std::max({2 * room_, size_ + more, kFirstRoom});
        std::unique_ptr<uint8_t[]> bytes(new uint8_t[room]);
        if (size_ != 0) std::memcpy(bytes.get(), bytes_.get(), size_);
        bytes_ = std::move(bytes);
        room_ = room;
    }

    std::unique_ptr<uint8_t[]> bytes_;
    size_t size_ = 0;
    size_t room_ = 0;
};

// A tensor whose sizes can be read at all.
inline bool is_plain(const at::Tensor& tensor) {
    return tensor.defined() && !tensor.is_nested() && !tensor.unsafeGetTensorImpl()->has_symbolic_sizes_strides();
}

inline bool is_scalar_list(const c10::IValue& value) {
    if (value.isIntList() || value.isDoubleList() || value.isBoolList()) return true;
    if (!value.isList()) return false;
    const auto list = value.toListRef();
    return list.empty() || list[0].isScalar();
}

// Types and sizes, an item an input.
inline void describe_shapes(c10::ArrayRef<const c10::IValue> inputs, Bytes& out) {
    namespace code = core::input_code;
    for (const c10::IValue& value : inputs) {
        if (value.isTensor()) {
            const at::Tensor& tensor = value.toTensor();
            if (!is_plain(tensor)) {
                out.push(code::kNone);
                continue;
            }
            const auto sizes = tensor.sizes();
            out.push(code::kTensor);
            out.push(static_cast<uint8_t>(tensor.scalar_type()));
            out.push(static_cast<uint8_t>(sizes.size()));
            out.push(sizes);
        } else if (value.isScalar()) {
            out.push(code::kScalar);
        } else if (value.isTensorList()) {
            out.push(code::kTensorList);
        } else if (is_scalar_list(value)) {
            out.push(code::kScalarList);
        } else {
            out.push(code::kNone);
        }
    }
}

// Kinds of a scalar; its value follows in 8 bytes (of a complex number nothing is kept but the kind).
enum class ScalarKind : uint8_t { kBool, kInt, kDouble, kComplex, kOther };

inline void push_scalar(const c10::IValue& value, Bytes& out) {
    if (value.isBool()) {
        out.push(ScalarKind::kBool);
        out.push(static_cast<int64_t>(value.toBool()));
    } else if (value.isInt()) {
        out.push(ScalarKind::kInt);
        out.push(value.toInt());
    } else if (value.isDouble()) {
        out.push(ScalarKind::kDouble);
        out.push(value.toDouble());
    } else {
        out.push(value.isComplexDouble() ? ScalarKind::kComplex : ScalarKind::kOther);
        out.push(int64_t{0});
    }
}

inline void push_tensor(const at::Tensor& tensor, Bytes& out) {
    const c10::TensorImpl* impl = tensor.unsafeGetTensorImpl();
    out.push(reinterpret_cast<uint64_t>(impl));
    out.push(impl->has_storage() ? reinterpret_cast<uint64_t>(impl->unsafe_storage().data()) : uint64_t{0});
    out.push(static_cast<uint8_t>(tensor.itemsize()));
    out.push(static_cast<uint8_t>(tensor.scalar_type()));
    out.push(static_cast<int8_t>(tensor.device().type()));
    out.push(static_cast<int8_t>(tensor.device().index()));
    const auto sizes = tensor.sizes();
    const bool has_strides = tensor.layout() == c10::kStrided;
    out.push(static_cast<uint8_t>(sizes.size()));
    out.push(static_cast<uint8_t>(has_strides));
    out.push(sizes);
    if (has_strides) out.push(tensor.strides());
}

// Which tensors and values the inputs are, an item an input, codes as above; lists with their length first.
inline void describe_tensors(c10::ArrayRef<const c10::IValue> inputs, Bytes& out) {
    namespace code = core::input_code;
    for (const c10::IValue& value : inputs) {
        if (value.isTensor() && is_plain(value.toTensor())) {
            out.push(code::kTensor);
            push_tensor(value.toTensor(), out);
        } else if (value.isScalar()) {
            out.push(code::kScalar);
            push_scalar(value, out);
        } else if (value.isTensorList()) {
            out.push(code::kTensorList);
            const auto tensors = value.toTensorVector();
            uint16_t count = 0;
            for (const at::Tensor& tensor : tensors) count = static_cast<uint16_t>(count + is_plain(tensor));
            out.push(count);
            for (const at::Tensor& tensor : tensors) {
                if (is_plain(tensor)) push_tensor(tensor, out);
            }
        } else if (!value.isTensor() && is_scalar_list(value)) {
            out.push(code::kScalarList);
            const auto values = value.toListRef();
            out.push(static_cast<uint16_t>(values.size()));
            for (const c10::IValue& each : values) push_scalar(each, out);
        } else {
            out.push(code::kNone);
        }
    }
}

}  // namespace npuwh::torch_observer
