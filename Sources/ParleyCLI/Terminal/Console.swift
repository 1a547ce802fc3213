// SPDX-License-Identifier: Apache-2.0

import ParleySystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The output of commands: answers go to standard output, everything else to standard error. Where standard output is for
/// JSON alone, another console writes what is for reading to standard error too.
///
/// Models, files and servers provide much of it. So control characters are removed from what goes to a terminal or to
/// standard error; an answer that goes to a file or a pipe is written as it is.
package struct Console: Sendable {
    /// Styles for answers.
    package let outputStyle: TextStyle
    /// Styles for standard error.
    package let errorStyle = TextStyle(for: .error)
    /// Where answers go.
    private let output: Terminal.Stream
    /// Whether answers go to a terminal.
    var isTerminal: Bool { output.isTerminal }

    /// Creates a console.
    ///
    /// - Parameter output: where answers go.
    package init(output: Terminal.Stream = .output) {
        self.output = output
        outputStyle = TextStyle(for: output)
    }

    /// Writes part of an answer.
    ///
    /// If it cannot be written, the process ends, so that an incomplete answer is not taken for a complete one.
    package func write(_ text: String) {
        send(output == .error || output.isTerminal ? PlainText.keepingStyles(text) : text)
    }

    /// Draws on a terminal: text without control characters, and sequences that move the cursor.
    package func draw(_ text: String) {
        if !text.isEmpty { send(text) }
    }

    private func send(_ text: String) {
        if Terminal.write(text, to: output) { return }
        let code = errno
        // Where the signal is ignored that ends the process, who has ceased to read wants no message either.
        if code == EPIPE { exit(128 + SIGPIPE) }
        error("Cannot write the output: \(String(cString: strerror(code))).")
        exit(1)
    }

    /// Writes a line of an answer.
    package func line(_ text: String = "") {
        write(text + "\n")
    }

    /// Writes part of an answer that is for reading: as it is, but wrapped between words if it goes to a terminal.
    package func paragraph(_ text: String) {
        write(wrapped(text))
    }

    /// Writes a remark to standard error.
    package func note(_ text: String) {
        Terminal.write(errorStyle.dim(wrapped(PlainText.keepingStyles(text), for: .error)) + "\n", to: .error)
    }

    /// Writes an error.
    package func error(_ message: String) {
        let text = wrapped("parley: " + PlainText.keepingStyles(message), for: .error)
        Terminal.write(errorStyle.red("parley: ") + text.dropFirst("parley: ".count) + "\n", to: .error)
    }

    /// The text, wrapped between words if the stream is a terminal.
    func wrapped(_ text: String, for stream: Terminal.Stream? = nil) -> String {
        guard (stream ?? output).isTerminal else { return text }
        var wrapper = WordWrapper(columns: Terminal.size.columns)
        return wrapper.append(text) + wrapper.finish()
    }
}
