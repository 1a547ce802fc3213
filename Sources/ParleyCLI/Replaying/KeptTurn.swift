// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleyCommandLine
import ParleyConversation
import ParleyFiles
import ParleyModels

/// The replies of a turn, which can be generated again.
struct KeptTurn {
    /// The chat.
    let chat: UUID
    /// The number of the user's message in the branch that is shown.
    let number: Int
    /// The replies in the order in which they were generated, at least one: a search of the web has two, and tools have
    /// more.
    let replies: [KeptReply]

    /// Finds a turn.
    ///
    /// - Parameters:
    ///   - name: the number of the chat in the list, or the beginning of its id; fewer than eight digits are a number.
    ///   - number: the number of the user's message in the branch that is shown.
    ///   - store: the chats.
    /// - Throws: ``CommandError`` if there is none; `AssistantError`, also if it was not kept how a reply was made.
    init(_ name: String, _ number: Int, in store: ChatStore) async throws {
        let id = try Self.chat(name, among: try await store.summaries().map(\.id))
        guard let path = try await store.chat(id)?.path else { throw CommandError("The chat \(name) has gone.") }
        let mine = path.indices.filter { path[$0].message.role == .user }
        guard mine.indices.contains(number - 1) else {
            let messages = mine.count == 1 ? "1 message" : "\(mine.count) messages"
            throw CommandError("The chat has \(messages) of yours; there is no turn \(number).")
        }
        let nodes = path[(mine[number - 1] + 1)...].prefix { $0.message.role == .assistant }
        guard !nodes.isEmpty else { throw CommandError("Turn \(number) has no reply.") }
        (chat, self.number) = (id, number)
        replies = try nodes.flatMap { try KeptReply.replies(of: $0) }
    }

    private static func chat(_ name: String, among ids: [UUID]) throws -> UUID {
        // A number beyond the list is not the beginning of an id.
        let number = name.count < 8 ? Int(name) : nil
        let found = ids.enumerated().filter { index, id in
            number.map { $0 == index + 1 } ?? id.uuidString.hasPrefix(name.uppercased())
        }.map(\.element)
        guard let id = found.first, !name.isEmpty else {
            let count = ids.isEmpty ? "there are none" : ids.count == 1 ? "there is 1" : "there are \(ids.count)"
            throw CommandError("There is no chat \(name); \(count). /chats lists them in 'parley assistant'.")
        }
        guard found.count == 1 else { throw CommandError("\(found.count) chats have ids that begin with \(name).") }
        return id
    }

}

extension KeptReply {
    /// The name of the model that generated the reply: the same file, by its digest.
    ///
    /// - Parameters:
    ///   - model: the model that the user has named, if any.
    ///   - store: the models on this machine.
    /// - Returns: a name under which the model is loaded.
    /// - Throws: ``CommandError`` that says what to do if it is not there; `ModelStoreError`.
    func model(named model: String?, in store: ModelStore) throws -> String {
        let named = "\(receipt.model)\(receipt.modelDigest.map { " (\($0))" } ?? "")"
        if let model {
            guard let found = try store.find(model) else { throw CommandError("\(model) is not on this machine.") }
            guard try receipt.modelDigest.map({ try found.digest() == $0 }) ?? true else {
                throw CommandError("\(model) is another model than that of the reply, \(named).")
            }
            return model
        }
        guard let digest = receipt.modelDigest else {
            throw CommandError(
                "The digest of the model of the reply, \(named), is not known. Name the same model with --model.")
        }
        for installed in store.list() {
            guard installed.manifest.digest.map({ "sha256:\($0)" }) == digest else { continue }
            // A file outside the store may have been changed since.
            let isOwn = installed.references.isEmpty
            let url = installed.url
            if try isOwn || url == installed.directory || "sha256:\(sha256(of: url))" == digest {
                return installed.name
            }
        }
        // A model that was given by its path has the file's name.
        let fetching =
            receipt.model.hasSuffix(".gguf")
            ? "Name" : "Fetch it with \(ShellCommand("parley models pull", receipt.model)), or name"
        throw CommandError(
            "The model of the reply, \(named), is not on this machine. \(fetching) its file with --model.")
    }
}

extension StoredModel {
    /// The digest of the file to load, such as `sha256:…`: that of the store, or computed from a file outside it.
    ///
    /// - Throws: the error of reading the file.
    func digest() throws -> String {
        if let known = manifest?.digest { return "sha256:\(known)" }
        return "sha256:\(try sha256(of: url))"
    }
}
