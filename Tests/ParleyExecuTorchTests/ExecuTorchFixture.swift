// SPDX-License-Identifier: Apache-2.0

#if ExecuTorch
    import Foundation
    import ParleyExecuTorch
    import ParleyRuntime
    import ParleyTestSupport
    import Testing

    /// The folders that `scripts/install-executorch --model` makes.
    enum ExecuTorchFixture {
        static let hint: Comment = "run scripts/install-executorch --model, and set LD_LIBRARY_PATH"
        private static let hasLibrary = ExecuTorchLibrary.problem == nil
        /// The default model, with floats.
        static let model = References.url("executorch/smollm2-135m")
        static let hasModel = hasLibrary && References.has("executorch/smollm2-135m/model.pte")
        /// The default model with weights of 4 bits, which computes the logits of a step's last token alone.
        static let few = References.url("executorch/smollm2-135m-4bit")
        static let hasFew = hasLibrary && References.has("executorch/smollm2-135m-4bit/model.pte")
        /// A tiny random network; the folder that it was exported from; and the same network, exported without XNNPACK,
        /// with the logits of a step's last token alone.
        static let tiny = References.url("executorch/tiny")
        static let source = References.url("executorch/tiny-source")
        static let last = References.url("executorch/tiny-last")
        static let hasTiny = hasLibrary && References.has("executorch/tiny-source/config.json")
    }
#endif
