// SPDX-License-Identifier: Apache-2.0

extension GGUFFile {
    /// The name of the model's architecture, such as `llama`, with which the keys of its metadata begin.
    ///
    /// - Throws: ``ModelFileError`` if the file does not state it.
    public var architecture: String {
        get throws(ModelFileError) {
            let name = try metadata.string("general.architecture")
            guard name.utf8.count <= Self.longestArchitecture else {
                throw ModelFileError(
                    .invalidValue,
                    "\(self.name): the name of the architecture has \(name.utf8.count) bytes. The file is damaged; "
                        + "download it again or convert it anew.")
            }
            return name
        }
    }

    /// The maximum length of the name in bytes, limited because the name becomes part of many keys.
    private static let longestArchitecture = 128

    /// The model's name, shortened if it is very long; nil if the file has none.
    public var modelName: String? { metadata["general.name"]?.label }

    /// The licence, usually an SPDX identifier in lower case; nil if the file has none.
    public var license: String? { metadata["general.license"]?.label }

    /// The size as its makers call it, such as `135M`; nil if the file has none.
    public var sizeLabel: String? { metadata["general.size_label"]?.label }

    /// The quantisation of most of the file's tensors, such as `Q4_K_M`; nil if the file does not state it.
    public var quantization: String? {
        metadata["general.file_type"]?.unsigned.map { FileType.names[$0] ?? "file type \($0)" }
    }
}
