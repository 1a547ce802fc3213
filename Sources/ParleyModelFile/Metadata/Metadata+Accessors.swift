// SPDX-License-Identifier: Apache-2.0

extension Metadata {
    /// Reads a string.
    ///
    /// - Throws: ``ModelFileError`` with code `missingKey` or `wrongType`, or `invalidValue` if it is too long.
    package func string(_ key: String) throws(ModelFileError) -> String {
        try require(key, "text", \.string)
    }

    /// Reads a string; nil if the key is missing.
    ///
    /// - Throws: ``ModelFileError`` with code `wrongType`, or `invalidValue` if it is too long.
    package func string(ifPresent key: String) throws(ModelFileError) -> String? {
        try read(key, "text", \.string)
    }

    /// Reads an integer.
    ///
    /// - Throws: ``ModelFileError`` with code `missingKey` or `wrongType`.
    package func integer(_ key: String) throws(ModelFileError) -> Int {
        try require(key, "a whole number", \.integer)
    }

    /// Reads an integer; nil if the key is missing.
    ///
    /// - Throws: ``ModelFileError`` with code `wrongType`.
    package func integer(ifPresent key: String) throws(ModelFileError) -> Int? {
        try read(key, "a whole number", \.integer)
    }

    /// Reads a non-negative integer.
    ///
    /// - Throws: ``ModelFileError`` with code `missingKey` or `wrongType`.
    package func unsigned(_ key: String) throws(ModelFileError) -> Int {
        try require(key, "a whole number that is not negative", \.unsigned)
    }

    /// Reads a non-negative integer; nil if the key is missing.
    ///
    /// - Throws: ``ModelFileError`` with code `wrongType`.
    package func unsigned(ifPresent key: String) throws(ModelFileError) -> Int? {
        try read(key, "a whole number that is not negative", \.unsigned)
    }

    /// Reads a floating-point number.
    ///
    /// - Throws: ``ModelFileError`` with code `missingKey` or `wrongType`.
    package func float(_ key: String) throws(ModelFileError) -> Float {
        try require(key, "a number with a fraction", \.float)
    }

    /// Reads a floating-point number; nil if the key is missing.
    ///
    /// - Throws: ``ModelFileError`` with code `wrongType`.
    package func float(ifPresent key: String) throws(ModelFileError) -> Float? {
        try read(key, "a number with a fraction", \.float)
    }

    /// Reads a Boolean.
    ///
    /// - Throws: ``ModelFileError`` with code `missingKey` or `wrongType`.
    package func bool(_ key: String) throws(ModelFileError) -> Bool {
        try require(key, "a truth value", \.bool)
    }

    /// Reads a Boolean; nil if the key is missing.
    ///
    /// - Throws: ``ModelFileError`` with code `wrongType`.
    package func bool(ifPresent key: String) throws(ModelFileError) -> Bool? {
        try read(key, "a truth value", \.bool)
    }

    /// Reads an array of strings.
    ///
    /// - Throws: ``ModelFileError`` with code `missingKey` or `wrongType`, or `invalidValue` if it is too long.
    package func strings(_ key: String) throws(ModelFileError) -> [String] {
        try require(key, "an array of text", \.strings)
    }

    /// Reads an array of strings; nil if the key is missing.
    ///
    /// - Throws: ``ModelFileError`` with code `wrongType`, or `invalidValue` if it is too long.
    package func strings(ifPresent key: String) throws(ModelFileError) -> [String]? {
        try read(key, "an array of text", \.strings)
    }

    /// Reads an array of integers.
    ///
    /// - Throws: ``ModelFileError`` with code `missingKey` or `wrongType`, or `invalidValue` if it is too long.
    package func integers(_ key: String) throws(ModelFileError) -> [Int] {
        try require(key, "an array of whole numbers", \.integers)
    }

    /// Reads an array of integers; nil if the key is missing.
    ///
    /// - Throws: ``ModelFileError`` with code `wrongType`, or `invalidValue` if it is too long.
    package func integers(ifPresent key: String) throws(ModelFileError) -> [Int]? {
        try read(key, "an array of whole numbers", \.integers)
    }

    /// Reads an array of floating-point numbers.
    ///
    /// - Throws: ``ModelFileError`` with code `missingKey` or `wrongType`, or `invalidValue` if it is too long.
    package func floats(_ key: String) throws(ModelFileError) -> [Float] {
        try require(key, "an array of numbers with a fraction", \.floats)
    }

    /// Reads an array of floating-point numbers; nil if the key is missing.
    ///
    /// - Throws: ``ModelFileError`` with code `wrongType`, or `invalidValue` if it is too long.
    package func floats(ifPresent key: String) throws(ModelFileError) -> [Float]? {
        try read(key, "an array of numbers with a fraction", \.floats)
    }

    /// Reads an array of Booleans.
    ///
    /// - Throws: ``ModelFileError`` with code `missingKey` or `wrongType`, or `invalidValue` if it is too long.
    package func bools(_ key: String) throws(ModelFileError) -> [Bool] {
        try require(key, "an array of truth values", \.bools)
    }

    /// Reads an array of Booleans; nil if the key is missing.
    ///
    /// - Throws: ``ModelFileError`` with code `wrongType`, or `invalidValue` if it is too long.
    package func bools(ifPresent key: String) throws(ModelFileError) -> [Bool]? {
        try read(key, "an array of truth values", \.bools)
    }

    /// Reads an integer for each of `count` layers, from an array of that length or from a single integer for all
    /// layers.
    ///
    /// - Throws: ``ModelFileError`` with code `missingKey` or `wrongType`, or `invalidValue` if the array's length
    ///   differs.
    package func integers(_ key: String, count: Int) throws(ModelFileError) -> [Int] {
        // Checked first, because an array of the wrong length may be as long as the file.
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

    /// The largest number of layers; a file that states more is damaged.
    private static let maximumLayers = 65_536
}
