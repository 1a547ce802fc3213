// SPDX-License-Identifier: Apache-2.0

#if LiteRTLM
    import Foundation
    import ParleyTestSupport
    import Testing

    /// The file that `scripts/install-litert-lm --model` makes of the default model.
    enum LiteRTLMFixture {
        static let hint: Comment = "run scripts/install-litert-lm --model"
        static let file = "litert/smollm2-135m.litertlm"
        static let model = References.url(file)
        static let hasModel = References.has(file)
        /// A tiny random network with the same tokenizer.
        static let tiny = References.url("litert/tiny.litertlm")
        static let hasTiny = References.has("litert/tiny.litertlm")
    }
#endif
