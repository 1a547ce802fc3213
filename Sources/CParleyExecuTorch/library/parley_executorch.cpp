// SPDX-License-Identifier: Apache-2.0
// Programs of ExecuTorch that continue a text, behind the C types of parley_executorch.h. Exceptions end here.
//
// The convention is that of ExecuTorch's own exporter for llama: `forward(tokens [1, n] int64, position [1] int64)` gives
// logits, [1, n, vocabulary] or [1, vocabulary]. The keys and values are buffers of the loaded method, which the program
// overwrites from the position on; so each sequence is a method of its own, over the one program and its weights.
#include "parley_executorch.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <executorch/extension/module/module.h>
#include <executorch/extension/tensor/tensor.h>
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/backend/options.h>
#include <executorch/runtime/platform/platform.h>
#include <executorch/runtime/platform/runtime.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace et = executorch::extension;
namespace rt = executorch::runtime;
using et::module::Module;
using executorch::aten::ScalarType;

namespace {

thread_local std::string last_error;
/// The last line that ExecuTorch logged as an error on this thread, which says more than its code.
thread_local std::string last_message;

void log(et_timestamp_t, et_pal_log_level_t level, const char *, const char *, size_t, const char *text, size_t length) {
    if (level == et_pal_log_level_t::kError || level == et_pal_log_level_t::kFatal) {
        try {
            last_message.assign(text, std::min<size_t>(length, 1000));
        } catch (...) {
        }
    }
}

/// Calls `body`, and keeps the message of what it throws.
template <typename Result, typename Body>
Result guarded(Result failure, Body body) noexcept {
    try {
        last_error.clear();
        last_message.clear();
        return body();
    } catch (const std::exception &error) {
        try {
            last_error = error.what();
        } catch (...) {
        }
    } catch (...) {
    }
    return failure;
}

void check(rt::Error error, const char *what) {
    if (error == rt::Error::Ok) return;
    std::string message = std::string(what) + ": " + rt::to_string(error);
    if (!last_message.empty()) message += " (" + last_message + ")";
    throw std::runtime_error(message);
}

/// What a constant method of the program returns.
int64_t number(Module &module, const char *method) {
    auto value = module.get(method);
    check(value.error(), method);
    if (!value->isInt()) throw std::runtime_error(std::string(method) + " is no number");
    return value->toInt();
}

// Beyond these no product of two sizes overflows, and no machine has the memory.
constexpr int64_t most_positions = 1 << 24, most_logits = 1 << 24, most_bytes = int64_t(1) << 44;

}  // namespace

struct parley_executorch_program {
    Module module;
    parley_executorch_description description{};

    explicit parley_executorch_program(const char *file) : module(file, Module::LoadMode::Mmap) {}
};

struct parley_executorch_cache {
    parley_executorch_description description;
    Module module;
    std::vector<int64_t> tokens;
    std::vector<float> logits;
    int64_t rows = 0;
    std::atomic<bool> is_interrupted{false};

    explicit parley_executorch_cache(const parley_executorch_program &program)
        : description(program.description), module(program.module.program()) {}
};

namespace {

/// Checks the method `forward`, and notes its sizes.
void describe(parley_executorch_program &program) {
    parley_executorch_description &sizes = program.description;
    auto method = program.module.method_meta("forward");
    check(method.error(), "forward");
    if (method->num_inputs() != 2 || method->num_outputs() != 1) {
        throw std::runtime_error("“forward” does not take tokens and a position alone");
    }
    auto tokens = method->input_tensor_meta(0);
    auto position = method->input_tensor_meta(1);
    auto logits = method->output_tensor_meta(0);
    check(tokens.error(), "the tokens");
    check(position.error(), "the position");
    check(logits.error(), "the logits");
    const auto given = tokens->sizes(), place = position->sizes(), result = logits->sizes();
    const bool is_known = tokens->scalar_type() == ScalarType::Long && given.size() == 2 && given[0] == 1 &&
                          position->scalar_type() == ScalarType::Long && place.size() == 1 && place[0] == 1 &&
                          logits->scalar_type() == ScalarType::Float && result.size() >= 2 && result.size() <= 3;
    if (!is_known) {
        throw std::runtime_error(
            "“forward” is not of the form (tokens [1, n] int64, position [1] int64) → float logits, which ExecuTorch's "
            "exporter for llama makes");
    }
    sizes.most_tokens = given[1];
    sizes.vocabulary = result[result.size() - 1];
    auto names = program.module.method_names();
    check(names.error(), "the methods");
    const bool has_context = names->count("get_max_context_len") != 0;
    sizes.context = number(program.module, has_context ? "get_max_context_len" : "get_max_seq_len");
    for (size_t index = 0; index < method->num_memory_planned_buffers(); index++) {
        auto bytes = method->memory_planned_buffer_size(index);
        check(bytes.error(), "the memory");
        if (*bytes < 0 || *bytes > most_bytes) throw std::runtime_error("the planned memory is not possible");
        sizes.planned_bytes = std::min(sizes.planned_bytes + *bytes, most_bytes);
    }
    if (sizes.context < 1 || sizes.context > most_positions || sizes.vocabulary < 1 || sizes.vocabulary > most_logits ||
        sizes.most_tokens < 1 || sizes.most_tokens > most_positions) {
        throw std::runtime_error("the sizes of the program are not possible");
    }
    sizes.most_tokens = std::min(sizes.most_tokens, sizes.context);
}

parley_executorch_program *open_program(const char *file, parley_executorch_description *description) {
    return guarded<parley_executorch_program *>(nullptr, [&] {
        auto program = std::make_unique<parley_executorch_program>(file);
        check(program->module.load(rt::Program::Verification::InternalConsistency), "the file");
        describe(*program);
        *description = program->description;
        return program.release();
    });
}

void close_program(parley_executorch_program *program) {
    guarded(false, [&] {
        delete program;
        return true;
    });
}

parley_executorch_cache *make_cache(parley_executorch_program *program) {
    return guarded<parley_executorch_cache *>(nullptr, [&] {
        auto cache = std::make_unique<parley_executorch_cache>(*program);
        check(cache->module.load_method("forward"), "forward");
        return cache.release();
    });
}

void free_cache(parley_executorch_cache *cache) {
    guarded(false, [&] {
        delete cache;
        return true;
    });
}

/// Runs one call of the program and keeps the logits of the last `wanted` tokens, if it computes them.
void call(parley_executorch_cache &cache, int64_t count, int64_t position, int64_t wanted) {
    const int64_t vocabulary = cache.description.vocabulary;
    auto ids = et::from_blob(cache.tokens.data(), {1, int(count)}, ScalarType::Long);
    auto place = et::from_blob(&position, {1}, ScalarType::Long);
    auto result = cache.module.forward({rt::EValue(ids), rt::EValue(place)});
    check(result.error(), "forward");
    if (wanted < 1) return;
    if (result->size() != 1 || !result->at(0).isTensor()) throw std::runtime_error("there are no logits");
    const auto logits = result->at(0).toTensor();
    const int64_t rows = logits.numel() / vocabulary;
    const bool is_known = logits.scalar_type() == ScalarType::Float && logits.numel() == rows * vocabulary &&
                          (rows == count || rows == 1);
    if (!is_known) throw std::runtime_error("the logits have another shape than is described");
    const int64_t kept = std::min(rows, wanted);
    const float *values = logits.const_data_ptr<float>() + (rows - kept) * vocabulary;
    // A program that computes the last row alone gives one row for all calls of a step.
    if (rows == 1 && count > 1) {
        cache.logits.clear();
        cache.rows = 0;
    }
    cache.logits.insert(cache.logits.end(), values, values + kept * vocabulary);
    cache.rows += kept;
}

bool run_step(
    parley_executorch_cache *cache, const int32_t *tokens, int64_t count, int64_t position, int64_t wanted) {
    return guarded(false, [&] {
        const parley_executorch_description &sizes = cache->description;
        if (count < 1 || position < 0 || position > sizes.context || count > sizes.context - position || wanted < 0 ||
            wanted > count) {
            throw std::invalid_argument("the tokens do not fit into the sequence");
        }
        cache->logits.clear();
        cache->rows = 0;
        for (int64_t done = 0; done < count;) {
            if (cache->is_interrupted.load(std::memory_order_relaxed)) throw std::runtime_error("interrupted");
            const int64_t part = std::min(count - done, sizes.most_tokens);
            cache->tokens.assign(tokens + done, tokens + done + part);
            for (int64_t token : cache->tokens) {
                if (token < 0 || token >= sizes.vocabulary) throw std::invalid_argument("there is no such token");
            }
            const int64_t after = count - done - part;
            call(*cache, part, position + done, std::min(part, std::max<int64_t>(wanted - after, 0)));
            done += part;
        }
        return true;
    });
}

const float *logits(const parley_executorch_cache *cache, int64_t *rows) {
    *rows = cache->rows;
    return cache->logits.data();
}

void interrupt(parley_executorch_cache *cache, bool is_interrupted) {
    cache->is_interrupted.store(is_interrupted, std::memory_order_relaxed);
}

const char *error() { return last_error.c_str(); }

const parley_executorch_functions functions = {
    PARLEY_EXECUTORCH_INTERFACE, PARLEY_EXECUTORCH_VERSION, error, open_program, close_program, make_cache, free_cache,
    run_step, logits, interrupt,
};

}  // namespace

extern "C" __attribute__((visibility("default"))) const parley_executorch_functions *parley_executorch_interface(void) {
    static const bool is_ready = [] {
        rt::runtime_init();
        // All sequences of a program share its weights as XNNPACK has packed them.
        rt::BackendOptions<1> options;
        if (options.set_option("weight_cache_enabled", true) != rt::Error::Ok) return false;
        if (rt::set_option("XnnpackBackend", options.view()) != rt::Error::Ok) return false;
        // Messages are thrown, not printed.
        return rt::register_pal(rt::PalImpl::create(log, __FILE__));
    }();
    return is_ready ? &functions : nullptr;
}
