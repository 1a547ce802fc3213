// SPDX-License-Identifier: Apache-2.0

import ParleyLocal
import ParleyModels
import Testing

@Suite("LoadingProgress")
struct LoadingProgressTests {
    @Test(
        "progress tells the part of a stage that is complete, where it is known",
        arguments: [
            (LoadingProgress.fetching(.received(bytes: 3, of: 4)), 0.75), (.fetching(.received(bytes: 3, of: 0)), nil),
            (.fetching(.received(bytes: 5, of: 4)), 1), (.fetching(.verifying), nil), (.loading(0.5), 0.5),
        ] as [(LoadingProgress, Double?)])
    func fraction(progress: LoadingProgress, expected: Double?) {
        #expect(progress.fraction == expected)
    }
}
