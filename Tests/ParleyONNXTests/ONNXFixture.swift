// SPDX-License-Identifier: Apache-2.0

#if ONNX
    import Foundation
    import ParleyONNX
    import ParleyRuntime
    import ParleyTestSupport
    import Testing

    /// The folder that `scripts/install-onnx --model` makes of the default model.
    enum ONNXFixture {
        static let hint: Comment = "run scripts/install-onnx --model"
        static let folder = "onnx/smollm2-135m"
        static let model = References.url(folder)
        static let hasModel = References.has(folder + "/genai_config.json")
        /// The same model in 4 bits, which computes the logits of a step's last token alone.
        static let pruned = "onnx/smollm2-135m-int4"
        /// Whether the library is there; tests of tiny models need no more.
        static let hasLibrary = ONNXLibrary.problem == nil
        static let libraryHint: Comment = "run scripts/install-onnx and set LD_LIBRARY_PATH"
    }
#endif
