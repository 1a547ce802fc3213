// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyFiles

/// The locks of a store. Many processes may install models at the same time (shared lock on the store), but only one may
/// remove them (exclusive lock), and only one may download a model of a given name.
extension ModelStore {
    /// Takes a lock; nil if others hold it.
    func lockIfFree(_ kind: FileLock.Kind, at url: URL) throws -> FileLock? {
        do {
            return try FileLock.take(kind, at: url)
        } catch {
            throw ModelStoreError(error, at: url)
        }
    }

    /// Takes a lock as soon as others have released it. Calls `onWait` once if it has to wait.
    func lock(_ kind: FileLock.Kind, at url: URL, onWait: () -> Void = {}) async throws -> FileLock {
        do {
            return try await FileLock.wait(kind, at: url, onWait: onWait)
        } catch let error as FileError {
            throw ModelStoreError(error, at: url)
        }
    }
}
