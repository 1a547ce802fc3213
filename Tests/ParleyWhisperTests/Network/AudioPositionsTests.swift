// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyWhisper
import Testing

@Suite struct AudioPositionsTests {
    @Test("Positions are whole up to 1.28 s behind the sound, then every fifth stands for five; the last is kept")
    func thinned() throws {
        let positions = AudioPositions(samples: 32_000)
        #expect(positions.whole == 164)
        #expect(positions.thinned == Array(stride(from: 164, to: 1_499, by: 5)) + [1_499])
        #expect(positions.position(at: 163) == 163 && positions.position(at: 165) == 169)
        let bias = try #require(positions.keyBias)
        #expect(bias.count == positions.count && bias[163] == 0 && bias[164] == log(5) && bias.last == 0)
        // Together they stand for all.
        #expect(abs(bias.reduce(0) { $0 + exp($1) } - 1_500) < 0.01)
    }

    @Test("Sound that nearly fills the window has all positions", arguments: [455_000, 480_000, 1 << 40])
    func full(samples: Int) {
        #expect(AudioPositions(samples: samples) == .all)
    }

    @Test("The last position is kept alone, however many samples there are", arguments: 0..<16)
    func last(extra: Int) throws {
        for count in [320 * extra, 400_000 + 320 * extra, 452_000 + 320 * extra] {
            let positions = AudioPositions(samples: count)
            guard let bias = positions.keyBias else { continue }
            #expect(positions.thinned.last == 1_499 && bias.last == 0)
            #expect(zip(positions.thinned, positions.thinned.dropFirst()).allSatisfy { $0 < $1 })
            #expect(abs(bias.reduce(0) { $0 + exp($1) } - 1_500) < 0.01)
        }
    }

    @Test("No sound has positions too") func empty() { #expect(AudioPositions(samples: 0).whole == 64) }
}
