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
        metadata["general.file_type"]?.unsigned.map { Self.fileTypes[$0] ?? "file type \($0)" }
    }

    /// The names of the values of `general.file_type`.
    private static let fileTypes: [Int: String] = [
        0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 7: "Q8_0", 8: "Q5_0", 9: "Q5_1", 10: "Q2_K", 11: "Q3_K_S",
        12: "Q3_K_M", 13: "Q3_K_L", 14: "Q4_K_S", 15: "Q4_K_M", 16: "Q5_K_S", 17: "Q5_K_M", 18: "Q6_K", 19: "IQ2_XXS",
        20: "IQ2_XS", 21: "Q2_K_S", 22: "IQ3_XS", 23: "IQ3_XXS", 24: "IQ1_S", 25: "IQ4_NL", 26: "IQ3_S", 27: "IQ3_M",
        28: "IQ2_S", 29: "IQ2_M", 30: "IQ4_XS", 31: "IQ1_M", 32: "BF16", 36: "TQ1_0", 37: "TQ2_0", 38: "MXFP4",
    ]
}
