// SPDX-License-Identifier: Apache-2.0

package import Foundation
import ParleyCommandLine
package import ParleyServer

/// Gives out keys.
package enum KeyIssue {
    /// Writes the secret of a key, and adds the key to a file. A secret that cannot be written is lost, so that its key
    /// would only be in the way.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - secret: its secret.
    ///   - file: the file of keys.
    ///   - output: where the secret goes.
    /// - Throws: ``/ParleyCommandLine/CommandError`` or ``/ParleyServer/ServerError``; then the key is not in the file.
    package static func add(
        _ key: AccessKey, _ secret: String, to file: URL, telling output: FileHandle = .standardOutput
    ) async throws {
        try await KeyRing.change(in: file) { ring in
            try ring.add(key)
            do throws(CommandError) {
                try StandardOutput.write(secret + "\n", to: output)
            } catch {
                throw CommandError("\(error) The key was not added.", cause: error)
            }
        }
    }
}
