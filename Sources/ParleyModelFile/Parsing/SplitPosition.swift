// SPDX-License-Identifier: Apache-2.0

/// The position of a file among the parts of a split model, as stated in its metadata.
struct SplitPosition {
    /// The number of this part, from 0.
    let number: Int
    /// The number of parts.
    let count: Int
    /// The number of tensors in all parts; nil if the file does not state it.
    let tensorCount: Int?

    /// The maximum number of parts; real models have a few dozen.
    private static let maximumParts = 4_096

    /// Reads the position; nil if the file is not part of a split model.
    init?(_ metadata: Metadata) throws(ModelFileError) {
        guard let count = try metadata.unsigned(ifPresent: "split.count") else { return nil }
        let number = try metadata.unsigned("split.no")
        guard number < max(count, 1), count <= Self.maximumParts else {
            throw .corrupt(metadata.fileName, "it says it is part \(number) of \(count)")
        }
        self.number = number
        self.count = count
        tensorCount = try metadata.unsigned(ifPresent: "split.tensors.count")
    }

    /// Returns the paths of all parts, given the path of one, which must end like `-00002-of-00003.gguf`.
    static func paths(of path: String, _ split: SplitPosition) throws(ModelFileError) -> [String] {
        guard let name = SplitName(path), (name.part, name.count) == (split.number + 1, split.count) else {
            let ending = SplitName("…", part: split.number + 1, count: split.count).name
            throw ModelFileError(
                .incompleteSplit,
                "\(path): part \(split.number + 1) of a model split into \(split.count) files must be named "
                    + "\(ending). Rename the files as they were published.")
        }
        return name.all
    }

    /// Checks that the headers are those of all parts of one model, in order.
    static func check(_ headers: [GGUFHeader]) throws(ModelFileError) {
        let found = headers.reduce(0) { $0 + $1.tensors.count }
        for (number, header) in headers.enumerated() {
            let split = try SplitPosition(header.metadata)
            // A file that was merged from parts may still state that it is the only part.
            guard split?.number ?? 0 == number, max(split?.count ?? 1, 1) == headers.count else {
                throw ModelFileError(
                    .incompleteSplit,
                    "\(header.metadata.fileName): should be part \(number + 1) of \(headers.count) but says it is "
                        + "part \((split?.number ?? 0) + 1) of \(split?.count ?? 1). Get all parts of one model.")
            }
            if let expected = split?.tensorCount, expected != found {
                throw ModelFileError(
                    .incompleteSplit,
                    "\(header.metadata.fileName): the parts should hold \(expected) tensors but hold \(found). "
                        + "Get all parts of one model.")
            }
        }
    }
}
