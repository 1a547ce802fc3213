// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif
import ParleyOpenAI

extension ChatAttachment {
    /// Checks the size of an image by its header: a file of a few kilobytes may state one that takes gigabytes of memory
    /// when it is decoded. The largest number of pixels is that of the server's API (`WireLimits.imagePixels`).
    ///
    /// - Parameter content: the bytes of a JPEG or PNG file.
    /// - Throws: ``AssistantError`` with code `tooLarge`, or `invalidInput` if the header states no size.
    package static func check(image content: Data) throws(AssistantError) {
        guard let size = ImageSize(of: content) else {
            throw AssistantError(.invalidInput, "The image does not state its size; the file is damaged.")
        }
        let most = WireLimits.standard.imagePixels
        guard size.pixels <= most else {
            throw AssistantError(
                .tooLarge,
                "The image has \(size.width) × \(size.height) pixels; \(most >> 20) megapixels are taken. Make it smaller."
            )
        }
    }
}
