// SPDX-License-Identifier: Apache-2.0

import ParleyRuntime
import ParleyTokenizer
import Testing

@Suite("Token mask")
struct TokenMaskTests {
    @Test("sampling leaves exactly the logits of allowed tokens", arguments: [1, 63, 64, 65, 128, 300])
    func bars(vocabulary: Int) throws {
        var random = SplitMix64(seed: UInt64(vocabulary))
        for share in [0.01, 0.5, 0.99, 1] {
            var mask = TokenMask(vocabularySize: vocabulary)
            for token in 0..<vocabulary where random.unit() < share { mask[TokenID(token)] = true }
            mask[TokenID(vocabulary - 1)] = true
            // Rows may be longer or shorter than the vocabulary of the mask.
            for count in [vocabulary, vocabulary + 70, max(vocabulary - 3, 1)] {
                var logits = (0..<count).map { Float($0) }
                var sampler = try Sampler(.greedy)
                _ = logits.withUnsafeMutableBufferPointer { sampler.sample($0, mask: mask) }
                for token in 0..<count {
                    let isAllowed = token < vocabulary && mask[TokenID(token)]
                    #expect(logits[token] == (isAllowed ? Float(token) : -.infinity))
                }
            }
        }
    }

    @Test("a mask is empty when it allows nothing")
    func isEmpty() {
        var mask = TokenMask(vocabularySize: 130)
        #expect(mask.isEmpty)
        mask[129] = true
        #expect(!mask.isEmpty)
        mask.removeAll()
        #expect(mask.isEmpty)
    }

    @Test("tokens beyond the vocabulary are never allowed, and change nothing")
    func beyond() {
        var mask = TokenMask(vocabularySize: 70)
        for token: TokenID in [70, 71, 127, 128, .max, -1, .min] {
            mask[token] = true
            mask.insert([token])
            #expect(!mask[token])
        }
        #expect(mask.isEmpty)
        mask.insert([69, 70])
        #expect(mask.count == 1)
    }
}
