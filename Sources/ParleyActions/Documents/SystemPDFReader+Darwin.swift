// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    package import Foundation
    import ParleyAssistant
    import PDFKit

    /// Reads PDF with PDFKit. Not run by this project's tests, which run on Linux.
    package struct SystemPDFReader: PDFTextReader {
        /// Creates a reader.
        package init() {}

        /// The text of a file, page by page up to the limit.
        ///
        /// - Throws: ``AssistantError`` with code `storeUnavailable` if it takes too long, or `invalidAnswer` if the
        ///   file cannot be read; `CancellationError`.
        package func text(of file: URL, limit: FileReader.Limits) async throws -> String {
            guard let document = PDFDocument(url: file), !document.isLocked else {
                throw AssistantError(.invalidAnswer, "The PDF is damaged or locked with a password.")
            }
            let deadline = ContinuousClock.now.advanced(by: limit.time)
            var text = ""
            for index in 0..<document.pageCount where text.utf8.count <= 4 * limit.characters {
                try Task.checkCancellation()
                guard ContinuousClock.now < deadline else {
                    throw AssistantError(.storeUnavailable, "Reading the PDF takes too long.")
                }
                text += (document.page(at: index)?.string ?? "") + "\n\n"
            }
            return text.trimmingCharacters(in: .whitespacesAndNewlines)
        }
    }
#endif
