// SPDX-License-Identifier: Apache-2.0

import ParleyAssistant
import ParleyHTTP

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Finds the collections of an account: from its address over the user's principal to the homes (RFC 6764, 4791, 6352).
package struct DAVDiscovery: Sendable {
    private let server: DAVServer
    /// The largest number of collections that are looked at.
    private static let most = 500

    /// Creates a value that asks a server.
    package init(_ server: DAVServer) { self.server = server }

    /// The collections of the account, in the order of the server.
    ///
    /// - Throws: ``AssistantError`` with code `storeUnavailable`, `refused`, `invalidAnswer`, or `itemNotFound` if there are
    ///   none; `CancellationError`.
    package func collections() async throws -> [DAVCollection] {
        var found: [DAVCollection] = []
        for kind in DAVCollection.Kind.allCases {
            for start in try await starts(of: kind) {
                let more = try await collections(of: kind, from: start)
                for one in more where !found.contains(where: { $0.path == one.path }) { found.append(one) }
                if !more.isEmpty { break }
            }
        }
        guard !found.isEmpty else {
            throw AssistantError(
                .itemNotFound, "\(server.host) has no calendars or address books at this address.")
        }
        return found
    }

    /// The places at which to begin: the address itself and, where it names no more than the server, the well-known one.
    private func starts(of kind: DAVCollection.Kind) async throws -> [DAVPath] {
        guard let own = DAVPath(server.address) else { return [] }
        guard own.names.isEmpty else { return [own] }
        return [try await wellKnown(kind), own].compactMap { $0 }
    }

    /// Where the well-known address leads to; nil if the server has none.
    private func wellKnown(_ kind: DAVCollection.Kind) async throws -> DAVPath? {
        var path = kind.wellKnown
        for _ in 0..<5 {
            let answer = try await server.answer(
                "PROPFIND", path, headers: ["Depth": "0", "Content-Type": "application/xml; charset=utf-8"],
                body: DAVBody.propfind([.dav("current-user-principal")]))
            switch answer.status {
            case 207: return DAVPath(href: path, on: server.address)
            case 301, 302, 303, 307, 308:
                guard let target = answer.headers["Location"] else { return nil }
                guard let next = DAVPath(href: target, on: server.address) else { throw elsewhere(target) }
                path = next.encodedFolder
            default: return nil
            }
        }
        return nil
    }

    private func collections(of kind: DAVCollection.Kind, from start: DAVPath) async throws -> [DAVCollection] {
        let names = [.dav("current-user-principal"), kind.homeSet] + DAVCollection.properties
        guard let answer = try await server.properties(names, of: start), let first = answer.responses.first else {
            return []
        }
        // The address may be that of a single collection.
        if let collection = DAVCollection(first, at: start) { return collection.kind == kind ? [collection] : [] }
        var homes = try paths(in: first.properties[kind.homeSet])
        if homes.isEmpty, let principal = try paths(in: first.properties[.dav("current-user-principal")]).first {
            let answer = try await server.properties([kind.homeSet], of: principal)
            homes = try paths(in: answer?.responses.first?.properties[kind.homeSet])
        } else if homes.isEmpty {
            // A server that knows no principals; what it has is below the address.
            homes = [start]
        }
        var found: [DAVCollection] = []
        for home in homes.prefix(10) {
            let answer = try await server.properties(DAVCollection.properties, of: home, depth: 1)
            for response in (answer?.responses ?? []).prefix(Self.most) {
                // A server names its own collections; what leads out of the home is not followed.
                guard let path = DAVPath(href: response.href, on: server.address),
                    home.isParent(of: path) || path == home,
                    let collection = DAVCollection(response, at: path), collection.kind == kind
                else { continue }
                found.append(collection)
            }
        }
        return found
    }

    /// The paths that a property names.
    private func paths(in property: XMLTree?) throws(AssistantError) -> [DAVPath] {
        var paths: [DAVPath] = []
        for href in property?.all(.dav("href")).compactMap(\.word) ?? [] {
            guard let path = DAVPath(href: href, on: server.address) else { throw elsewhere(href) }
            paths.append(path)
        }
        return paths
    }

    /// The error of a server that names another one. The password is not sent there unless the user says so.
    private func elsewhere(_ text: String) -> AssistantError {
        let place = URL(string: text).map { $0.redacted.absoluteString.prefix(200) }
        let remedy = place.map { " It names \($0): if that is right, add this address instead." } ?? ""
        return AssistantError(.refused, "\(server.host) keeps the account on another server.\(remedy)")
    }
}
