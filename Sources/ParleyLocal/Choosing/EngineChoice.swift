// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ParleyConversation
import ParleyModelFile
public import ParleyModels

/// The engine chosen for a model, and the reasons why other engines were not chosen.
///
/// ```swift
/// func engine(for file: URL, among engines: [EngineDescriptor]) throws -> EngineDescriptor {
///     let choice = try EngineChoice(for: file, among: engines)
///     for reason in choice.passedOver { log("\(reason)") }
///     return choice.engine
/// }
/// ```
public struct EngineChoice: Sendable {
    /// The reason why an engine was not chosen.
    public struct Refusal: Sendable, Hashable, CustomStringConvertible {
        /// The name of the engine.
        public let engine: String
        /// The reason.
        public let reason: String

        /// The engine and the reason in one line.
        public var description: String { "\(engine): \(reason)" }
    }

    /// The chosen engine.
    public let engine: EngineDescriptor
    /// The engines that precede the chosen one in the order of preference, each with the reason it was not chosen.
    public let passedOver: [Refusal]

    /// Chooses an engine by the model's format and header, without loading anything.
    ///
    /// - Parameters:
    ///   - preference: the engine to use, or automatic.
    ///   - url: the model's file or directory.
    ///   - engines: the engines to choose from, in the order of preference.
    ///   - needed: the capabilities that the engine must support.
    /// - Throws: ``ConversationError`` with code `modelLoadingFailed`, with the reason why no engine was chosen, or
    ///   `invalidInput` if no engine has the preferred name.
    public init(
        _ preference: EnginePreference = .automatic, for url: URL, among engines: [EngineDescriptor],
        needed: ModelCapabilities = .chat
    ) throws(ConversationError) {
        let wanted = engines.filter { preference.name == nil || $0.name == preference.name }
        guard !wanted.isEmpty else {
            let names = engines.map(\.name).joined(separator: ", ")
            throw ConversationError(.invalidInput, "There is no engine \(preference). There are: \(names).")
        }
        var refusals: [Refusal] = []
        for engine in wanted {
            guard let reason = engine.reasonAgainst(url, needed: needed) else {
                self.engine = engine
                passedOver = refusals
                return
            }
            refusals.append(Refusal(engine: engine.name, reason: reason))
        }
        let name = url.lastPathComponent
        for other in OptionalEngine.all {
            guard let form = other.ownForm, form.format.isFormat(of: url),
                !engines.contains(where: { $0.formats.contains(form.format) })
            else { continue }
            throw ConversationError(
                .modelLoadingFailed,
                "\(name) is \(form.what), which this build does not read: build with the package trait "
                    + "\(other.trait); \(other.script) installs what that needs.")
        }
        if !wanted.contains(where: { engine in engine.formats.contains { $0.isFormat(of: url) } }) {
            let readable = Set(wanted.flatMap { $0.formats.map(\.spelling) }).sorted().joined(separator: ", ")
            let reader = preference.name.map { "the engine \($0)" } ?? "this build"
            throw ConversationError(
                .modelLoadingFailed,
                "\(name) is not of a format that \(reader) reads (\(readable)). Give the path of such a model, or a name of "
                    + "'parley models catalog'.")
        }
        let reasons = Set(refusals.map(\.reason))
        if let reason = reasons.first, reasons.count == 1 { throw ConversationError(.modelLoadingFailed, reason) }
        throw ConversationError(
            .modelLoadingFailed,
            "No engine runs \(name).\n" + refusals.map { "  \($0)" }.joined(separator: "\n"))
    }
}

extension EngineDescriptor {
    fileprivate func reasonAgainst(_ url: URL, needed: ModelCapabilities) -> String? {
        let name = url.lastPathComponent
        guard formats.contains(where: { $0.isFormat(of: url) }) else {
            let read = formats.map(\.spelling).sorted().joined(separator: ", ")
            return "\(name) is not of a format that the engine \(self.name) reads (\(read))"
        }
        if needed == .embeddings {
            guard let embeddings else { return "The engine \(self.name) makes no embeddings." }
            return problem() ?? embeddings.refusal(url)
        }
        let missing = needed.subtracting(capabilities)
        if missing.contains(.vision) {
            return "The engine \(self.name) reads no images; load the model with one that does, or without a projector."
        }
        guard missing.isEmpty else { return "The engine \(self.name) has no models for \(missing)." }
        return problem() ?? refusal(url)
    }
}
