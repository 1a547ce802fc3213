// SPDX-License-Identifier: Apache-2.0

package import ParleyHTTP

/// A line on standard error that says how far something has come: it is drawn anew, and removed in the end. Nothing is
/// shown where that is not possible: in files and pipes, and on a terminal that can do nothing but write.
package struct StatusLine: Sendable {
    /// Whether the line is shown.
    package let isShown: Bool

    /// Creates the line of a terminal.
    package init(
        isTerminal: Bool = Terminal.Stream.error.isTerminal, environment: ProcessEnvironment = .process
    ) {
        isShown = isTerminal && !Terminal.isDumb(environment)
    }

    /// Draws the line in the place of the one before.
    func draw(_ text: String, style: (String) -> String = { $0 }) {
        Terminal.write(drawing(of: text, columns: Terminal.size.columns, style: style), to: .error)
    }

    /// Removes the line.
    func erase() { draw("") }

    /// What draws a text in a style. What does not fit into one row is left out, since only one is removed again.
    package func drawing(of text: String, columns: Int, style: (String) -> String = { $0 }) -> String {
        isShown ? "\r\u{1b}[K" + style(String(DisplayWidth.beginning(of: text, columns: columns - 1))) : ""
    }
}
