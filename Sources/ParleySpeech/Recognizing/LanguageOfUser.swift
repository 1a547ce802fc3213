// SPDX-License-Identifier: Apache-2.0

import Foundation

extension TranscriptionOptions {
    /// The language of the user's locale, as an ISO code.
    public static var languageOfUser: String? {
        guard let code = Locale.current.language.languageCode?.identifier, code != "und" else { return nil }
        return code
    }
}
