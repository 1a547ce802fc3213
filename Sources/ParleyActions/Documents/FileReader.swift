// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ParleyAssistant
import ParleyFiles

/// Reads files of this machine as text: plain text and Markdown as they are, HTML as Markdown, PDF by the system's means.
///
/// What a file is follows from its content, whatever its name says.
///
/// Only files that the user has chosen belong here. Their text is untrusted all the same.
public struct FileReader: DocumentReader {
    private let limits: Limits
    private let pdf: any PDFTextReader

    /// The limits of a file.
    public struct Limits: Hashable, Sendable {
        /// The maximum size of a file in bytes; a text file that is larger is cut, a PDF is refused.
        public var bytes = 32 << 20
        /// The maximum number of characters of its text; the rest is cut off.
        public var characters = 200_000
        /// The time for reading a PDF.
        public var time = Duration.seconds(20)

        /// Creates the usual limits.
        public init() {}
    }

    /// Creates a reader.
    public init(limits: Limits = Limits()) { self.init(limits: limits, pdf: SystemPDFReader()) }

    package init(limits: Limits, pdf: any PDFTextReader) { (self.limits, self.pdf) = (limits, pdf) }

    /// The text of a file.
    ///
    /// - Throws: ``AssistantError`` with code `refused` for an address that is no file, `storeUnavailable`,
    ///   `invalidAnswer` or `tooLarge`; `CancellationError`.
    public func text(at url: URL) async throws -> DocumentText {
        guard url.isFileURL else { throw AssistantError(.refused, "Only files are read here.") }
        let name = url.lastPathComponent
        let file = url.resolvingSymlinksInPath()
        let (data, isWhole) = try Self.read(file, upTo: limits.bytes, name)
        let kind = FileKind(data)
        if kind == .pdf {
            guard isWhole else {
                throw AssistantError(.tooLarge, "\(name) is larger than \(limits.bytes >> 20) MiB.")
            }
            return cut(try await pdf.text(of: file, limit: limits), name, isCut: false)
        }
        guard kind == .text || kind == .html else {
            throw AssistantError(.invalidAnswer, "\(name) is no text; text, Markdown, HTML and PDF can be read.")
        }
        let text = TextBytes.string(data, contentType: nil, isMarkup: kind == .html)
        guard kind == .html else { return cut(text, name, isCut: !isWhole) }
        let page = HTMLMarkdown.convert(text, base: nil, limit: limits.characters)
        return DocumentText(
            title: page.title.isEmpty ? name : page.title, text: page.text, isCut: page.isCut || !isWhole)
    }

    private func cut(_ text: String, _ name: String, isCut: Bool) -> DocumentText {
        let result = text.cut(to: limits.characters)
        return DocumentText(title: name, text: result, isCut: isCut || result.utf8.count < text.utf8.count)
    }

    private static func read(
        _ file: URL, upTo limit: Int, _ name: String
    ) throws(AssistantError) -> (Data, isWhole: Bool) {
        do {
            let (data, isWhole) = try WholeFile.beginning(of: file, limit: limit)
            return (data, isWhole)
        } catch {
            let isNone = error.code == .notFound || error.code == .notRegular
            let problem = isNone ? "is no file that can be read" : "cannot be read"
            throw AssistantError(.storeUnavailable, "\(name) \(problem).", cause: error)
        }
    }
}

/// Takes the text out of a PDF.
package protocol PDFTextReader: Sendable {
    /// The text of a file, possibly longer than the limit.
    ///
    /// - Throws: ``AssistantError``, or `CancellationError`.
    func text(of file: URL, limit: FileReader.Limits) async throws -> String
}
