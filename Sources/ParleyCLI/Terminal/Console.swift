// SPDX-License-Identifier: Apache-2.0

/// Where commands write: answers to standard output, everything about them to standard error.
package struct Console: Sendable {
    /// Styles for standard output.
    package let outputStyle = TextStyle(for: .output)
    /// Styles for standard error.
    package let errorStyle = TextStyle(for: .error)

    /// Creates a console.
    package init() {}

    /// Writes part of an answer.
    package func write(_ text: String) {
        Terminal.write(text, to: .output)
    }

    /// Writes a line of an answer.
    package func line(_ text: String = "") {
        Terminal.write(text + "\n", to: .output)
    }

    /// Writes a remark about what happens.
    package func note(_ text: String) {
        Terminal.write(errorStyle.dim(text) + "\n", to: .error)
    }

    /// Writes an error.
    package func error(_ message: String) {
        Terminal.write(errorStyle.red("parley: ") + message + "\n", to: .error)
    }
}
