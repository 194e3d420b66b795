#include "CSpeech.h"

#include <dlfcn.h>
#include <limits.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The places of ONNX Runtime's functions in its table (OrtApi, version 16), which never change: onnxruntime_c_api.h.
enum {
    get_error_message = 2, create_env = 3, create_session = 7, run = 9, create_session_options = 10, disable_mem_pattern = 17,
    disable_cpu_mem_arena = 19, set_log_severity = 22, set_intra_op_threads = 24, set_inter_op_threads = 25, input_count = 30,
    input_type_info = 33, input_name = 36, create_tensor_with_data = 49, tensor_data = 51, cast_type_info = 55, dimensions_count = 61,
    dimensions = 62, tensor_shape = 65, create_cpu_memory_info = 69, default_allocator = 78, release_status = 93, release_value = 96,
    release_type_info = 98, release_shape = 99
};
enum { version = 16, element_float = 1, element_int64 = 7, element_bool = 9, most_inputs = 80, most_dimensions = 8 };

typedef void (*function)(void);

// Their arguments; all return a status, or NULL for success.
#define TAKES_create_env (int, const char *, void **)
#define TAKES_create_session (void *, const char *, void *, void **)
#define TAKES_run (void *, void *, const char *const *, void *const *, size_t, const char *const *, size_t, void **)
#define TAKES_create_session_options (void **)
#define TAKES_disable_mem_pattern (void *)
#define TAKES_disable_cpu_mem_arena (void *)
#define TAKES_set_log_severity (void *, int)
#define TAKES_set_intra_op_threads (void *, int)
#define TAKES_set_inter_op_threads (void *, int)
#define TAKES_input_count (void *, size_t *)
#define TAKES_input_type_info (void *, size_t, void **)
#define TAKES_input_name (void *, size_t, void *, char **)
#define TAKES_create_tensor_with_data (void *, void *, size_t, const int64_t *, size_t, int, void **)
#define TAKES_tensor_data (void *, void **)
#define TAKES_cast_type_info (void *, void **)
#define TAKES_dimensions_count (void *, size_t *)
#define TAKES_dimensions (void *, int64_t *, size_t)
#define TAKES_tensor_shape (void *, void **)
#define TAKES_create_cpu_memory_info (int, int, void **)
#define TAKES_default_allocator (void **)

struct fg_speech {
    const function *api;
    void *env, *options, *memory, *allocator, *encoder, *decoder;
    char *names[most_inputs];
    /// The shape of an empty past: heads and their width; 0 for an output that is not a past.
    int64_t heads[most_inputs], widths[most_inputs];
    /// The outputs that become the next past; NULL for the others. Some depend only on the sound, not on what was written.
    char *presents[most_inputs];
    int is_of_sound[most_inputs];
    size_t inputs, pieces;
};

struct fg_heard {
    float *hidden;
    int64_t steps, width;
    /// The past after the beginning, that of the runs of the last step, and the likelihoods of what follows them.
    void *begun[most_inputs], *past[most_inputs];
    void *first, *next;
};

/// Writes the reason a call failed; returns 0 if it did not.
static int failed(const fg_speech *speech, void *status, char *message, size_t capacity) {
    if (!status) return 0;
    const char *(*text)(void *) = (const char *(*)(void *))speech->api[get_error_message];
    snprintf(message, capacity, "%s", text(status));
    ((void (*)(void *))speech->api[release_status])(status);
    return 1;
}

#define CALL(place, ...) (((void *(*)TAKES_##place)speech->api[place])(__VA_ARGS__))
#define TRY(place, ...) \
    if (failed(speech, CALL(place, __VA_ARGS__), message, capacity)) return -1

static int learn_inputs(fg_speech *speech, char *message, size_t capacity) {
    TRY(input_count, speech->decoder, &speech->inputs);
    if (speech->inputs > most_inputs) {
        snprintf(message, capacity, "the model has too many inputs");
        return -1;
    }
    for (size_t i = 0; i < speech->inputs; i++) {
        TRY(input_name, speech->decoder, i, speech->allocator, &speech->names[i]);
        if (strncmp(speech->names[i], "past", 4) != 0) continue;
        void *type = NULL, *shape = NULL;
        size_t count = 0;
        int64_t sizes[most_dimensions] = {0};
        TRY(input_type_info, speech->decoder, i, &type);
        TRY(cast_type_info, type, &shape);
        TRY(dimensions_count, shape, &count);
        if (count != 4) {
            snprintf(message, capacity, "the model is of another kind");
            return -1;
        }
        TRY(dimensions, shape, sizes, count);
        const char *name = strchr(speech->names[i], '.');
        size_t length = name ? strlen(name) : 0;
        speech->presents[i] = malloc(length + sizeof "present");
        if (!speech->presents[i]) return -1;
        snprintf(speech->presents[i], length + sizeof "present", "present%s", name ? name : "");
        speech->is_of_sound[i] = name && strstr(name, ".encoder.");
        speech->heads[i] = sizes[1];
        speech->widths[i] = sizes[3];
        ((void (*)(void *))speech->api[release_type_info])(type);
    }
    return 0;
}

static int prepare(fg_speech *speech, const char *encoder, const char *decoder, int threads, char *message, size_t capacity) {
    // Errors only: others would be written to the standard streams.
    TRY(create_env, 3, "framegrep", &speech->env);
    TRY(create_session_options, &speech->options);
    TRY(set_log_severity, speech->options, 3);
    TRY(set_intra_op_threads, speech->options, threads);
    TRY(set_inter_op_threads, speech->options, 1);
    // Memory that the runtime keeps for later calls is never used here.
    TRY(disable_cpu_mem_arena, speech->options);
    TRY(disable_mem_pattern, speech->options);
    TRY(create_cpu_memory_info, 0, 0, &speech->memory);
    TRY(default_allocator, &speech->allocator);
    TRY(create_session, speech->env, encoder, speech->options, &speech->encoder);
    TRY(create_session, speech->env, decoder, speech->options, &speech->decoder);
    return learn_inputs(speech, message, capacity);
}

fg_speech *fg_speech_open(const char *runtime, const char *encoder, const char *decoder, int threads, char *message, size_t capacity) {
    // The runtime lays out all weights again for each piece that is written. Returning that memory to the system each time costs more than that
    // work; all of it is returned when the process ends, which is soon.
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    void *library = dlopen(runtime, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *reason = dlerror();
        snprintf(message, capacity, "%s", reason ? reason : "unknown reason");
        return NULL;
    }
    // A function pointer out of a pointer to data: not ISO C, but what POSIX asks of dlsym's result.
    const void *(*base)(void) = NULL;
    *(void **)&base = dlsym(library, "OrtGetApiBase");
    // The base has two functions, of which the first returns the table of a version.
    const function *table = base ? (const function *)((const void *(*const *)(uint32_t))base())[0](version) : NULL;
    fg_speech *speech = table ? calloc(1, sizeof *speech) : NULL;
    if (!speech) {
        snprintf(message, capacity, "%s is no ONNX Runtime that is new enough", runtime);
        return NULL;
    }
    speech->api = table;
    if (prepare(speech, encoder, decoder, threads, message, capacity) == 0) return speech;
    // The process ends soon, which frees everything.
    free(speech);
    return NULL;
}

static int tensor(
    fg_speech *speech, void *data, size_t bytes, const int64_t *sizes, size_t count, int kind, void **value, char *message, size_t capacity) {
    TRY(create_tensor_with_data, speech->memory, data, bytes, sizes, count, kind, value);
    return 0;
}

static void release(fg_speech *speech, void **value) {
    if (*value) ((void (*)(void *))speech->api[release_value])(*value);
    *value = NULL;
}

size_t fg_speech_pieces(const fg_speech *speech) { return speech->pieces; }

/// Keeps the encoder's output for the samples.
static int encode(fg_speech *speech, fg_heard *heard, const float *samples, size_t count, char *message, size_t capacity) {
    int64_t sizes[2] = {1, (int64_t)count}, shape[3];
    void *input = NULL, *output = NULL, *info = NULL;
    const char *in = "input_values", *out = "last_hidden_state";
    if (tensor(speech, (void *)samples, count * 4, sizes, 2, element_float, &input, message, capacity) != 0) return -1;
    int is_bad = failed(speech, CALL(run, speech->encoder, NULL, &in, &input, (size_t)1, &out, (size_t)1, &output), message, capacity);
    release(speech, &input);
    if (is_bad) return -1;
    float *hidden = NULL;
    TRY(tensor_shape, output, &info);
    TRY(dimensions, info, shape, (size_t)3);
    ((void (*)(void *))speech->api[release_shape])(info);
    TRY(tensor_data, output, (void **)&hidden);
    size_t bytes = (size_t)(shape[1] * shape[2]) * 4;
    heard->hidden = malloc(bytes);
    if (!heard->hidden) return -1;
    memcpy(heard->hidden, hidden, bytes);
    heard->steps = shape[1];
    heard->width = shape[2];
    release(speech, &output);
    return 0;
}

/// A tensor of rows of another one: the row `parents[k]` of it, or its only one, is the k-th. Its numbers are in `*copy`, to be freed after it.
static int gather(
    fg_speech *speech, void *from, const int32_t *parents, size_t count, float **copy, void **value, char *message, size_t capacity) {
    int64_t sizes[4] = {0};
    void *info = NULL;
    float *numbers = NULL;
    if (!from) return -1;
    TRY(tensor_shape, from, &info);
    int is_bad = failed(speech, CALL(dimensions, info, sizes, (size_t)4), message, capacity);
    ((void (*)(void *))speech->api[release_shape])(info);
    if (is_bad) return -1;
    TRY(tensor_data, from, (void **)&numbers);
    size_t row = (size_t)(sizes[1] * sizes[2] * sizes[3]);
    *copy = malloc(count * row * 4);
    if (!*copy) return -1;
    for (size_t k = 0; k < count; k++) {
        int64_t parent = parents && sizes[0] > 1 ? parents[k] : 0;
        if (parent < 0 || parent >= sizes[0]) return -1;
        memcpy(*copy + k * row, numbers + (size_t)parent * row, row * 4);
    }
    sizes[0] = (int64_t)count;
    return tensor(speech, *copy, count * row * 4, sizes, 4, element_float, value, message, capacity);
}

/// Runs the decoder: it begins, or continues from the beginning or the last step.
static int decode(
    fg_speech *speech, fg_heard *heard, int begins, const int32_t *parents, const int64_t *ids, size_t count, size_t length, float **copies,
    void **values, char *message, size_t capacity) {
    static float nothing;
    static unsigned char is_past[2] = {1, 0};
    for (size_t i = 0; i < speech->inputs; i++) {
        int64_t one = 1, sizes[2] = {(int64_t)count, (int64_t)length};
        int result;
        if (strcmp(speech->names[i], "input_ids") == 0) {
            result = tensor(speech, (void *)ids, count * length * 8, sizes, 2, element_int64, &values[i], message, capacity);
        } else if (strcmp(speech->names[i], "encoder_hidden_states") == 0) {
            // One for all runs, because only the beginning uses it.
            int64_t all[3] = {1, heard->steps, heard->width};
            result = tensor(
                speech, heard->hidden, (size_t)(heard->steps * heard->width) * 4, all, 3, element_float, &values[i], message, capacity);
        } else if (strcmp(speech->names[i], "use_cache_branch") == 0) {
            result = tensor(speech, &is_past[begins], 1, &one, 1, element_bool, &values[i], message, capacity);
        } else if (begins) {
            int64_t empty[4] = {(int64_t)count, speech->heads[i], 0, speech->widths[i]};
            result = tensor(speech, &nothing, 0, empty, 4, element_float, &values[i], message, capacity);
        } else {
            void *past = parents && !speech->is_of_sound[i] ? heard->past[i] : heard->begun[i];
            result = gather(speech, past, parents, count, &copies[i], &values[i], message, capacity);
        }
        if (result != 0) return -1;
    }
    const char *names[most_inputs + 1] = {"logits"};
    void *results[most_inputs + 1] = {0};
    size_t places[most_inputs + 1] = {0}, outputs = 1;
    for (size_t i = 0; i < speech->inputs; i++) {
        if (!speech->presents[i] || (speech->is_of_sound[i] && !begins)) continue;
        names[outputs] = speech->presents[i];
        places[outputs++] = i;
    }
    TRY(run, speech->decoder, NULL, (const char *const *)speech->names, values, speech->inputs, names, outputs, results);
    *(begins ? &heard->first : &heard->next) = results[0];
    for (size_t k = 1; k < outputs; k++) {
        void **kept = begins ? heard->begun : heard->past;
        release(speech, &kept[places[k]]);
        kept[places[k]] = results[k];
    }
    return 0;
}

/// Returns the numbers of an output, whose last dimension is the number of pieces.
static const float *numbers(fg_speech *speech, void *answer, char *message, size_t capacity) {
    float *numbers = NULL;
    void *info = NULL;
    int64_t shape[3] = {0};
    if (failed(speech, CALL(tensor_shape, answer, &info), message, capacity)) return NULL;
    int is_bad = failed(speech, CALL(dimensions, info, shape, (size_t)3), message, capacity);
    ((void (*)(void *))speech->api[release_shape])(info);
    if (is_bad || failed(speech, CALL(tensor_data, answer, (void **)&numbers), message, capacity)) return NULL;
    speech->pieces = (size_t)shape[2];
    return numbers;
}

/// Computes the likelihoods of what follows; `heard` keeps them.
static const float *ask(
    fg_speech *speech, fg_heard *heard, int begins, const int32_t *parents, const int64_t *ids, size_t count, size_t length, char *message,
    size_t capacity) {
    void *values[most_inputs] = {0};
    float *copies[most_inputs] = {0};
    release(speech, &heard->next);
    int result = decode(speech, heard, begins, parents, ids, count, length, copies, values, message, capacity);
    for (size_t i = 0; i < speech->inputs; i++) {
        release(speech, &values[i]);
        free(copies[i]);
    }
    return result == 0 ? numbers(speech, begins ? heard->first : heard->next, message, capacity) : NULL;
}

fg_heard *fg_speech_hear(
    fg_speech *speech, const float *samples, size_t count, int64_t begin, const float **first, char *message, size_t capacity) {
    fg_heard *heard = calloc(1, sizeof *heard);
    if (!heard) return NULL;
    if (encode(speech, heard, samples, count, message, capacity) == 0) {
        *first = ask(speech, heard, 1, NULL, &begin, 1, 1, message, capacity);
        if (*first) return heard;
    }
    fg_heard_free(speech, heard);
    return NULL;
}

const float *fg_speech_go_on(
    fg_speech *speech, fg_heard *heard, const int32_t *parents, const int64_t *ids, size_t count, size_t length, char *message,
    size_t capacity) {
    return ask(speech, heard, 0, parents, ids, count, length, message, capacity);
}

void fg_speech_rest(void) { malloc_trim(0); }

void fg_heard_free(fg_speech *speech, fg_heard *heard) {
    if (!heard) return;
    for (size_t i = 0; i < speech->inputs; i++) {
        release(speech, &heard->begun[i]);
        release(speech, &heard->past[i]);
    }
    release(speech, &heard->first);
    release(speech, &heard->next);
    free(heard->hidden);
    free(heard);
}
