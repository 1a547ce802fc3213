// SPDX-License-Identifier: Apache-2.0

extension MessageResponse {
    /// Appends the next response to this one if both are pieces of the same text or sound.
    mutating func join(_ next: MessageResponse) -> Bool {
        // The enum is emptied while its payload grows, because a second reference would cause a copy.
        switch next {
        case .chunk(let piece):
            guard case .chunk(var text) = self else { return false }
            self = .chunk("")
            text += piece
            self = .chunk(text)
        case .reasoningChunk(let piece):
            guard case .reasoningChunk(var text) = self else { return false }
            self = .reasoningChunk("")
            text += piece
            self = .reasoningChunk(text)
        case .audioSample(let piece, let rate):
            guard case .audioSample(var samples, rate) = self else { return false }
            self = .audioSample(samples: [], sampleRate: rate)
            samples += piece
            self = .audioSample(samples: samples, sampleRate: rate)
        case .functionCall, .complete: return false
        }
        return true
    }
}
