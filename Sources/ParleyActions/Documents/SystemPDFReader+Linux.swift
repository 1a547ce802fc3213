// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
    package import Foundation
    import ParleyAssistant
    import ParleySystem

    /// Reads PDF with `pdftotext` of poppler, where it is installed.
    package struct SystemPDFReader: PDFTextReader {
        private let command: String

        /// Creates a reader.
        package init(command: String = "pdftotext") { self.command = command }

        /// The text of a file: the program runs without a shell, for a limited time, and no more of its output than the
        /// limit is read.
        ///
        /// - Throws: ``AssistantError`` with code `storeUnavailable` if the program is missing or takes too long, or
        ///   `invalidAnswer` if it cannot read the file; `CancellationError`.
        package func text(of file: URL, limit: FileReader.Limits) async throws -> String {
            let process: ChildProcess
            do {
                // An absolute path cannot be taken for an option.
                process = try ChildProcess(
                    command, ["-enc", "UTF-8", "-q", file.path, "-"], environment: ["LC_ALL": "C.UTF-8"])
            } catch {
                let remedy = "Install poppler-utils (apt-get install poppler-utils)."
                let message = "PDF is read with the program pdftotext, which cannot be started. \(remedy)"
                throw AssistantError(.storeUnavailable, message, cause: error)
            }
            do {
                let text = try await output(of: process, limit)
                await process.end(grace: .zero)
                return text
            } catch {
                await process.end(grace: .zero)
                throw error
            }
        }

        private func output(of process: ChildProcess, _ limit: FileReader.Limits) async throws -> String {
            process.closeInput()
            return try await withThrowingTaskGroup(of: String.self) { group in
                group.addTask {
                    var bytes: [UInt8] = []
                    while let piece = try await process.read() {
                        bytes += piece
                        if bytes.count > 4 * limit.characters { return Self.text(bytes) }
                    }
                    guard try await process.waitForExit() == .status(0) else {
                        throw AssistantError(.invalidAnswer, "The PDF is damaged or locked with a password.")
                    }
                    return Self.text(bytes)
                }
                group.addTask {
                    try await Task.sleep(for: limit.time)
                    throw AssistantError(.storeUnavailable, "Reading the PDF takes too long.")
                }
                defer { group.cancelAll() }
                return try await group.next() ?? ""
            }
        }

        /// The text with page breaks as empty lines.
        private static func text(_ bytes: [UInt8]) -> String {
            String(decoding: bytes, as: UTF8.self).replacing("\u{0C}", with: "\n\n")
                .trimmingCharacters(in: .whitespacesAndNewlines)
        }
    }
#endif
