// SPDX-License-Identifier: Apache-2.0
// A decoder over MLX, behind the C types of parley_mlx.h. Exceptions end here.
//
// Shapes are [batch, …]; the batch is always 1. n is the number of tokens of a step, H and K the numbers of heads of
// queries and of keys, D the length of a head.
#include "parley_mlx.h"

#include <atomic>
#include <cmath>
#include <mlx/mlx.h>
#include <mlx/version.h>
#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace mx = mlx::core;
using mx::array;

namespace {

thread_local std::string last_error;

// MLX's streams belong to threads, and its arrays are not guarded against several: all calls take turns, on one stream.
std::mutex &turn() {
    static std::mutex mutex;
    return mutex;
}

mx::Stream stream() {
    static const mx::Stream stream = [] {
        // Otherwise MLX could run a compiler and load what it writes to the folder for temporary files.
        mx::set_compile_mode(mx::CompileMode::disabled);
        return mx::new_thread_unsafe_stream(mx::default_device());
    }();
    return stream;
}

/// Calls `body` in turn, and keeps the message of what it throws.
template <typename Result, typename Body>
Result guarded(Result failure, Body body) noexcept {
    try {
        last_error.clear();
        std::lock_guard<std::mutex> lock(turn());
        mx::set_default_stream(stream());
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

/// A linear layer or a table of rows: floats, or groups of few bits with scales and offsets.
struct Matrix {
    std::optional<array> weight, scales, offsets, bias;
    int group_size = 0, bits = 0;

    /// x [1, n, columns] times the rows: [1, n, rows].
    array operator()(const array &x) const {
        array y = scales ? mx::quantized_matmul(x, *weight, *scales, *offsets, true, group_size, bits)
                         : mx::matmul(x, mx::transpose(*weight));
        return bias ? y + *bias : y;
    }

    /// The rows of ids [1, n]: [1, n, columns].
    array rows(const array &ids) const {
        array taken = mx::take(*weight, ids, 0);
        if (!scales) return taken;
        return mx::dequantize(taken, mx::take(*scales, ids, 0), mx::take(*offsets, ids, 0), group_size, bits);
    }
};

struct Layer {
    Matrix query, key, value, fused, output, gate, up, down;
    std::optional<array> norm, query_norm, key_norm, after_attention, feed_forward_norm, after_feed_forward;
    bool has_window = false;
};

struct Rotation {
    float base = 0, scale = 1;
    std::optional<array> periods;

    void set(const parley_mlx_rotation &rotation, int pairs) {
        base = rotation.base;
        scale = rotation.scale;
        if (rotation.periods) periods = array(rotation.periods, {pairs}, mx::float32);
    }
};

/// The keys and values of a layer: [1, K, allocated, D].
struct Stored {
    std::optional<array> keys, values;
};

// The memory of a cache grows by so many positions.
constexpr int cache_step = 256;

}  // namespace

struct parley_mlx_model {
    parley_mlx_shape shape{};
    Rotation rotation, window_rotation;
    Matrix embedding, head;
    std::optional<array> norm;
    std::vector<Layer> layers;

    array rms(const array &x, const std::optional<array> &weight) const {
        return mx::fast::rms_norm(x, weight, shape.epsilon);
    }
};

struct parley_mlx_cache {
    const parley_mlx_model *model;
    int capacity, held = 0;
    std::vector<Stored> layers;
    std::optional<array> logits;
    std::atomic<bool> is_interrupted{false};
    /// Whether a step failed in the middle, so that what the layers have is not known.
    bool is_broken = false;
};

namespace {

using Tensors = std::unordered_map<std::string, array>;

/// Where a tensor belongs, by its name in GGUF files without the layer's.
std::optional<array> *vector_of(parley_mlx_model &model, Layer *layer, const std::string &name) {
    if (!layer) return name == "output_norm.weight" ? &model.norm : nullptr;
    if (name == "attn_norm.weight") return &layer->norm;
    if (name == "attn_q_norm.weight") return &layer->query_norm;
    if (name == "attn_k_norm.weight") return &layer->key_norm;
    if (name == "post_attention_norm.weight") return &layer->after_attention;
    if (name == "ffn_norm.weight") return &layer->feed_forward_norm;
    if (name == "post_ffw_norm.weight") return &layer->after_feed_forward;
    return nullptr;
}

Matrix *matrix_of(parley_mlx_model &model, Layer *layer, const std::string &stem) {
    if (!layer) return stem == "token_embd" ? &model.embedding : stem == "output" ? &model.head : nullptr;
    if (stem == "attn_q") return &layer->query;
    if (stem == "attn_k") return &layer->key;
    if (stem == "attn_v") return &layer->value;
    if (stem == "attn_qkv") return &layer->fused;
    if (stem == "attn_output") return &layer->output;
    if (stem == "ffn_gate") return &layer->gate;
    if (stem == "ffn_up") return &layer->up;
    if (stem == "ffn_down") return &layer->down;
    return nullptr;
}

array found(const Tensors &tensors, const std::string &name) {
    auto place = tensors.find(name);
    if (place == tensors.end()) throw std::runtime_error("there is no tensor " + name);
    return place->second;
}

/// Floats of 16 bits as ones of 32, where a model with groups runs on the processor: its functions for groups are eight
/// times as fast with these.
array widened(const array &values, bool widens) {
    const bool is_short = values.dtype() == mx::float16 || values.dtype() == mx::bfloat16;
    return widens && is_short ? mx::astype(values, mx::float32) : values;
}

/// Reads a tensor into memory and puts it where it belongs.
void place(parley_mlx_model &model, const Tensors &tensors, const parley_mlx_tensor &tensor, bool widens) {
    std::string name = tensor.name, stored = tensor.stored;
    Layer *layer = nullptr;
    if (name.rfind("blk.", 0) == 0) {
        const size_t dot = name.find('.', 4);
        if (dot == std::string::npos) throw std::runtime_error("no place for " + name);
        layer = &model.layers.at(std::stoul(name.substr(4, dot - 4)));
        name = name.substr(dot + 1);
    }
    array values = widened(found(tensors, stored), widens);
    if (tensor.addend != 0) values = values + array(tensor.addend, values.dtype());
    if (std::optional<array> *target = vector_of(model, layer, name)) {
        mx::eval(values);
        *target = values;
        return;
    }
    const size_t dot = name.rfind('.');
    Matrix *matrix = dot == std::string::npos ? nullptr : matrix_of(model, layer, name.substr(0, dot));
    if (!matrix) throw std::runtime_error("no place for " + name);
    mx::eval(values);
    if (name.substr(dot) == ".bias") {
        matrix->bias = values;
        return;
    }
    matrix->weight = values;
    if (!tensor.bits) return;
    const std::string path = stored.substr(0, stored.rfind('.'));
    array scales = widened(found(tensors, path + ".scales"), widens);
    array offsets = widened(found(tensors, path + ".biases"), widens);
    mx::eval(scales, offsets);
    matrix->scales = scales;
    matrix->offsets = offsets;
    matrix->group_size = tensor.group_size;
    matrix->bits = tensor.bits;
}

/// The first n positions of a layer's cache with `added` [1, K, n, D] after the first `held`.
array extended(std::optional<array> &stored, const array &added, int held, int capacity) {
    const int heads = added.shape(1), count = added.shape(2), width = added.shape(3);
    const int needed = held + count, allocated = stored ? stored->shape(2) : 0;
    if (needed > allocated) {
        const int more = std::min((needed + cache_step - 1) / cache_step * cache_step, std::max(capacity, needed));
        array room = mx::zeros({1, heads, more - allocated, width}, added.dtype());
        stored = stored ? mx::concatenate({*stored, room}, 2) : room;
    }
    // The old array is given up, so that MLX can write in its place.
    stored = mx::slice_update(*stored, added, mx::Shape{0, 0, held, 0}, mx::Shape{1, heads, needed, width});
    return mx::slice(*stored, {0, 0, 0, 0}, {1, heads, needed, width});
}

array feed_forward(const parley_mlx_model &model, const Layer &layer, const array &x) {
    array up = layer.up(x), gate = up;
    if (layer.gate.weight) {
        gate = layer.gate(x);
    } else {
        // Both in one matrix, the gate first.
        const int n = x.shape(1), half = model.shape.feed_forward;
        gate = mx::slice(up, {0, 0, 0}, {1, n, half});
        up = mx::slice(up, {0, 0, half}, {1, n, 2 * half});
    }
    if (!model.shape.is_gelu) return layer.down(gate * mx::sigmoid(gate) * up);
    const auto constant = [&](float value) { return array(value, gate.dtype()); };
    array inner = constant(std::sqrt(2 / float(M_PI))) * (gate + constant(0.044715f) * gate * gate * gate);
    return layer.down(constant(0.5f) * gate * (constant(1) + mx::tanh(inner)) * up);
}

array attention(const parley_mlx_model &model, const Layer &layer, const array &x, Stored &stored, int held, int capacity) {
    const parley_mlx_shape &shape = model.shape;
    const int n = x.shape(1), width = shape.head_width;
    const int queries = shape.heads * width, keys = shape.key_value_heads * width;
    const auto heads = [&](const array &y, int count) { return mx::reshape(y, {1, n, count, width}); };
    std::optional<array> q, k, v;
    if (layer.fused.weight) {
        array all = layer.fused(x);
        q = mx::slice(all, {0, 0, 0}, {1, n, queries});
        k = mx::slice(all, {0, 0, queries}, {1, n, queries + keys});
        v = mx::slice(all, {0, 0, queries + keys}, {1, n, queries + 2 * keys});
    } else {
        q = layer.query(x);
        k = layer.key(x);
        v = layer.value(x);
    }
    q = heads(*q, shape.heads);
    k = heads(*k, shape.key_value_heads);
    if (layer.query_norm) q = model.rms(*q, layer.query_norm);
    if (layer.key_norm) k = model.rms(*k, layer.key_norm);
    const Rotation &rotation = layer.has_window ? model.window_rotation : model.rotation;
    const auto rotated = [&](const array &y) {
        return mx::fast::rope(
            mx::transpose(y, {0, 2, 1, 3}), shape.rotated, false,
            rotation.periods ? std::optional<float>() : std::optional<float>(rotation.base), rotation.scale, held,
            rotation.periods);
    };
    array turned = rotated(*q);
    array all_keys = extended(stored.keys, rotated(*k), held, capacity);
    array all_values = extended(
        stored.values, mx::transpose(heads(*v, shape.key_value_heads), {0, 2, 1, 3}), held, capacity);
    std::string mode = n > 1 ? "causal" : "";
    std::optional<array> mask;
    if (layer.has_window && held + n > shape.window) {
        // [n, held + n]: a token sees itself and what is less than a window before it.
        array rows = mx::reshape(mx::arange(held, held + n, mx::int32), {n, 1});
        array columns = mx::reshape(mx::arange(0, held + n, mx::int32), {1, held + n});
        mask = mx::logical_and(columns <= rows, columns > rows - array(shape.window, mx::int32));
        mode = "array";
    }
    array mixed = mx::fast::scaled_dot_product_attention(turned, all_keys, all_values, shape.query_scale, mode, mask);
    return layer.output(mx::reshape(mx::transpose(mixed, {0, 2, 1, 3}), {1, n, queries}));
}

bool run(parley_mlx_cache &cache, const int32_t *tokens, int count, int wanted) {
    const parley_mlx_model &model = *cache.model;
    if (cache.is_broken || count < 1 || count > cache.capacity - cache.held || wanted < 0 || wanted > count) {
        throw std::invalid_argument("the tokens do not fit into the cache");
    }
    cache.logits.reset();
    cache.is_broken = true;
    array x = model.embedding.rows(array(tokens, {1, count}, mx::int32));
    if (model.shape.embedding_scale != 1) x = x * array(model.shape.embedding_scale, x.dtype());
    for (size_t index = 0; index < model.layers.size(); index++) {
        const Layer &layer = model.layers[index];
        array mixed =
            attention(model, layer, model.rms(x, layer.norm), cache.layers[index], cache.held, cache.capacity);
        x = x + (layer.after_attention ? model.rms(mixed, layer.after_attention) : mixed);
        array fed = feed_forward(model, layer, model.rms(x, layer.feed_forward_norm));
        x = x + (layer.after_feed_forward ? model.rms(fed, layer.after_feed_forward) : fed);
        if (count > 1) {
            // Long steps are run layer by layer, so that they can be interrupted.
            mx::eval(x);
            if (cache.is_interrupted.load(std::memory_order_relaxed)) {
                // Positions that are not held any more may have any keys and values.
                cache.is_broken = false;
                throw std::runtime_error("interrupted");
            }
        }
    }
    std::vector<array> results;
    for (const Stored &stored : cache.layers) {
        results.push_back(*stored.keys);
        results.push_back(*stored.values);
    }
    if (wanted > 0) {
        array last = mx::slice(x, {0, count - wanted, 0}, {1, count, model.shape.width});
        const Matrix &head = model.head.weight ? model.head : model.embedding;
        cache.logits = mx::contiguous(mx::astype(head(model.rms(last, model.norm)), mx::float32));
        results.push_back(*cache.logits);
    }
    mx::eval(results);
    cache.held += count;
    cache.is_broken = false;
    return true;
}

parley_mlx_model *load(
    const char *const *files, size_t file_count, const parley_mlx_tensor *tensors, size_t tensor_count,
    const parley_mlx_shape *shape, bool (*progress)(float, void *), void *user) {
    return guarded<parley_mlx_model *>(nullptr, [&] {
        auto model = std::make_unique<parley_mlx_model>();
        model->shape = *shape;
        model->rotation.set(shape->rotation, shape->rotated / 2);
        model->window_rotation.set(shape->window_rotation, shape->rotated / 2);
        model->layers.resize(shape->layers);
        for (int32_t layer = 0; shape->windowed && layer < shape->layers; layer++) {
            model->layers[layer].has_window = shape->windowed[layer] != 0;
        }
        // What these point to is the caller's.
        model->shape.windowed = nullptr;
        model->shape.rotation.periods = model->shape.window_rotation.periods = nullptr;
        Tensors all;
        for (size_t file = 0; file < file_count; file++) {
            // Reads the header alone; a tensor is read when it is first used.
            auto [part, notes] = mx::load_safetensors(std::string(files[file]));
            all.merge(part);
        }
        bool has_groups = false;
        for (size_t index = 0; index < tensor_count; index++) has_groups |= tensors[index].bits != 0;
        const bool widens = has_groups && mx::default_device() == mx::Device::cpu;
        for (size_t index = 0; index < tensor_count; index++) {
            place(*model, all, tensors[index], widens);
            if (!progress(float(index + 1) / float(tensor_count), user)) throw std::runtime_error("cancelled");
        }
        return model.release();
    });
}

void free_model(parley_mlx_model *model) {
    guarded(false, [&] {
        delete model;
        mx::clear_cache();
        return true;
    });
}

parley_mlx_cache *make_cache(parley_mlx_model *model, int32_t capacity) {
    return guarded<parley_mlx_cache *>(nullptr, [&] {
        auto cache = std::make_unique<parley_mlx_cache>();
        cache->model = model;
        cache->capacity = capacity;
        cache->layers.resize(model->layers.size());
        return cache.release();
    });
}

void free_cache(parley_mlx_cache *cache) {
    guarded(false, [&] {
        delete cache;
        return true;
    });
}

bool run_step(parley_mlx_cache *cache, const int32_t *tokens, int32_t count, int32_t wanted) {
    return guarded(false, [&] { return run(*cache, tokens, count, wanted); });
}

const float *logits(const parley_mlx_cache *cache) { return cache->logits ? cache->logits->data<float>() : nullptr; }

bool rewind_cache(parley_mlx_cache *cache, int32_t position) {
    if (cache->is_broken || position < 0 || position > cache->held) return false;
    cache->held = position;
    return true;
}

void interrupt(parley_mlx_cache *cache, bool is_interrupted) {
    cache->is_interrupted.store(is_interrupted, std::memory_order_relaxed);
}

const char *error() { return last_error.c_str(); }

const parley_mlx_functions functions = {
    PARLEY_MLX_INTERFACE, MLX_VERSION_NUMERIC, mx::version, error, load, free_model, make_cache, free_cache, run_step,
    logits, rewind_cache, interrupt,
};

}  // namespace

extern "C" __attribute__((visibility("default"))) const parley_mlx_functions *parley_mlx_interface(void) {
    return &functions;
}
