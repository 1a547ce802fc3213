// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import ParleyFiles

extension WholeFile {
    /// The content of a file of a store; nil if it is not there.
    ///
    /// - Throws: ``AssistantError`` with code `invalidItem` if it is no file or larger than the limit in bytes, else
    ///   `storeUnavailable`.
    package static func stored(at file: URL, limit: Int) throws(AssistantError) -> Data? {
        do {
            return try contents(of: file, limit: limit)
        } catch {
            switch error.code {
            case .notFound: return nil
            case .tooLarge, .notRegular: throw AssistantError(.invalidItem, error.message, cause: error)
            default: throw AssistantError(.storeUnavailable, error.message, cause: error)
            }
        }
    }
}
