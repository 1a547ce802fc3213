// SPDX-License-Identifier: Apache-2.0

/// Where sound comes from: a microphone, a file, a test.
public protocol AudioSource: Sendable {
    /// The sound from now on, or from its beginning, in pieces of any length and of one rate.
    ///
    /// The sequence ends where the sound does, or when the task that iterates over it is cancelled; a source that fails
    /// ends with an `AudioError`.
    func chunks() -> AsyncThrowingStream<AudioSamples, any Error>
}
