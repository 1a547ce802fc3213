// SPDX-License-Identifier: Apache-2.0

/// A stretch of sound in one channel: samples between −1 and 1, so many a second.
///
/// Speech recognisers work at ``speechRate``; ``resampled(to:)`` makes that of any other rate.
public struct AudioSamples: Hashable, Sendable {
    /// The samples, in order. Loud recordings may go beyond −1 and 1.
    public var samples: [Float]
    /// How many samples a second has.
    public var sampleRate: Int

    /// The rate at which speech is recognised, in samples a second.
    public static let speechRate = 16_000

    /// Creates a stretch of sound.
    ///
    /// - Parameters:
    ///   - samples: the samples, between −1 and 1.
    ///   - sampleRate: how many samples a second has; at least 1.
    public init(samples: [Float], sampleRate: Int = AudioSamples.speechRate) {
        (self.samples, self.sampleRate) = (samples, max(1, sampleRate))
    }

    /// How long it lasts.
    public var duration: Duration { .seconds(samples: samples.count, rate: sampleRate) }

    /// The same sound with another number of samples a second.
    ///
    /// A windowed sinc removes what the lower of the two rates cannot represent. The result has
    /// `⌈count · rate / sampleRate⌉` samples, and its first is at the same time as this one's.
    public func resampled(to rate: Int) -> AudioSamples {
        if rate == sampleRate { return self }
        var resampler = Resampler(from: sampleRate, to: rate)
        var result = resampler.resample(samples)
        result += resampler.finish()
        return AudioSamples(samples: result, sampleRate: rate)
    }
}

extension Float {
    /// The value as a sample. Floats of others may be anything: what is no finite number is silence, and nothing is so
    /// large that sums become infinite.
    package var asSample: Float { isFinite ? min(max(self, -1000), 1000) : 0 }
}

extension Duration {
    /// The time that a number of samples takes.
    package static func seconds(samples: Int, rate: Int) -> Duration {
        let (whole, rest) = samples.quotientAndRemainder(dividingBy: max(1, rate))
        return .seconds(whole) + .nanoseconds(rest * 1_000_000_000 / max(1, rate))
    }

    /// The number of samples that begin within this time, at a rate.
    package func samples(at rate: Int) -> Int {
        let (seconds, attoseconds) = components
        let part = Double(attoseconds) * 1e-18 * Double(rate)
        let (whole, overflow) = Int(clamping: seconds).multipliedReportingOverflow(by: rate)
        // Rounded, so that a time that was made of a number of samples gives that number again.
        return overflow ? .max : whole.addingReportingOverflow(Int(part.rounded())).partialValue
    }

    /// The time in seconds.
    package var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
