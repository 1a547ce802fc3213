// SPDX-License-Identifier: Apache-2.0

import ParleyModels

/// What the programs say of misspelt options.
package enum Misspelling {
    /// The message without a name that is suggested for an unknown option and has little in common with it, as the library
    /// suggests for every short one.
    package static func withoutFarName(_ message: String) -> String {
        guard let match = message.wholeMatch(of: /(Unknown option '-*(.+)')\. Did you mean '-*(.+)'\?/),
            nearestNames(to: String(match.2), among: [String(match.3)]).isEmpty
        else { return message }
        return String(match.1)
    }
}
