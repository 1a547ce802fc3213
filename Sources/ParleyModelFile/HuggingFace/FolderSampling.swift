// SPDX-License-Identifier: Apache-2.0

import ParleySampling

extension SamplingOptions {
    /// The sampling that a file of a folder recommends, where the model is to be sampled from at all (`do_sample`).
    init(recommendedBy settings: FolderConfiguration?) throws(ModelFileError) {
        guard let settings, try settings.flag("do_sample", default: false) else {
            self.init()
            return
        }
        self.init(
            temperature: try settings.number(ifPresent: "temperature").map { Float($0) },
            topK: try settings.count(ifPresent: "top_k"),
            topP: try settings.number(ifPresent: "top_p").map { Float($0) },
            minP: try settings.number(ifPresent: "min_p").map { Float($0) },
            repetitionPenalty: try settings.number(ifPresent: "repetition_penalty").map { Float($0) })
    }
}
