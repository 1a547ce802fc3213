// SPDX-License-Identifier: Apache-2.0

import ParleyRuntime

/// A part of Parley that untrusted input reaches, and how to make such input.
protocol FuzzSubject: Sendable {
    /// The subject's name on the command line.
    static var name: String { get }

    /// Prepares what all cases share.
    init() throws

    /// Makes one case of random input and runs it. The same numbers make the same case.
    ///
    /// - Throws: ``FuzzFailure`` where a property does not hold. Errors that the part under test may throw are caught.
    func run(_ random: inout SplitMix64) async throws
}

/// A property that does not hold.
struct FuzzFailure: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Every subject that can be fuzzed.
let subjects: [any FuzzSubject.Type] = [
    CalendarFuzz.self,
    CallFuzz.self,
    ChatImportFuzz.self,
    ContactFuzz.self,
    FolderFuzz.self,
    HeaderFuzz.self,
    HistoryFuzz.self,
    HubFuzz.self,
    JSONFuzz.self,
    MCPFuzz.self,
    MarkdownFuzz.self,
    MarkupFuzz.self,
    NoteFuzz.self,
    OpenAIFuzz.self,
    RouterFuzz.self,
    SafetensorsFuzz.self,
    SchemaFuzz.self,
    SoundFuzz.self,
    TemplateFuzz.self,
    TokenizerDocumentFuzz.self,
    TokenizerFuzz.self,
    WebDAVFuzz.self,
    WishFuzz.self,
]
