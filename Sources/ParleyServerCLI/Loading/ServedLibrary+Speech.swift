// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyCommandLine
import ParleyFiles
import ParleyLocalEngines
import ParleyModels
package import ParleyServer
import ParleySpeech

extension ServedLibrary {
    /// The model that writes down speech, which has to be on this machine and is loaded when it is asked for first.
    ///
    /// - Parameter name: a name in the catalog of speech models, an address of the hub or a path.
    /// - Returns: the model.
    /// - Throws: ``CommandError`` if it is not on this machine; `ModelStoreError` if there is none of the name.
    package func speech(_ name: String) async throws -> ServedSpeech {
        do {
            _ = try await store.installSpeechModel(name, isOffline: true)
        } catch let error as ModelStoreError where error.code == .offline {
            let option = name.lowercased().hasPrefix("hf:") ? " --speech" : ""
            let command = ShellCommand("parley models pull" + option, name)
            throw CommandError("The speech model \(name) is not on this machine. \(command) fetches it.", cause: error)
        }
        // A path is nobody's business but the server's.
        let id = name.contains("/") ? URL(filePath: name).deletingPathExtension().lastPathComponent : name
        return ServedSpeech(id: id) { [store, threads] in
            try await SpeechModel.load(name, store: store, isOffline: true, threads: threads)
        }
    }
}
