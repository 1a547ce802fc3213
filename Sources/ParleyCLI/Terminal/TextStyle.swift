// SPDX-License-Identifier: Apache-2.0

import Foundation
package import ParleyHTTP

/// Text styles, which have an effect on a terminal unless `NO_COLOR` is set (see <https://no-color.org>).
package struct TextStyle: Sendable {
    /// How text looks.
    struct Look: OptionSet, Hashable, Sendable {
        let rawValue: Int

        static let bold = Look(rawValue: 1)
        static let dim = Look(rawValue: 2)
        static let italic = Look(rawValue: 4)
        static let underlined = Look(rawValue: 8)
        static let struck = Look(rawValue: 16)
        static let accent = Look(rawValue: 32)
    }

    /// Whether styles have any effect.
    package var isEnabled: Bool

    /// Creates styles for a stream.
    package init(
        for stream: Terminal.Stream, environment: ProcessEnvironment = .process
    ) {
        isEnabled = stream.isTerminal && environment["NO_COLOR"] == nil && !Terminal.isDumb(environment)
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
    static let sequences = ([end, dim, bold, accent, red] + looks.map(\.sequence)).map(\.unicodeScalars)

    /// The sequences of the looks of rendered text.
    static let looks: [(look: Look, sequence: String)] = [
        (.bold, bold), (.dim, dim), (.italic, "\u{1b}[3m"), (.underlined, "\u{1b}[4m"), (.struck, "\u{1b}[9m"),
        (.accent, accent),
    ]

    /// A text in a look; as it is where styles have no effect.
    func apply(_ look: Look, _ text: String) -> String {
        guard isEnabled, !text.isEmpty, !look.isEmpty else { return text }
        return Self.looks.filter { look.contains($0.look) }.map(\.sequence).joined() + text + Self.end
    }

    /// A text without the sequences of styles.
    static func removingStyles(from text: String) -> String {
        text.contains("\u{1b}") ? sequences.reduce(text) { $0.replacing(String($1), with: "") } : text
    }

    private static let end = "\u{1b}[0m"
    private static let (bold, dim) = ("\u{1b}[1m", "\u{1b}[2m")
    private static let (red, accent) = ("\u{1b}[31m", "\u{1b}[36m")

    private func apply(_ sequence: String, _ text: String) -> String {
        isEnabled && !text.isEmpty ? sequence + text + Self.end : text
    }
}
