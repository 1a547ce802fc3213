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
    /// Whether it was loaded with what it takes to see.
    var seesImages: Bool { get }

    /// The ids that an image takes in a prompt, with the control tokens that the model wants around it.
    ///
    /// - Parameter bytes: a JPEG or PNG file.
    /// - Throws: ``RuntimeError`` with code `invalidInput` for what is no image, `unsupported` where the model does not
    ///   see.
    func tokens(ofImage bytes: Data) throws -> [TokenID]
}
