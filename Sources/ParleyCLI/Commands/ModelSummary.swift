// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyEngine
import ParleyJSON
import ParleyModelFile
import ParleyModels
import ParleySystem

/// What `parley info` prints about a model.
struct ModelSummary {
    /// The facts, with the names they have in JSON.
    let json: JSONObject
    private let rows: [(label: String, value: String)]

    /// Summarises a model file, with the memory that it needs for a context of `context` tokens; nil uses the default
    /// length.
    init(of file: GGUFFile, path: String, entry: CatalogEntry?, context: Int?) throws {
        let architecture = try file.architecture
        let parameters = file.parameterCount
        let license = entry?.license ?? file.license
        let vocabulary = file.metadata["tokenizer.ggml.tokens"]?.count
        var json: JSONObject = [
            "path": .string(path), "name": file.modelName.map(JSONValue.string) ?? .null,
            "architecture": .string(architecture), "parameters": .integer(parameters),
            "quantization": file.quantization.map(JSONValue.string) ?? .null, "bytes": .integer(file.byteCount),
            "license": license.map(JSONValue.string) ?? .null,
            "vocabulary": vocabulary.map(JSONValue.integer) ?? .null,
            "chat_template": file.chatTemplate.map(JSONValue.string) ?? .null,
        ]
        var rows = [
            ("file", "\(path) (\(ByteSize(clamping: file.byteCount)))"),
            ("name", file.modelName ?? "not given"),
            ("architecture", architecture), ("parameters", Self.count(parameters)),
            ("quantisation", file.quantization ?? "not given"), ("licence", license ?? "not given"),
            ("vocabulary", vocabulary.map { "\($0) tokens" } ?? "none"),
        ]
        do {
            let plan = try MemoryPlan(file)
            let context = context ?? min(plan.trainedContext, EngineConfiguration.usualContext)
            let (cache, scratch) = (plan.cache(context: context), plan.scratch(context: context))
            rows.append(("trained for", "\(plan.trainedContext) tokens of context"))
            let terms = [
                ("weights", plan.weights), ("cache", cache), ("scratch", scratch), ("program", plan.program),
            ]
            rows.append(("memory", "\(plan.total(context: context)) with \(context) tokens of context"))
            rows += terms.map { ("  " + $0.0, "\($0.1)") }
            json["trained_context"] = .integer(plan.trainedContext)
            json["memory"] = [
                "context": .integer(context), "weights": .integer(plan.weights.count), "cache": .integer(cache.count),
                "scratch": .integer(scratch.count), "program": .integer(plan.program.count),
                "total": .integer(plan.total(context: context).count),
            ]
        } catch {
            // A file can be described even if this engine cannot run its vocabulary or architecture.
            rows.append(("cannot run", "\(error)"))
            json["problem"] = .string("\(error)")
        }
        if let pooling = try? file.embeddingPooling {
            let width = try file.metadata.unsigned(ifPresent: "\(architecture).embedding_length") ?? 0
            rows.append(("embeddings", "\(width) values, \(pooling.summary)"))
            json["embeddings"] = ["dimensions": .integer(width), "pooling": .string("\(pooling)")]
        } else {
            let template = file.chatTemplate.map { "\($0.count) characters; --template prints it" }
            rows.append(("template", template ?? "none; ChatML is used instead"))
        }
        self.json = json
        self.rows = rows
    }

    /// The summary as text.
    func text(style: TextStyle) -> String {
        let width = rows.map(\.label.count).max() ?? 0
        return rows.map { row in
            // Names and licences come from an untrusted file.
            style.dim(row.label + String(repeating: " ", count: width - row.label.count)) + "  "
                + PlainText.clean(row.value) + "\n"
        }.joined()
    }

    private static func count(_ number: Int) -> String {
        number < 1_000_000 ? "\(number)" : "\((number + 500_000) / 1_000_000) million"
    }
}

extension EmbeddingPooling {
    fileprivate var summary: String {
        switch self {
        case .mean: "the mean of the tokens"
        case .first: "from the first token"
        case .last: "from the last token"
        }
    }
}
