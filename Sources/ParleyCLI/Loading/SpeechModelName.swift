// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyModels

/// Which models are for speech by their names alone.
enum SpeechModelName {
    /// The names of the models for speech that can be fetched.
    static let known = SpeechCatalog.builtIn.entries.map(\.name) + [SpeechCatalog.voiceActivityName]

    /// Whether a name is in the catalog of speech models, or is that of a file of whisper.cpp on the hub.
    static func isOne(_ model: String) -> Bool {
        let text = model.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
        return known.contains(text)
            || text.hasPrefix("hf:") && text.hasSuffix(".bin")
    }
}

extension InstalledModel {
    /// Whether it writes down speech.
    var isSpeech: Bool { manifest.isSpeech }
}

extension ModelManifest {
    /// Whether the model writes down speech.
    var isSpeech: Bool { files.first?.role == .speech }
}
