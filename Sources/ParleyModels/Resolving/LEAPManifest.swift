// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyModelFile

/// A manifest of the LEAP model library: a JSON object that names a model's files and how to use them.
///
/// ```json
/// {
///   "inference_type": "llama.cpp/text-to-text",
///   "schema_version": "1.0.0",
///   "load_time_parameters": { "model": "../LFM2-350M-Q4_0.gguf" },
///   "generation_time_parameters": { "sampling_parameters": { "temperature": 0.3, "min_p": 0.15 } }
/// }
/// ```
///
/// `number_of_decoding_threads` is ignored, because the manifest's author does not know this machine's processor.
struct LEAPManifest: Sendable {
    /// The maximum length of a manifest in bytes; only its chat template may be long.
    static let limit = 1 << 20

    /// The role and location of each file; the location is an address or a path relative to the manifest.
    var files: [(role: ManifestFile.Role, location: String)]
    /// A chat template that replaces the one in the model's file.
    var chatTemplate: String?
    /// The recommended sampling.
    var sampling: SamplingDefaults

    /// Parses a manifest; `name` is its name in error messages.
    ///
    /// - Throws: ``ModelStoreError`` with code `invalidManifest`.
    init(parsing data: Data, name: String) throws {
        func invalid(_ what: String, _ cause: (any Error)? = nil) -> ModelStoreError {
            ModelStoreError(.invalidManifest, "The manifest \(name) \(what).", cause: cause)
        }
        guard data.count <= Self.limit else { throw invalid("is too long: it has \(data.count >> 10) KiB") }
        let form: Form
        do {
            form = try JSONDecoder().decode(Form.self, from: data)
        } catch DecodingError.keyNotFound(let key, _) {
            throw invalid("lacks “\(key.stringValue)”")
        } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context) {
            let path = context.codingPath.map(\.stringValue).joined(separator: ".")
            throw invalid(path.isEmpty ? "is not a JSON object" : "has a value of the wrong kind at “\(path)”")
        } catch {
            throw invalid("is not valid JSON", error)
        }
        guard Self.types.contains(form.inferenceType) else {
            throw invalid(
                "is for “\(String(form.inferenceType.prefix(100)))”, which is not supported.\nSupported are "
                    + Self.types.joined(separator: ", "))
        }
        guard form.schemaVersion.hasPrefix("1.") || form.schemaVersion == "1" else {
            throw invalid("has the version \(String(form.schemaVersion.prefix(20))); only version 1 is supported")
        }
        let parameters = form.loadTimeParameters
        files = [
            (.weights, parameters.model), (.projector, parameters.multimodalProjector),
            (.audioDecoder, parameters.audioDecoder), (.audioTokenizer, parameters.audioTokenizer),
        ].compactMap { role, location in location.map { (role, $0) } }
        chatTemplate = parameters.chatTemplate
        let wanted = form.generationTimeParameters?.samplingParameters
        sampling = SamplingDefaults(
            temperature: wanted?.temperature, topK: wanted?.topK, topP: wanted?.topP, minP: wanted?.minP,
            repetitionPenalty: wanted?.repetitionPenalty)
    }

    private static let types = [
        "llama.cpp/text-to-text", "llama.cpp/image-to-text", "llama.cpp/lfm2-audio-v1",
    ]

    private struct Form: Decodable {
        var schemaVersion: String
        var inferenceType: String
        var loadTimeParameters: LoadTimeParameters
        var generationTimeParameters: GenerationTimeParameters?

        enum CodingKeys: String, CodingKey {
            case schemaVersion = "schema_version"
            case inferenceType = "inference_type"
            case loadTimeParameters = "load_time_parameters"
            case generationTimeParameters = "generation_time_parameters"
        }
    }

    private struct LoadTimeParameters: Decodable {
        var model: String?
        var chatTemplate: String?
        var multimodalProjector: String?
        var audioDecoder: String?
        var audioTokenizer: String?

        enum CodingKeys: String, CodingKey {
            case model
            case chatTemplate = "chat_template"
            case multimodalProjector = "multimodal_projector"
            case audioDecoder = "audio_decoder"
            case audioTokenizer = "audio_tokenizer"
        }

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            model = try values.decode(String.self, forKey: .model)
            chatTemplate = try values.decodeIfPresent(String.self, forKey: .chatTemplate)
            multimodalProjector = try values.decodeIfPresent(String.self, forKey: .multimodalProjector)
            audioDecoder = try values.decodeIfPresent(String.self, forKey: .audioDecoder)
            audioTokenizer = try values.decodeIfPresent(String.self, forKey: .audioTokenizer)
        }
    }

    private struct GenerationTimeParameters: Decodable {
        var samplingParameters: SamplingParameters?

        enum CodingKeys: String, CodingKey {
            case samplingParameters = "sampling_parameters"
        }
    }

    private struct SamplingParameters: Decodable {
        var temperature: Float?
        var topP: Float?
        var minP: Float?
        var repetitionPenalty: Float?
        var topK: Int?

        enum CodingKeys: String, CodingKey {
            case temperature
            case topP = "top_p"
            case minP = "min_p"
            case repetitionPenalty = "repetition_penalty"
            case topK = "top_k"
        }
    }
}
