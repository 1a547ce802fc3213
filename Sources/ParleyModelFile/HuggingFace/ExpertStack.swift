// SPDX-License-Identifier: Apache-2.0

/// A tensor of the GGUF file with the matrices of all experts, each of which has a tensor of its own in the folder.
struct ExpertStack: FolderTensorSource {
    let layout: GGUFLayout.Tensor
    private let experts: [any FolderTensorSource]

    /// Stacks the matrices of experts, by their numbers.
    ///
    /// - Throws: ``ModelFileError`` with code `missingTensor` or `corrupt` if a number is missing, or the matrices differ
    ///   in size or type.
    init(_ matrices: [Int: any FolderTensorSource], _ config: FolderConfiguration) throws(ModelFileError) {
        let experts = (0..<matrices.count).compactMap { matrices[$0] }
        guard let first = experts.first?.layout, experts.count == matrices.count else {
            let name = matrices.first?.value.layout.name ?? ""
            throw ModelFileError(
                .missingTensor,
                "\(config.fileName): the weights for \(name) lack an expert. The folder is incomplete; get all of its "
                    + "files.")
        }
        guard experts.allSatisfy({ $0.layout == first }) else {
            throw ModelFileError(
                .corrupt,
                "\(config.fileName): the experts of \(first.name) have matrices of several sizes or types. Download the "
                    + "files again, or use a GGUF file of this model.")
        }
        self.experts = experts
        layout = .init(
            name: first.name, typeCode: first.typeCode, dimensions: first.dimensions + [experts.count],
            byteCount: first.byteCount * experts.count)
    }

    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result {
        let made = UnsafeMutableRawBufferPointer.allocate(byteCount: layout.byteCount, alignment: 64)
        defer { made.deallocate() }
        for (number, expert) in experts.enumerated() {
            let size = expert.layout.byteCount
            try expert.withBytes { bytes in
                UnsafeMutableRawBufferPointer(rebasing: made[number * size..<(number + 1) * size])
                    .copyMemory(from: bytes)
            }
            expert.releasePages(0..<size)
        }
        return try body(UnsafeRawBufferPointer(made))
    }

    func releasePages(_ bytes: Range<Int>) {}
}
