// SPDX-License-Identifier: Apache-2.0

#if MLX
    import Foundation
    import ParleyMLX
    import ParleyRuntime
    import ParleyTestSupport
    import Testing

    /// The folders that `scripts/install-mlx --model` makes of the default model.
    enum MLXFixture {
        static let hint: Comment = "run scripts/install-mlx --model"
        static let folder = "mlx/smollm2-135m"
        static let model = References.url(folder)
        static let hasModel = References.has(folder + "/config.json")
        /// The same model in groups of 64.
        static let grouped = ["mlx/smollm2-135m-4bit", "mlx/smollm2-135m-8bit"]
        /// Whether the library is there; tests of tiny models need no more.
        static let hasLibrary = MLXLibrary.problem == nil
        static let libraryHint: Comment = "run scripts/install-mlx and set LD_LIBRARY_PATH"
    }
#endif
