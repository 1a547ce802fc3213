// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant

/// What a server has in a collection: which items, and what they contain.
struct RemoteCollection: Sendable {
    private let server: DAVServer
    private let collection: DAVCollection

    /// Creates a value that asks a server.
    init(_ collection: DAVCollection, on server: DAVServer) { (self.collection, self.server) = (collection, server) }

    /// What changed since a token, or everything; nil if there is no such collection.
    ///
    /// - Throws: ``AssistantError``, or `CancellationError`.
    func listing(since token: String?) async throws -> RemoteListing? {
        if collection.tellsChanges {
            if token != nil, let changes = try await changes(since: token) { return changes }
            // There is no token, or the server no longer knows it.
            if let all = try await changes(since: nil) { return all }
        }
        guard
            let answer = try await server.properties(
                [.dav("getetag"), .dav("resourcetype")], of: collection.path, depth: 1)
        else { return nil }
        // What a server leaves out because it is too much is not gone.
        var listing = RemoteListing(isComplete: !isCut(answer))
        add(answer, to: &listing)
        return listing
    }

    /// Whether the server says that it has not named all that there is.
    private func isCut(_ answer: Multistatus) -> Bool {
        answer.responses.contains { response in
            response.status == 507 && DAVPath(href: response.href, on: server.address) == collection.path
        }
    }

    /// What changed since a token, or everything; nil if the server does not know the token.
    private func changes(since token: String?) async throws -> RemoteListing? {
        var listing = RemoteListing(isComplete: token == nil)
        var last = token
        // A server may answer in parts.
        for _ in 0..<1_000 {
            guard
                let answer = try await server.report(
                    DAVBody.syncCollection(since: last), on: collection.path, depth: 0)
            else { return nil }
            add(answer, to: &listing)
            let isCut = isCut(answer)
            guard isCut, let next = answer.syncToken, next != last else {
                guard !isCut else { return nil }
                listing.token = answer.syncToken
                return listing
            }
            last = next
        }
        return nil
    }

    private func add(_ answer: Multistatus, to listing: inout RemoteListing) {
        for response in answer.responses {
            let path = DAVPath(href: response.href, on: server.address)
            if path == collection.path { continue }
            guard let path, collection.path.isParent(of: path) else {
                listing.outside += 1
                continue
            }
            let types = response.properties[.dav("resourcetype")]?.children.map(\.name) ?? []
            if types.contains(.dav("collection")) { continue }
            // With any other status, such as 403 or 500, the item is there, and getting it tells what is wrong.
            listing.items[path] = [404, 410].contains(response.status) ? .gone : .present(etag: response.etag)
        }
    }

    /// The contents of several items, without those that the server does not give.
    ///
    /// - Throws: ``AssistantError``, or `CancellationError`.
    func contents(of paths: [DAVPath]) async throws -> [DAVPath: (content: Data, etag: String?)] {
        let answer: Multistatus?
        do {
            answer = try await server.report(
                DAVBody.multiget(paths, of: collection.kind), on: collection.path, depth: 1)
        } catch let error as AssistantError {
            // They may be too large together.
            guard error.code == .tooLarge else { throw error }
            return [:]
        }
        var contents: [DAVPath: (content: Data, etag: String?)] = [:]
        for response in answer?.responses ?? [] {
            guard let path = DAVPath(href: response.href, on: server.address), paths.contains(path),
                let text = response.properties[collection.kind.data]?.text, !text.isEmpty
            else { continue }
            // XML has made one character of each line end.
            let lines = text.utf8.contains(0x0D) ? text : text.replacing("\n", with: "\r\n")
            contents[path] = (Data(lines.utf8), response.etag)
        }
        return contents
    }
}
