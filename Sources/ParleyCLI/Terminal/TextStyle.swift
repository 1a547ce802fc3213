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
    package func dim(_ text: String) -> String { apply(Self.dim, text) }
    /// More prominent.
    package func bold(_ text: String) -> String { apply(Self.bold, text) }
    /// The colour of the prompt.
    package func accent(_ text: String) -> String { apply(Self.accent, text) }
    /// The colour of errors.
    package func red(_ text: String) -> String { apply(Self.red, text) }

    /// The escape sequences of all styles.
    static let sequences = [end, dim, bold, accent, red].map(\.unicodeScalars)

    private static let (end, bold, dim) = ("\u{1b}[0m", "\u{1b}[1m", "\u{1b}[2m")
    private static let (red, accent) = ("\u{1b}[31m", "\u{1b}[36m")

    private func apply(_ sequence: String, _ text: String) -> String {
        isEnabled && !text.isEmpty ? sequence + text + Self.end : text
    }
}
