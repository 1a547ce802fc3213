// SPDX-License-Identifier: Apache-2.0

import ParleyOpenAI
package import ParleySpeech

/// A request of OpenAI's `POST /v1/audio/transcriptions` or `/v1/audio/translations`.
package struct TranscriptionRequest: Sendable {
    /// The forms of the answer.
    package enum Form: String, CaseIterable, Sendable {
        case json
        case text
        case srt
        case vtt
        case verbose = "verbose_json"
    }

    /// The name of the model.
    package var model: String
    /// The form of the answer.
    package var form: Form
    /// How the speech is written down.
    package var options: TranscriptionOptions
    /// Whether segments and words are listed in the verbose answer.
    package var listsSegments: Bool
    package var listsWords: Bool
    /// The names of fields that change nothing here.
    package var ignored: [String]

    private static let known: Set<String> = [
        "file", "model", "language", "prompt", "response_format", "temperature", "timestamp_granularities[]",
        "timestamp_granularities",
    ]

    /// Reads the fields of a form.
    ///
    /// - Parameters:
    ///   - form: the form.
    ///   - task: what the path asks for.
    /// - Throws: ``ServerError`` with status 400.
    package init(_ form: MultipartForm, task: TranscriptionTask) throws(ServerError) {
        guard let model = try form.text("model"), !model.isEmpty else {
            throw ServerError(400, .missingParameter, "Say which model: the field model is missing.", param: "model")
        }
        guard let file = form.file("file"), !file.bytes.isEmpty else {
            throw ServerError(400, .missingParameter, "There is no sound: the field file is missing.", param: "file")
        }
        let wanted = try form.text("response_format") ?? Form.json.rawValue
        guard let answer = Form(rawValue: wanted) else {
            let forms = Form.allCases.map(\.rawValue).joined(separator: ", ")
            throw ServerError(
                400, .unsupportedValue, "The answer has one of these forms: \(forms).", param: "response_format")
        }
        let details = try form.texts("timestamp_granularities[]") + form.texts("timestamp_granularities")
        guard details.allSatisfy({ $0 == "word" || $0 == "segment" }) else {
            throw ServerError(
                400, .unsupportedValue, "Times are given for each word or segment.", param: "timestamp_granularities")
        }
        var options = TranscriptionOptions(task: task)
        if let language = try form.text("language"), !language.isEmpty { options.language = language }
        if let prompt = try form.text("prompt"), !prompt.isEmpty { options.prompt = prompt }
        if let text = try form.text("temperature"), !text.isEmpty {
            guard let temperature = Double(text), (0...1).contains(temperature) else {
                throw ServerError(
                    400, .unsupportedValue, "The temperature is a number from 0 to 1.", param: "temperature")
            }
            // As OpenAI's: at 0, higher ones are tried where the text repeats itself or is improbable.
            if temperature > 0 { options.temperatures = [temperature] }
        }
        listsWords = details.contains("word")
        listsSegments = details.isEmpty || details.contains("segment")
        options.timestamps = listsWords ? .word : .segment
        ignored = form.parts.map(\.name).filter { !Self.known.contains($0) }
        (self.model, self.form, self.options) = (model, answer, options)
    }
}
