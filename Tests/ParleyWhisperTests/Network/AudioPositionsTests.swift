// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyWhisper
import Testing

@Suite struct AudioPositionsTests {
    @Test("Positions are whole up to 1.28 s behind the sound, and every eighth stands for eight of the rest")
    func thinned() throws {
        let positions = AudioPositions(samples: 32_000)
        #expect(positions.whole == 164)
        #expect(positions.thinned == Array(stride(from: 164, to: 1_500, by: 8)))
        #expect(positions.position(at: 163) == 163 && positions.position(at: 165) == 172)
        let bias = try #require(positions.keyBias)
        #expect(bias.count == positions.count && bias[163] == 0 && bias[164] == log(8))
        // Together they stand for all.
        #expect(abs(bias.reduce(0) { $0 + exp($1) } - 1_500) < 0.01)
    }

    @Test("Sound that nearly fills the window has all positions", arguments: [455_000, 480_000, 1 << 40])
    func full(samples: Int) {
        #expect(AudioPositions(samples: samples) == .all)
    }

    @Test("No sound has positions too") func empty() { #expect(AudioPositions(samples: 0).whole == 64) }
}
