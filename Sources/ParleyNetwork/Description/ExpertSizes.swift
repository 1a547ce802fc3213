// SPDX-License-Identifier: Apache-2.0

/// The sizes of feed-forward layers that consist of experts.
package struct ExpertSizes: Sendable, Hashable {
    /// The number of experts of a layer.
    package let count: Int
    /// The number of experts that compute each token.
    package let used: Int
    /// The width of an expert.
    package let width: Int
    /// The width of the expert that computes every token; 0 if there is none.
    package let sharedWidth: Int
    /// The number of layers at the beginning that have no experts.
    package let denseLayers: Int
}
