#include "bindings/decode_batch.hpp"

#include <memory>

#include "bindings/bindings.hpp"

namespace py = pybind11;

namespace npuwh {
namespace {

struct PyBatch {
    SharedBatch batch;
};

// The capsule owns the structure until a consumer has moved it out, which leaves `release` null.
template <class Structure>
void destroy_capsule(PyObject* capsule, const char* name) {
    auto* const structure = static_cast<Structure*>(PyCapsule_GetPointer(capsule, name));
    if (structure == nullptr) {
        PyErr_Clear();
        return;
    }
    if (structure->release != nullptr) {
        structure->release(structure);
    }
    delete structure;
}

constexpr const char* kSchemaName = "arrow_schema";
constexpr const char* kArrayName = "arrow_array";

template <class Structure>
py::object capsule_of(std::unique_ptr<Structure> structure, const char* name, PyCapsule_Destructor destructor) {
    PyObject* const capsule = PyCapsule_New(structure.get(), name, destructor);
    if (capsule == nullptr) {
        if (structure->release != nullptr) {
            structure->release(structure.get());
        }
        throw py::error_already_set();
    }
    structure.release();  // the capsule's from here on
    return py::reinterpret_steal<py::object>(capsule);
}

py::object schema_capsule(const RecordBatch& batch) {
    auto structure = std::make_unique<ArrowSchema>();
    export_schema(batch, structure.get());
    return capsule_of(std::move(structure), kSchemaName, [](PyObject* capsule) { destroy_capsule<ArrowSchema>(capsule, kSchemaName); });
}

py::object array_capsule(const SharedBatch& batch) {
    auto structure = std::make_unique<ArrowArray>();
    export_array(batch, structure.get());
    return capsule_of(std::move(structure), kArrayName, [](PyObject* capsule) { destroy_capsule<ArrowArray>(capsule, kArrayName); });
}

}  // namespace

py::object batch_object(const SharedBatch& batch) { return batch ? py::cast(PyBatch{batch}) : py::none(); }

void bind_decode_batch(py::module_& module) {
    py::class_<PyBatch>(module, "NativeBatch",
                        "Rows of typed columns.  pyarrow.record_batch(batch) and polars.from_arrow take them without a copy.")
        .def(
            "__arrow_c_array__",
            [](const PyBatch& self, const py::object& /*requested_schema*/) {
                return py::make_tuple(schema_capsule(*self.batch), array_capsule(self.batch));
            },
            py::arg("requested_schema") = py::none())
        .def("__arrow_c_schema__", [](const PyBatch& self) { return schema_capsule(*self.batch); })
        .def("__len__", [](const PyBatch& self) { return self.batch->rows(); })
        .def_property_readonly("num_rows", [](const PyBatch& self) { return self.batch->rows(); });
}

}  // namespace npuwh
