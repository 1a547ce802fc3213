// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A model on the Hugging Face hub: `OWNER/REPO`, optionally with a revision and a file or quantisation.
public struct HubReference: Codable, Hashable, Sendable {
    /// `OWNER/REPO`.
    public var repository: String
    /// A branch, a tag or a commit; nil means `main`.
    public var revision: String?
    /// The path of a file in the repository.
    public var file: String?
    /// The quantisation to look for where ``file`` is nil, in capitals, such as `Q4_K_M`.
    public var quantization: String?

    /// Creates a reference.
    public init(
        _ repository: String, revision: String? = nil, file: String? = nil, quantization: String? = nil
    ) {
        self.repository = repository
        self.revision = revision
        self.file = file
        self.quantization = quantization
    }

    /// The revision that is requested: ``revision``, or `main`.
    public var effectiveRevision: String { revision ?? "main" }

    /// ``effectiveRevision`` as one component of an address's path: the name of a branch may have slashes.
    var escapedRevision: String {
        let allowed = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-._~"))
        return effectiveRevision.addingPercentEncoding(withAllowedCharacters: allowed) ?? effectiveRevision
    }
}

extension HubReference: CustomStringConvertible {
    /// The reference in the form `hf:OWNER/REPO@REVISION:FILE-or-QUANT`.
    public var description: String {
        "hf:\(repository)" + (revision.map { "@\($0)" } ?? "") + ((file ?? quantization).map { ":\($0)" } ?? "")
    }
}
