// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyJSON
import ParleyModels
import ParleySystem

/// What `parley models` and `parley info` say of a model that writes down speech. It is no GGUF file and does not chat.
struct SpeechSummary {
    let name: String
    let entry: SpeechCatalog.Entry?
    let installed: InstalledModel?

    /// Looks a model up; nil if the name is not that of one for speech.
    init?(_ model: String, in store: ModelStore) {
        let text = model.trimmingCharacters(in: .whitespacesAndNewlines)
        let name = text.lowercased().hasPrefix("hf:") ? String(text.dropFirst(3)) : text
        installed = store.model(named: name).flatMap { $0.isSpeech ? $0 : nil }
        entry = SpeechCatalog.builtIn[name]
        guard installed != nil || entry != nil else { return nil }
        self.name = installed?.name ?? entry?.name ?? name
    }

    private var byteCount: ByteSize? {
        installed?.byteCount ?? entry.map { $0.files.map(\.byteCount).compactMap { $0 }.reduce(.zero, +) }
    }

    /// The rows as titles and values.
    private var rows: [(title: String, value: String)] {
        [
            ("model", entry.map { "\($0.title), \($0.parameterCount / 1_000_000) million parameters" } ?? name),
            ("kind", "speech: for parley transcribe, --voice and serve --speech"), ("languages", entry?.languages),
            ("licence", installed?.manifest.license ?? entry?.license), ("size", byteCount?.description),
            ("page", entry?.homepage),
            ("path", installed.map { $0.url.path } ?? "not on this machine; parley models pull \(name) fetches it"),
        ].compactMap { title, value in value.map { (title, PlainText.clean($0)) } }
    }

    func text(style: TextStyle) -> String {
        rows.map { style.dim($0.title + String(repeating: " ", count: 11 - $0.title.count)) + $0.value + "\n" }.joined()
    }

    var json: JSONObject {
        func string(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
        return [
            "name": .string(name), "kind": "speech", "title": string(entry?.title),
            "parameters": entry.map { .integer($0.parameterCount) } ?? .null, "languages": string(entry?.languages),
            "license": string(installed?.manifest.license ?? entry?.license),
            "bytes": byteCount.map { .integer($0.count) } ?? .null, "path": string(installed?.url.path),
        ]
    }
}
