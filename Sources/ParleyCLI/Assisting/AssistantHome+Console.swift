// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyActions
import ParleyHTTP
import ParleyModels

extension AssistantHome {
    /// The directory that the environment names, as if it had no settings.
    init(environment: ProcessEnvironment = .process) {
        self.init(ModelStore.dataDirectory(environment: environment))
    }

    /// The directory that the environment names, with the settings in it.
    ///
    /// - Throws: `AssistantError`.
    init(console: Console) throws {
        try self.init(reading: ModelStore.dataDirectory(environment: .process))
        for name in settings.unknown {
            console.note("\(AssistantSettings.fileName): there is no setting \"\(name)\"; it is ignored.")
        }
    }
}
