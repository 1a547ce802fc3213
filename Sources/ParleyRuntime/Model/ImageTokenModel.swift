// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A model that can also take images as input.
///
/// An image is an ``InputEmbedding`` of a prompt, or several with control tokens between them. Its timelines run them in
/// ``TokenTimeline/step(over:)``. The same image always has the same identity, so that a timeline that holds it does not
/// run it again.
public protocol ImageTokenModel: TokenModel {
    /// Whether the model was loaded with a projector for images.
    var seesImages: Bool { get }

    /// Returns what represents an image in a prompt, with the control tokens that the model needs around it.
    ///
    /// - Parameter bytes: a JPEG or PNG file.
    /// - Returns: the embeddings of the image, and tokens.
    /// - Throws: ``RuntimeError`` with code `invalidInput` if the bytes are not an image, `unsupported` if the model
    ///   does not take images.
    func input(ofImage bytes: Data) throws -> ModelInput
}
