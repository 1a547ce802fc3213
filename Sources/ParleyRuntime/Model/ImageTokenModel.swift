// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
public import ParleyTokenizer

/// A model that can also take images as input.
///
/// An image occupies positions of a sequence, as tokens do. In prompts and timelines each of these positions has an id
/// below zero. The same image always has the same ids, so that prefixes can be compared and prompts cut as with text.
public protocol ImageTokenModel: TokenModel {
    /// Whether the model was loaded with a projector for images.
    var seesImages: Bool { get }

    /// Returns the ids that represent an image in a prompt, with the control tokens that the model needs around it.
    ///
    /// - Parameter bytes: a JPEG or PNG file.
    /// - Returns: the ids; those of the image are below zero.
    /// - Throws: ``RuntimeError`` with code `invalidInput` if the bytes are not an image, `unsupported` if the model
    ///   does not take images.
    func tokens(ofImage bytes: Data) throws -> [TokenID]
}
