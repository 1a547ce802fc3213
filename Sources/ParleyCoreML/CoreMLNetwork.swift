// SPDX-License-Identifier: Apache-2.0

#if canImport(CoreML)
    import CoreML
    import Foundation
    import ParleyRuntime
    import ParleySystem
    import ParleyTokenizer

    /// A network in Core ML that continues a text, used by the model's thread alone.
    ///
    /// Its form is that of stateful language models in
    /// [Core ML Tools](https://apple.github.io/coremltools/docs-guides/source/stateful-models.html): tokens (`inputIds`,
    /// [1, n], 32-bit integers) and a mask (`causalMask`, [1, 1, n, e], floats that are added to scores) go in, logits
    /// (`logits`, [1, n, vocabulary], or of the last token alone) come out, and keys and values are its state, where they
    /// take the positions e - n to e. So a sequence is rewound by a smaller e.
    ///
    /// `@unchecked Sendable`: one thread uses it.
    final class CoreMLNetwork: @unchecked Sendable {
        private let model: MLModel
        private let maskType: MLMultiArrayDataType
        /// How many positions a sequence has.
        let context: Int
        /// The most tokens of one prediction.
        let mostRows: Int
        /// The memory of a sequence's keys and values.
        let stateSize: ByteSize

        /// Loads a compiled network.
        ///
        /// - Throws: `RuntimeError` with the system's message, or for a network of another form.
        init(path: String) throws(RuntimeError) {
            let options = MLModelConfiguration()
            // State is meant for the graphics processor; parts of a network that would go elsewhere copy it.
            options.computeUnits = .cpuAndGPU
            let model = try CoreMLError.told { try MLModel(contentsOf: URL(filePath: path), configuration: options) }
            let description = model.modelDescription
            guard let tokens = description.inputDescriptionsByName["inputIds"]?.multiArrayConstraint,
                let mask = description.inputDescriptionsByName["causalMask"]?.multiArrayConstraint,
                let logits = description.outputDescriptionsByName["logits"]?.multiArrayConstraint,
                description.inputDescriptionsByName.count == 2, !description.stateDescriptionsByName.isEmpty,
                tokens.dataType == .int32, [.float16, .float32].contains(mask.dataType),
                [.float16, .float32].contains(logits.dataType)
            else {
                throw RuntimeError(
                    .unsupported, "The network does not turn inputIds and causalMask into logits, with a state.")
            }
            let notes = description.metadata[.creatorDefinedKey] as? [String: String] ?? [:]
            guard let context = notes["context"].flatMap(Int.init), let rows = notes["rows"].flatMap(Int.init),
                (1...1 << 24).contains(context), (1...context).contains(rows)
            else {
                throw RuntimeError(
                    .unsupported,
                    "The network does not say for how many positions, and how many tokens at a time, it was made "
                        + "(user-defined metadata “context” and “rows”).")
            }
            (self.model, self.context, mostRows, maskType) = (model, context, rows, mask.dataType)
            // Of 16 bits, which is all that Core ML has for states.
            stateSize = description.stateDescriptionsByName.values.reduce(ByteSize.zero) { sum, state in
                sum + (state.stateConstraint?.bufferShape.reduce(ByteSize(clamping: 2)) { $0 * $1 } ?? .zero)
            }
        }

        /// Creates the state of an empty sequence.
        func makeState() -> MLState { model.makeState() }

        /// Runs tokens from a position on.
        ///
        /// - Throws: `RuntimeError` with the system's message.
        func logits(of tokens: ArraySlice<TokenID>, at position: Int, using state: MLState) throws(RuntimeError)
            -> MLMultiArray
        {
            try CoreMLError.told {
                let end = position + tokens.count
                let ids = try MLMultiArray(shape: [1, NSNumber(value: tokens.count)], dataType: .int32)
                ids.withUnsafeMutableBytes { bytes, _ in
                    _ = bytes.bindMemory(to: Int32.self).update(fromContentsOf: tokens)
                }
                let mask = try MLMultiArray(
                    shape: [1, 1, NSNumber(value: tokens.count), NSNumber(value: end)], dataType: maskType)
                mask.withUnsafeMutableBytes { bytes, _ in
                    // The bits of 0 and of the negative infinity.
                    if maskType == .float16 {
                        Self.fill(bytes.bindMemory(to: UInt16.self), from: position, to: end, masked: 0xFC00)
                    } else {
                        Self.fill(bytes.bindMemory(to: UInt32.self), from: position, to: end, masked: 0xFF80_0000)
                    }
                }
                let input = try MLDictionaryFeatureProvider(dictionary: [
                    "inputIds": MLFeatureValue(multiArray: ids), "causalMask": MLFeatureValue(multiArray: mask),
                ])
                guard
                    let logits = try model.prediction(from: input, using: state).featureValue(for: "logits")?
                        .multiArrayValue
                else { throw RuntimeError(.engineFailed, "Core ML: there are no logits.") }
                return logits
            }
        }

        /// Masks what comes after each token.
        private static func fill<Bits: FixedWidthInteger>(
            _ mask: UnsafeMutableBufferPointer<Bits>, from position: Int, to end: Int, masked: Bits
        ) {
            for row in 0..<end - position {
                for column in 0..<end { mask[row * end + column] = column <= position + row ? 0 : masked }
            }
        }
    }

    /// Errors of the system.
    enum CoreMLError {
        /// Calls `body`; an error of the system becomes one with its message.
        static func told<Value>(_ body: () throws -> Value) throws(RuntimeError) -> Value {
            do {
                return try body()
            } catch let error as RuntimeError {
                throw error
            } catch {
                throw RuntimeError(.engineFailed, "Core ML: \(error.localizedDescription)", cause: error)
            }
        }
    }
#endif
