// SPDX-License-Identifier: Apache-2.0

import ParleyAssistant
package import ParleyHTTP
import ParleyFiles

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a synchronisation of an account did.
package struct AccountReport: Hashable, Sendable {
    /// The account.
    package var account: String
    /// What was done in each collection that was looked at.
    package var collections: [CollectionReport] = []
    /// Why the account as a whole could not be synchronised; nil if it could.
    package var problem: String?
    /// Whether the server could not be reached.
    package var isOffline = false

    /// Creates a report of an account of which nothing was done.
    package init(account: String) { self.account = account }

    /// Whether everything came to its end.
    package var isComplete: Bool { problem == nil && collections.allSatisfy { $0.problem == nil } }
}

/// Synchronises an account: finds its collections, and brings each together with its folder.
package struct AccountSync: Sendable {
    private let account: Account
    private let folders: AccountFolders
    private let http: any HTTPClient
    private let environment: ProcessEnvironment
    private let limits: HTTPTimeLimits

    /// Creates a value for an account.
    ///
    /// - Parameters:
    ///   - account: the account.
    ///   - folders: where it is kept.
    ///   - http: sends the requests.
    ///   - environment: may have the password.
    ///   - limits: the time limits of each answer.
    package init(
        _ account: Account, in folders: AccountFolders, http: any HTTPClient = URLSessionClient(),
        environment: ProcessEnvironment = .process, limits: HTTPTimeLimits = .ofServers
    ) {
        (self.account, self.folders, self.http) = (account, folders, http)
        (self.environment, self.limits) = (environment, limits)
    }

    /// Looks for the collections, and keeps them.
    ///
    /// - Returns: the collections, also those that are no longer on the server.
    /// - Throws: ``AssistantError``, or `CancellationError`.
    @discardableResult
    package func discover() async throws -> [MirroredCollection] {
        let lock = try await lock()
        defer { withExtendedLifetime(lock) {} }
        return try await discover(on: try await server())
    }

    /// Synchronises all collections, after looking for new ones. What goes wrong is in the report.
    ///
    /// One process at a time synchronises an account; others wait.
    ///
    /// - Parameters:
    ///   - looksForNew: whether to look for new collections; otherwise only if none are known.
    ///   - options: how it goes.
    /// - Returns: what was done.
    /// - Throws: `CancellationError`.
    package func run(
        looksForNew: Bool = true, options: CollectionSync.Options = .init()
    ) async throws -> AccountReport {
        var report = AccountReport(account: account.name)
        do {
            let lock = try await lock()
            defer { withExtendedLifetime(lock) {} }
            let server = try await server()
            var known = folders.mirrored(account.name)
            if looksForNew || known.isEmpty { known = try await discover(on: server) }
            for one in known {
                guard !one.isGone, let collection = one.collection else { continue }
                let mirror = CollectionMirror(
                    root: folders.collections(one.kind), folder: one.folder, suffix: one.kind.suffix,
                    conflicts: folders.conflicts, address: account.address(of: collection.path))
                let file = folders.state(of: account.name).appending(path: "\(one.kind.rawValue)-\(one.folder).json")
                let sync = CollectionSync(collection, on: server, mirror: mirror, state: file, options: options)
                let done = try await sync.run()
                report.collections.append(done)
                // The others would wait for the same server in vain.
                if done.isOffline {
                    (report.problem, report.isOffline) = (done.problem, true)
                    break
                }
            }
        } catch let error as AssistantError {
            (report.problem, report.isOffline) = (error.message, error.isOffline)
        } catch let error as FileError {
            report.problem = error.message
        }
        return report
    }

    private func server() async throws -> DAVServer {
        let password = try await account.password(environment: environment)
        return try DAVServer(
            account.url, user: account.user, password: password, http: http, environment: environment, limits: limits)
    }

    private func discover(on server: DAVServer) async throws -> [MirroredCollection] {
        let found = try await DAVDiscovery(server).collections()
        let placed = folders.placed(found, of: account, known: folders.mirrored(account.name))
        try folders.write(placed, of: account.name)
        return placed
    }

    private func lock() async throws -> FileLock {
        let place = folders.state(of: account.name)
        do {
            try FilePlace.create(place)
            return try await FileLock.wait(.exclusive, at: place.appending(path: "lock"))
        } catch let error as FileError {
            throw AssistantError(.storeUnavailable, error.message, cause: error)
        }
    }
}
