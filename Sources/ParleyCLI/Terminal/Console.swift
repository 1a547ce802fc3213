// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Where commands write: answers to standard output, everything about them to standard error.
package struct Console: Sendable {
    /// Styles for standard output.
    package let outputStyle = TextStyle(for: .output)
    /// Styles for standard error.
    package let errorStyle = TextStyle(for: .error)

    /// Creates a console.
    package init() {}

    /// Writes part of an answer.
    ///
    /// An answer that cannot be written ends the process, so that a part is not taken for the whole.
    package func write(_ text: String) {
        if Terminal.write(text, to: .output) { return }
        error("Cannot write the output; the disk may be full.")
        exit(1)
    }

    /// Writes a line of an answer.
    package func line(_ text: String = "") {
        write(text + "\n")
    }

    /// Writes a remark about what happens.
    package func note(_ text: String) {
        Terminal.write(errorStyle.dim(Self.wrapped(text)) + "\n", to: .error)
    }

    /// Writes an error.
    package func error(_ message: String) {
        let text = Self.wrapped("parley: " + message)
        Terminal.write(errorStyle.red("parley: ") + text.dropFirst("parley: ".count) + "\n", to: .error)
    }

    /// The text broken between words where a terminal shows it.
    private static func wrapped(_ text: String) -> String {
        guard Terminal.Stream.error.isTerminal else { return text }
        var wrapper = WordWrapper(columns: Terminal.size.columns)
        return wrapper.append(text) + wrapper.finish()
    }
}
