// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import ParleyAssistant

/// Reads what is attached when it is attached, so that a mistake is told then, and keeps the text for the message.
package actor AttachedDocuments: DocumentReader {
    /// The largest number of texts that are kept.
    private static let most = 16

    private let reader: AttachmentReader
    private var kept: [(url: URL, text: DocumentText)] = []

    /// Creates a reader whose texts fit into a model's context beside the rest of the prompt.
    ///
    /// - Parameters:
    ///   - contextTokens: the length of the context; about half of it is for a document.
    ///   - readsWeb: whether pages of the web may be read.
    package init(contextTokens: Int, readsWeb: Bool) {
        // A token of plain English is about four characters.
        let characters = max(1_000, min(contextTokens, 1 << 20) * 2)
        var files = FileReader.Limits()
        files.characters = min(files.characters, characters)
        var pages = PageReader.Limits()
        pages.characters = min(pages.characters, characters)
        reader = AttachmentReader(
            files: FileReader(limits: files), pages: readsWeb ? PageReader(limits: pages) : nil)
    }

    /// The text of a file or a page, read once.
    ///
    /// - Throws: `AssistantError`, or `CancellationError`.
    package func text(at url: URL) async throws -> DocumentText {
        if let known = kept.first(where: { $0.url == url }) { return known.text }
        let text = try await reader.text(at: url)
        kept.append((url, text))
        if kept.count > Self.most { kept.removeFirst() }
        return text
    }

    /// Forgets a text, so that it is read anew.
    package func forget(_ url: URL) { kept.removeAll { $0.url == url } }
}
