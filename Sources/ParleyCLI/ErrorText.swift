// SPDX-License-Identifier: Apache-2.0

import ParleyTemplate

/// Errors in words for a terminal.
enum ErrorText {
    /// Nobody reads more of an error, and a template may say as much as it likes.
    private static let longest = 1_000

    /// What happened and what to do. Files may have contributed to the text, so control characters are left out.
    static func of(_ error: any Error) -> String {
        let text = error is TemplateError ? "The chat template failed: \(error)" : "\(error)"
        return String(PlainText.clean(text).prefix(longest))
    }
}
