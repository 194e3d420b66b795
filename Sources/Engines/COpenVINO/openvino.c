// For memfd_create.
#define _GNU_SOURCE
#include <malloc.h>
#include "COpenVINO.h"

#include <dlfcn.h>
#include <stdio.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <sys/mman.h>

static int find(void *library, const char *name, void **place, char *message, size_t capacity) {
    *place = dlsym(library, name);
    if (*place) return 0;
    snprintf(message, capacity, "it has no function %s", name);
    return -1;
}

// A function pointer is stored through a pointer to data: not ISO C, but what POSIX asks of dlsym's result.
#define FIND(member, name) \
    if (find(library, name, (void **)&table->member, message, capacity) != 0) return -1

int fg_openvino_open(const char *path, fg_openvino_t *table, char *message, size_t capacity) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *reason = dlerror();
        snprintf(message, capacity, "%s", reason ? reason : "unknown reason");
        return -1;
    }
    FIND(get_openvino_version, "ov_get_openvino_version");
    FIND(version_free, "ov_version_free");
    FIND(get_last_err_msg, "ov_get_last_err_msg");
    FIND(free_text, "ov_free");
    FIND(util_set_log_callback, "ov_util_set_log_callback");
    FIND(core_create, "ov_core_create");
    FIND(core_free, "ov_core_free");
    FIND(core_get_property, "ov_core_get_property");
    FIND(core_get_available_devices, "ov_core_get_available_devices");
    FIND(available_devices_free, "ov_available_devices_free");
    FIND(core_set_property, "ov_core_set_property");
    FIND(core_import_model, "ov_core_import_model");
    FIND(core_read_model, "ov_core_read_model");
    FIND(core_compile_model_props, "ov_core_compile_model_props");
    FIND(model_free, "ov_model_free");
    FIND(model_reshape_single_input, "ov_model_reshape_single_input");
    FIND(compiled_model_create_infer_request, "ov_compiled_model_create_infer_request");
    FIND(compiled_model_export_model, "ov_compiled_model_export_model");
    FIND(compiled_model_free, "ov_compiled_model_free");
    FIND(infer_request_get_input_tensor, "ov_infer_request_get_input_tensor");
    FIND(infer_request_get_output_tensor, "ov_infer_request_get_output_tensor");
    FIND(infer_request_infer, "ov_infer_request_infer");
    FIND(infer_request_cancel, "ov_infer_request_cancel");
    FIND(infer_request_free, "ov_infer_request_free");
    FIND(tensor_get_shape, "ov_tensor_get_shape");
    FIND(tensor_set_shape, "ov_tensor_set_shape");
    FIND(tensor_data, "ov_tensor_data");
    FIND(tensor_free, "ov_tensor_free");
    FIND(shape_free, "ov_shape_free");
    return 0;
}

ov_status_t fg_openvino_set_property(const fg_openvino_t *table, const ov_core_t *core, const char *device, ov_property_t property) {
    return table->core_set_property(core, device, property.key, (const char *)property.value);
}

#if defined(__x86_64__)
int fg_openvino_bfloat16_is_slow(void) {
    // Intel 64 and IA-32 Architectures Software Developer's Manual, CPUID and XGETBV: leaf 0 has the maker's name in EBX, EDX, ECX; leaf 7
    // has AMX-BF16 and AMX-TILE in bits 22 and 24 of EDX; leaf 1 says in bit 27 of ECX that XGETBV may be asked, whose bits 17 and 18 say
    // that the system saves tiles.
    unsigned a, b, c, d;
    if (!__get_cpuid(0, &a, &b, &c, &d) || b != signature_INTEL_ebx || d != signature_INTEL_edx || c != signature_INTEL_ecx) return 0;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(d >> 22 & 1) || !(d >> 24 & 1)) return 1;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c >> 27 & 1)) return 1;
    unsigned low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (low >> 17 & 3) != 3;
}
#else
int fg_openvino_bfloat16_is_slow(void) { return 0; }
#endif

int fg_openvino_memory_file(void) { return memfd_create("framegrep-network", MFD_CLOEXEC); }

void fg_openvino_return_free_memory(void) { malloc_trim(0); }
