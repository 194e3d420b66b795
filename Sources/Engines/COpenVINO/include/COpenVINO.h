// The part of OpenVINO's C interface that framegrep calls, opened at run time.
//
// Declared here rather than taken from the runtime's own headers, so that the program is built without the runtime and
// starts without it. Names, argument types, struct layouts and status numbers are those of OpenVINO's C interface
// (`openvino/c/*.h` of version 2026.4); the loader refuses a library of another major version.
#ifndef FRAMEGREP_COPENVINO_H
#define FRAMEGREP_COPENVINO_H

#include <stddef.h>
#include <stdint.h>

// Opaque: used only by pointer.
typedef struct ov_core ov_core_t;
typedef struct ov_model ov_model_t;
typedef struct ov_compiled_model ov_compiled_model_t;
typedef struct ov_infer_request ov_infer_request_t;
typedef struct ov_tensor ov_tensor_t;

// 0 is success, anything else a failure.
typedef int32_t ov_status_t;
enum { OV_STATUS_OK = 0, OV_STATUS_INFER_CANCELLED = -13 };

typedef struct {
    const char *build_number;
    const char *description;
} ov_version_t;

typedef struct {
    int64_t min;
    int64_t max;
} ov_dimension_t;

typedef struct {
    ov_dimension_t rank;
    ov_dimension_t *dimensions;
} ov_partial_shape_t;

typedef struct {
    int64_t rank;
    int64_t *dimensions;
} ov_shape_t;

typedef struct {
    char **devices;
    size_t size;
} ov_available_devices_t;

// Both point to text owned by the caller; the library copies it during the call.
typedef struct {
    const char *key;
    const void *value;
} ov_property_t;

// Every function in use, by the name it has in the library. The table is filled once and read only afterwards.
typedef struct {
    ov_status_t (*get_openvino_version)(ov_version_t *version);
    void (*version_free)(ov_version_t *version);
    const char *(*get_last_err_msg)(void);
    void (*free_text)(const char *text);
    void (*util_set_log_callback)(void (*callback)(const char *message));

    ov_status_t (*core_create)(ov_core_t **core);
    void (*core_free)(ov_core_t *core);
    // `value` is newly allocated, for `free_text`.
    ov_status_t (*core_get_property)(const ov_core_t *core, const char *device, const char *key, char **value);
    // The names are newly allocated, for `available_devices_free`.
    ov_status_t (*core_get_available_devices)(const ov_core_t *core, ov_available_devices_t *devices);
    void (*available_devices_free)(ov_available_devices_t *devices);
    // The text of a key and that of its value; see fg_openvino_set_property.
    ov_status_t (*core_set_property)(const ov_core_t *core, const char *device, ...);
    ov_status_t (*core_import_model)(const ov_core_t *core, const char *content, size_t size, const char *device,
                                     ov_compiled_model_t **compiled);
    ov_status_t (*core_read_model)(const ov_core_t *core, const char *path, const char *weights, ov_model_t **model);
    ov_status_t (*core_compile_model_props)(const ov_core_t *core, const ov_model_t *model, const char *device,
                                            size_t count, const ov_property_t *properties,
                                            ov_compiled_model_t **compiled);

    void (*model_free)(ov_model_t *model);
    ov_status_t (*model_reshape_single_input)(const ov_model_t *model, ov_partial_shape_t shape);

    ov_status_t (*compiled_model_create_infer_request)(const ov_compiled_model_t *compiled,
                                                       ov_infer_request_t **request);
    ov_status_t (*compiled_model_export_model)(const ov_compiled_model_t *compiled, const char *path);
    void (*compiled_model_free)(ov_compiled_model_t *compiled);

    ov_status_t (*infer_request_get_input_tensor)(const ov_infer_request_t *request, ov_tensor_t **tensor);
    ov_status_t (*infer_request_get_output_tensor)(const ov_infer_request_t *request, ov_tensor_t **tensor);
    ov_status_t (*infer_request_infer)(ov_infer_request_t *request);
    ov_status_t (*infer_request_cancel)(ov_infer_request_t *request);
    void (*infer_request_free)(ov_infer_request_t *request);

    ov_status_t (*tensor_get_shape)(const ov_tensor_t *tensor, ov_shape_t *shape);
    ov_status_t (*tensor_set_shape)(ov_tensor_t *tensor, ov_shape_t shape);
    ov_status_t (*tensor_data)(const ov_tensor_t *tensor, void **data);
    void (*tensor_free)(ov_tensor_t *tensor);
    ov_status_t (*shape_free)(ov_shape_t *shape);
} fg_openvino_t;

// Opens the library at `path` for the rest of the process and fills `table`.
//
// Returns 0, or -1 with a message in `message` (at most `capacity` bytes, always ended by a zero).
int fg_openvino_open(const char *path, fg_openvino_t *table, char *message, size_t capacity);

// Calls `core_set_property`, which Swift cannot: it is variadic.
ov_status_t fg_openvino_set_property(const fg_openvino_t *table, const ov_core_t *core, const char *device, ov_property_t property);

// Returns freed memory to the system (malloc_trim(3)); takes some milliseconds.
void fg_openvino_return_free_memory(void);

// Creates a file in memory, without a name; -1 if the system cannot. The caller closes it.
int fg_openvino_memory_file(void);

// Whether this is an Intel processor without usable tiles for bfloat16 (AMX): its instructions for bfloat16 are no faster
// than those for 32 bits, so converting only costs time.
int fg_openvino_bfloat16_is_slow(void);

#endif
