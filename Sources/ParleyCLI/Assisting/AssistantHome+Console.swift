// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyActions
import ParleyAssistant
import ParleyCommandLine
import ParleyHTTP
import ParleyModels

extension AssistantHome {
    /// The directory that the environment names, as if it had no settings.
    init(environment: ProcessEnvironment = .process) {
        self.init(ModelStore.dataDirectory(environment: environment))
    }

    /// The directory that the environment names, with the settings in it.
    ///
    /// - Throws: ``CommandError`` that says where the file is.
    init(console: Console) throws {
        let directory = ModelStore.dataDirectory(environment: .process)
        do {
            try self.init(reading: directory)
        } catch {
            let file = directory.appending(path: AssistantSettings.fileName).path
            throw CommandError("\(error.message)\nCorrect \(file), or move it away.", cause: error)
        }
        for name in settings.unknown {
            console.note("\(AssistantSettings.fileName): there is no setting \"\(name)\"; it is ignored.")
        }
    }
}
