// SPDX-License-Identifier: Apache-2.0

import ParleySpeech

/// Finds speech with Silero's network, which tells it from music and noise too.
package struct SileroVoiceActivity: VoiceActivity {
    package let name = "Silero"

    private let network: SileroNetwork
    private var memory = SileroNetwork.Memory()
    /// The end of the last stretch, and samples that do not fill one yet.
    private var rest = [Float](repeating: 0, count: SileroNetwork.context)

    /// Begins with a sound of which nothing is known.
    package init(_ network: SileroNetwork) {
        self.network = network
    }

    package mutating func append(_ samples: some Collection<Float>) -> [Float] {
        rest += samples
        let (context, stretch) = (SileroNetwork.context, SileroNetwork.stretch)
        var (start, result) = (0, [Float]())
        while rest.count - start >= context + stretch {
            result.append(network.probability(Array(rest[start..<start + context + stretch]), &memory))
            start += stretch
        }
        rest.removeFirst(start)
        return result
    }

    package mutating func finish() -> [Float] {
        let missing = SileroNetwork.context + SileroNetwork.stretch - rest.count
        return rest.count > SileroNetwork.context ? append([Float](repeating: 0, count: missing)) : []
    }
}
