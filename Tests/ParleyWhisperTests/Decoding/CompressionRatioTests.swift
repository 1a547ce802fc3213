// SPDX-License-Identifier: Apache-2.0

import ParleyWhisper
import Testing

@Suite struct CompressionRatioTests {
    @Test(
        "The ratio is near that of zlib 1.3.1",
        arguments: [
            ("Hello there, how are you doing today? I hope that everything is fine.", 0.972),
            (
                "And so my fellow Americans, ask not what your country can do for you, ask what you can do for your country.",
                1.354
            ),
            (String(repeating: "la ", count: 21) + "la", 4.643),
            (String(repeating: "Thank you. ", count: 12), 6.0),
            (
                "The quick brown fox jumps over the lazy dog while the weather is fine and everybody in the village sleeps "
                    + "until the bells of the old church ring for the second time on this long summer day.", 1.39
            ),
        ])
    func zlib(text: String, ratio: Double) {
        #expect(abs(CompressionRatio.of(text) / ratio - 1) < 0.2)
    }

    @Test("A text without letters has no ratio") func empty() { #expect(CompressionRatio.of("") == 1) }
}
