// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import ParleyCommandLine

/// Where the results of commands go.
package enum StandardOutput {
    /// Writes a text.
    ///
    /// - Throws: ``/ParleyCommandLine/CommandError`` if it cannot be written, so that nobody takes a part for the whole.
    package static func write(_ text: String, to output: FileHandle = .standardOutput) throws(CommandError) {
        do {
            try output.write(contentsOf: Data(text.utf8))
        } catch {
            throw CommandError("Cannot write the output; the disk may be full, or its reader has gone.", cause: error)
        }
    }
}
