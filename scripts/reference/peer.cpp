// SPDX-License-Identifier: Apache-2.0
//
// The peer: computes with libllama what Parley is compared with. Runs one command; writes ids and numbers to standard output.
//
//   peer tokenize MODEL TEXT_FILE                     ids, the beginning-of-sequence id first where the model adds one
//   peer logits   MODEL IDS_FILE OUT [OPTION VALUE]…  float32 rows; row i holds the logits that predict id i+1
//   peer greedy   MODEL IDS_FILE COUNT [OPTION VALUE]…
//                 one line a step: id, its log-probability, the runner-up's id and log-probability
//
// Options: --threads 2, --batch 512, --cache f16|f32, --flash auto|off|on
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "llama.h"

namespace {

struct Options {
    int threads = 2;
    int batch = 512;
    ggml_type cache = GGML_TYPE_F16;
    llama_flash_attn_type flash = LLAMA_FLASH_ATTN_TYPE_AUTO;
};

using Model = std::unique_ptr<llama_model, decltype(&llama_model_free)>;
using Context = std::unique_ptr<llama_context, decltype(&llama_free)>;

Options parse(int count, char **arguments) {
    Options options;
    if (count % 2 != 0) throw std::runtime_error("every option takes a value");
    for (int i = 0; i < count; i += 2) {
        const std::string name = arguments[i], value = arguments[i + 1];
        if (name == "--threads") {
            options.threads = std::stoi(value);
        } else if (name == "--batch") {
            options.batch = std::stoi(value);
        } else if (name == "--cache") {
            options.cache = value == "f32" ? GGML_TYPE_F32 : GGML_TYPE_F16;
        } else if (name == "--flash") {
            options.flash = value == "on"    ? LLAMA_FLASH_ATTN_TYPE_ENABLED
                            : value == "off" ? LLAMA_FLASH_ATTN_TYPE_DISABLED
                                             : LLAMA_FLASH_ATTN_TYPE_AUTO;
        } else {
            throw std::runtime_error("unknown option " + name);
        }
    }
    return options;
}

Model load(const char *path, bool vocabularyOnly) {
    llama_model_params parameters = llama_model_default_params();
    parameters.vocab_only = vocabularyOnly;
    parameters.n_gpu_layers = 0;
    Model model(llama_model_load_from_file(path, parameters), llama_model_free);
    if (!model) throw std::runtime_error(std::string("cannot load ") + path);
    return model;
}

Context start(llama_model *model, size_t positions, const Options &options) {
    llama_context_params parameters = llama_context_default_params();
    parameters.n_ctx = static_cast<uint32_t>(positions);
    parameters.n_batch = parameters.n_ubatch = static_cast<uint32_t>(options.batch);
    parameters.n_threads = parameters.n_threads_batch = options.threads;
    parameters.type_k = parameters.type_v = options.cache;
    parameters.flash_attn_type = options.flash;
    Context context(llama_init_from_model(model, parameters), llama_free);
    if (!context) throw std::runtime_error("cannot make a context");
    return context;
}

std::vector<llama_token> readIds(const char *path) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error(std::string("cannot read ") + path);
    return {std::istream_iterator<llama_token>(file), {}};
}

/// Decodes ids at positions from `first` on, with the logits of all ids if `all`, otherwise of the last one.
void decode(llama_context *context, const llama_token *ids, size_t count, size_t first, bool all) {
    llama_batch batch = llama_batch_init(static_cast<int32_t>(count), 0, 1);
    batch.n_tokens = static_cast<int32_t>(count);
    for (size_t i = 0; i < count; i++) {
        batch.token[i] = ids[i];
        batch.pos[i] = static_cast<llama_pos>(first + i);
        batch.n_seq_id[i] = 1;
        batch.seq_id[i][0] = 0;
        batch.logits[i] = all || i + 1 == count;
    }
    const int32_t status = llama_decode(context, batch);
    llama_batch_free(batch);
    if (status != 0) throw std::runtime_error("llama_decode failed with " + std::to_string(status));
}

void tokenize(const char *path, const char *textPath) {
    Model model = load(path, true);
    const llama_vocab *vocabulary = llama_model_get_vocab(model.get());
    std::ifstream file(textPath, std::ios::binary);
    if (!file) throw std::runtime_error(std::string("cannot read ") + textPath);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    std::vector<llama_token> ids(text.size() + 8);
    const int32_t count = llama_tokenize(vocabulary, text.data(), static_cast<int32_t>(text.size()), ids.data(),
                                         static_cast<int32_t>(ids.size()), true, false);
    for (int32_t i = 0; i < count; i++) std::printf("%d\n", ids[i]);
}

void logits(const char *path, const char *idsPath, const char *outPath, const Options &options) {
    Model model = load(path, false);
    const size_t columns = llama_vocab_n_tokens(llama_model_get_vocab(model.get()));
    const std::vector<llama_token> ids = readIds(idsPath);
    Context context = start(model.get(), ids.size(), options);
    std::ofstream out(outPath, std::ios::binary);
    for (size_t first = 0; first < ids.size(); first += options.batch) {
        const size_t count = std::min<size_t>(options.batch, ids.size() - first);
        decode(context.get(), ids.data() + first, count, first, true);
        for (size_t i = 0; i < count; i++) {
            const float *row = llama_get_logits_ith(context.get(), static_cast<int32_t>(i));
            out.write(reinterpret_cast<const char *>(row), static_cast<std::streamsize>(columns * sizeof(float)));
        }
    }
    if (!out.flush()) throw std::runtime_error(std::string("cannot write ") + outPath);
}

void greedy(const char *path, const char *idsPath, size_t steps, const Options &options) {
    Model model = load(path, false);
    const size_t columns = llama_vocab_n_tokens(llama_model_get_vocab(model.get()));
    std::vector<llama_token> ids = readIds(idsPath);
    Context context = start(model.get(), ids.size() + steps, options);
    size_t held = 0;
    for (size_t step = 0; step < steps; step++) {
        while (held < ids.size()) {
            const size_t count = std::min<size_t>(options.batch, ids.size() - held);
            decode(context.get(), ids.data() + held, count, held, false);
            held += count;
        }
        const float *row = llama_get_logits_ith(context.get(), -1);
        size_t best = 0, second = 1;
        if (row[1] > row[0]) std::swap(best, second);
        for (size_t i = 2; i < columns; i++) {
            if (row[i] > row[best]) {
                second = best;
                best = i;
            } else if (row[i] > row[second]) {
                second = i;
            }
        }
        double sum = 0;
        for (size_t i = 0; i < columns; i++) sum += std::exp(static_cast<double>(row[i]) - row[best]);
        const double norm = row[best] + std::log(sum);
        std::printf("%zu %.6f %zu %.6f\n", best, row[best] - norm, second, row[second] - norm);
        ids.push_back(static_cast<llama_token>(best));
    }
}

}  // namespace

int main(int count, char **arguments) {
    try {
        llama_log_set(
            [](ggml_log_level level, const char *text, void *) {
                if (level == GGML_LOG_LEVEL_ERROR) std::fputs(text, stderr);
            },
            nullptr);
        const std::string command = count > 1 ? arguments[1] : "";
        if (command == "tokenize" && count == 4) {
            tokenize(arguments[2], arguments[3]);
        } else if (command == "logits" && count >= 5) {
            logits(arguments[2], arguments[3], arguments[4], parse(count - 5, arguments + 5));
        } else if (command == "greedy" && count >= 5) {
            greedy(arguments[2], arguments[3], std::stoul(arguments[4]), parse(count - 5, arguments + 5));
        } else {
            throw std::runtime_error("usage: peer tokenize|logits|greedy MODEL FILE …; see the top of peer.cpp");
        }
    } catch (const std::exception &error) {
        std::fprintf(stderr, "peer: %s\n", error.what());
        return 1;
    }
    return 0;
}
