// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
public import ParleyTokenizer

/// A model that can also be shown images.
///
/// An image takes positions of a sequence as tokens do. In prompts and timelines each of its positions has an id below
/// zero, the same for the same image, so that prefixes are compared and prompts cut as if they were text.
public protocol ImageTokenModel: TokenModel {
    /// Whether it was loaded with a projector for images.
    var seesImages: Bool { get }

    /// The ids that an image takes in a prompt, with the control tokens that the model wants around it.
    ///
    /// - Parameter bytes: a JPEG or PNG file.
    /// - Returns: the ids, those of the image below zero.
    /// - Throws: ``RuntimeError`` with code `invalidInput` where the bytes are no image, `unsupported` where the model
    ///   cannot see images.
    func tokens(ofImage bytes: Data) throws -> [TokenID]
}
