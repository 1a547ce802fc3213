// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif
import ParleyConversation

extension ChatAttachment {
    /// Checks the size of an image by its header (`ImageSize`).
    ///
    /// - Parameter content: the bytes of a JPEG or PNG file.
    /// - Throws: ``AssistantError`` with code `tooLarge`, or `invalidInput` for what is no such file, or states no size.
    package static func check(image content: Data) throws(AssistantError) {
        do {
            try ImageSize.check(content)
        } catch {
            if case .tooLarge = error { throw AssistantError(.tooLarge, "The image \(error). Make it smaller.") }
            throw AssistantError(.invalidInput, "The image \(error).")
        }
    }
}
