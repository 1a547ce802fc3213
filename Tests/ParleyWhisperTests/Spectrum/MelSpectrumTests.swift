// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyTensor
import ParleyWhisper
import Testing

@Suite struct MelSpectrumTests {
    private func spectrum(_ samples: [Float], frames: Int) throws -> [[Float]] {
        let buffer = try AlignedBuffer(byteCount: frames * 80 * MemoryLayout<Float>.stride)
        let rows = FloatRows(pointer: buffer.floats, count: frames, width: 80)
        let spectrum = try MelSpectrum(bands: 80, pool: WorkerPool(lanes: 2))
        samples.withUnsafeBufferPointer { spectrum.run($0, into: rows) }
        return withExtendedLifetime(buffer) {
            (0..<frames).map { Array(UnsafeBufferPointer(start: rows.row($0), count: 80)) }
        }
    }

    @Test("The sound of the reference is made again")
    func sound() throws {
        let golden = try #require(TinyWhisperGolden.recorded)
        let samples = stride(from: 0, to: TinyWhisperFixture.sound.count, by: 997).map { TinyWhisperFixture.sound[$0] }
        #expect(largestDifference(samples, golden.samples) < 1e-6)
    }

    @Test("The spectrum is the reference's")
    func reference() throws {
        let golden = try #require(TinyWhisperGolden.recorded)
        let all = try spectrum(TinyWhisperFixture.sound, frames: 3_000)
        for (frame, expected) in zip(golden.frames, golden.spectrum) {
            #expect(largestDifference(all[frame], expected) < 1e-4, "frame \(frame)")
        }
    }

    @Test("Fewer frames of short sound are the first of all")
    func beginning() throws {
        let all = try spectrum(TinyWhisperFixture.sound, frames: 3_000)
        #expect(try spectrum(TinyWhisperFixture.sound, frames: 301) == Array(all.prefix(301)))
    }

    @Test("Silence has one value")
    func silence() throws {
        #expect(try spectrum([], frames: 7).flatMap(\.self).allSatisfy { $0 == -1.5 })
        #expect(try Set(spectrum([Float](repeating: 0, count: 480_000), frames: 3_000).flatMap(\.self)) == [-1.5])
    }

    @Test("Sound that fills the window, or exceeds it, is mirrored at the end")
    func fullWindow() throws {
        let tone = (0..<500_000).map { Float(sin(Double($0) * 0.3)) }
        let all = try spectrum(Array(tone.prefix(480_000)), frames: 3_000)
        #expect(all[2_998].max() ?? 0 > 1)
        #expect(try spectrum(tone, frames: 3_000) == all)
    }
}
