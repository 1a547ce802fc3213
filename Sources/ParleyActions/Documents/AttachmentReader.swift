// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ParleyAssistant

/// Reads what a user attaches: files with a ``FileReader``, pages of the web with a ``PageReader``.
public struct AttachmentReader: DocumentReader {
    private let files: FileReader
    private let pages: PageReader?

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - files: reads files.
    ///   - pages: reads pages; nil to refuse them.
    public init(files: FileReader = FileReader(), pages: PageReader? = PageReader()) {
        (self.files, self.pages) = (files, pages)
    }

    /// The text of a file or a page.
    ///
    /// - Throws: ``AssistantError``, as the two readers do; `CancellationError`.
    public func text(at url: URL) async throws -> DocumentText {
        if url.isFileURL { return try await files.text(at: url) }
        guard let pages else { throw AssistantError(.refused, "The settings do not allow reading from the web.") }
        return try await pages.text(at: url)
    }
}
