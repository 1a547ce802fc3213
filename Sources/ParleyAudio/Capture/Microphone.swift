// SPDX-License-Identifier: Apache-2.0

/// A microphone of this machine.
///
/// On Linux it is read through ALSA, which also leads to PipeWire and PulseAudio; its library is opened when the first
/// microphone is, so nothing needs it to be installed. On Apple's systems it is read through `AVAudioEngine`, and the
/// user is asked for permission. On iOS the app's audio session is set up for recording and playing, unless the app has
/// chosen a category that allows recording; it stays active.
public struct Microphone: AudioSource {
    /// The name of the device, as `arecord -L` lists them; `nil` for the usual one. Apple's systems have only that.
    public var device: String?

    /// A microphone; nothing is opened yet.
    public init(device: String? = nil) {
        self.device = device
    }

    /// What it hears from now on, in pieces of a tenth of a second or less.
    ///
    /// The device is opened with the first piece and closed when the iteration ends. On iOS the sequence ends when a call
    /// or another app takes the microphone. It fails with an
    /// `AudioError` of the code `microphoneUnavailable` or `microphoneDenied`.
    public func chunks() -> AsyncThrowingStream<AudioSamples, any Error> {
        Self.capture(device)
    }
}
