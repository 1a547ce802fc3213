// SPDX-License-Identifier: Apache-2.0

extension Metadata {
    /// Text.
    ///
    /// - Throws: ``ModelFileError`` with code `missingKey` or `wrongType`, or `invalidValue` where it is too long.
    package func string(_ key: String) throws(ModelFileError) -> String {
        try require(key, "text", \.string)
    }

    /// Text, nil where the key is missing.
    ///
    /// - Throws: ``ModelFileError`` with code `wrongType`, or `invalidValue` where it is too long.
    package func string(ifPresent key: String) throws(ModelFileError) -> String? {
        try read(key, "text", \.string)
    }

    /// A whole number.
    ///
    /// - Throws: ``ModelFileError`` with code `missingKey` or `wrongType`.
    package func integer(_ key: String) throws(ModelFileError) -> Int {
        try require(key, "a whole number", \.integer)
    }

    /// A whole number, nil where the key is missing.
    ///
    /// - Throws: ``ModelFileError`` with code `wrongType`.
    package func integer(ifPresent key: String) throws(ModelFileError) -> Int? {
        try read(key, "a whole number", \.integer)
    }

    /// A whole number that is not negative.
    ///
    /// - Throws: ``ModelFileError`` with code `missingKey` or `wrongType`.
    package func unsigned(_ key: String) throws(ModelFileError) -> Int {
        try require(key, "a whole number that is not negative", \.unsigned)
    }

    /// A whole number that is not negative, nil where the key is missing.
    ///
    /// - Throws: ``ModelFileError`` with code `wrongType`.
    package func unsigned(ifPresent key: String) throws(ModelFileError) -> Int? {
        try read(key, "a whole number that is not negative", \.unsigned)
    }

    /// A number with a fraction.
    ///
    /// - Throws: ``ModelFileError`` with code `missingKey` or `wrongType`.
    package func float(_ key: String) throws(ModelFileError) -> Float {
        try require(key, "a number with a fraction", \.float)
    }

    /// A number with a fraction, nil where the key is missing.
    ///
    /// - Throws: ``ModelFileError`` with code `wrongType`.
    package func float(ifPresent key: String) throws(ModelFileError) -> Float? {
        try read(key, "a number with a fraction", \.float)
    }

    /// A truth value.
    ///
    /// - Throws: ``ModelFileError`` with code `missingKey` or `wrongType`.
    package func bool(_ key: String) throws(ModelFileError) -> Bool {
        try require(key, "a truth value", \.bool)
    }

    /// A truth value, nil where the key is missing.
    ///
    /// - Throws: ``ModelFileError`` with code `wrongType`.
    package func bool(ifPresent key: String) throws(ModelFileError) -> Bool? {
        try read(key, "a truth value", \.bool)
    }

    /// An array of text.
    ///
    /// - Throws: ``ModelFileError`` with code `missingKey` or `wrongType`, or `invalidValue` where it is too long.
    package func strings(_ key: String) throws(ModelFileError) -> [String] {
        try require(key, "an array of text", \.strings)
    }

    /// An array of text, nil where the key is missing.
    ///
    /// - Throws: ``ModelFileError`` with code `wrongType`, or `invalidValue` where it is too long.
    package func strings(ifPresent key: String) throws(ModelFileError) -> [String]? {
        try read(key, "an array of text", \.strings)
    }

    /// An array of whole numbers.
    ///
    /// - Throws: ``ModelFileError`` with code `missingKey` or `wrongType`, or `invalidValue` where it is too long.
    package func integers(_ key: String) throws(ModelFileError) -> [Int] {
        try require(key, "an array of whole numbers", \.integers)
    }

    /// An array of whole numbers, nil where the key is missing.
    ///
    /// - Throws: ``ModelFileError`` with code `wrongType`, or `invalidValue` where it is too long.
    package func integers(ifPresent key: String) throws(ModelFileError) -> [Int]? {
        try read(key, "an array of whole numbers", \.integers)
    }

    /// An array of numbers with a fraction.
    ///
    /// - Throws: ``ModelFileError`` with code `missingKey` or `wrongType`, or `invalidValue` where it is too long.
    package func floats(_ key: String) throws(ModelFileError) -> [Float] {
        try require(key, "an array of numbers with a fraction", \.floats)
    }

    /// An array of numbers with a fraction, nil where the key is missing.
    ///
    /// - Throws: ``ModelFileError`` with code `wrongType`, or `invalidValue` where it is too long.
    package func floats(ifPresent key: String) throws(ModelFileError) -> [Float]? {
        try read(key, "an array of numbers with a fraction", \.floats)
    }

    /// An array of truth values.
    ///
    /// - Throws: ``ModelFileError`` with code `missingKey` or `wrongType`, or `invalidValue` where it is too long.
    package func bools(_ key: String) throws(ModelFileError) -> [Bool] {
        try require(key, "an array of truth values", \.bools)
    }

    /// An array of truth values, nil where the key is missing.
    ///
    /// - Throws: ``ModelFileError`` with code `wrongType`, or `invalidValue` where it is too long.
    package func bools(ifPresent key: String) throws(ModelFileError) -> [Bool]? {
        try read(key, "an array of truth values", \.bools)
    }

    /// Whole numbers, one for each layer: an array of `count`, or one number that holds for all.
    ///
    /// - Throws: ``ModelFileError`` with code `missingKey` or `wrongType`, or `invalidValue` for another count.
    package func integers(_ key: String, count: Int) throws(ModelFileError) -> [Int] {
        // Compared first: an array of another length may be as long as the file.
        if let value = self[key], value.elementType != nil, value.count != count {
            throw wrongCount(key, value.count, count)
        }
        guard (0...Self.maximumLayers).contains(count) else { throw wrongCount(key, 1, count) }
        return try require(key, "a whole number or an array of them") { value in
            value.integers ?? value.integer.map { Array(repeating: $0, count: count) }
        }
    }

    private func wrongCount(_ key: String, _ found: Int, _ needed: Int) -> ModelFileError {
        ModelFileError(
            .invalidValue,
            "\(fileName): the metadata entry \(key) has \(found) values where \(needed) are needed. "
                + "Convert the model anew or use another file.")
    }

    /// A file that claims more layers is damaged.
    private static let maximumLayers = 65_536
}
