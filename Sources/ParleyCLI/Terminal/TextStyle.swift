// SPDX-License-Identifier: Apache-2.0

import Foundation
package import ParleyHTTP

/// Text styles, which have an effect on a terminal unless `NO_COLOR` is set (see <https://no-color.org>).
package struct TextStyle: Sendable {
    /// Whether styles have any effect.
    package var isEnabled: Bool

    /// Creates styles for a stream.
    package init(
        for stream: Terminal.Stream, environment: ProcessEnvironment = .process
    ) {
        isEnabled =
            stream.isTerminal && environment["NO_COLOR"] == nil && environment["TERM"] != "dumb"
    }

    /// Creates styles that have an effect or not.
    package init(isEnabled: Bool) {
        self.isEnabled = isEnabled
    }

    /// Less prominent.
    package func dim(_ text: String) -> String { apply("2", text) }
    /// More prominent.
    package func bold(_ text: String) -> String { apply("1", text) }
    /// The colour of the prompt.
    package func accent(_ text: String) -> String { apply("36", text) }
    /// The colour of errors.
    package func red(_ text: String) -> String { apply("31", text) }

    private func apply(_ code: String, _ text: String) -> String {
        isEnabled && !text.isEmpty ? "\u{1b}[\(code)m\(text)\u{1b}[0m" : text
    }
}
