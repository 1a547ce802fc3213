// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Foundation
    import Glibc
    import ParleyAudio
    import ParleyTestSupport
    import Testing

    /// The forms that libsndfile reads. Its own writer makes the files, so that none need to be kept.
    @Suite(
        "FLAC, Ogg, Opus and MP3 through libsndfile", .enabled(if: References.has("sound/.complete"), References.hint))
    struct SndfileTests {
        private static let path = References.url("sound/libsndfile.so").path

        /// A form with its number in the library, the name of its files, and how far a sample may be off.
        struct Form: Sendable, CustomTestStringConvertible {
            var name: String
            var number: Int32
            var error: Float
            var testDescription: String { name }

            static let all = [
                Form(name: "flac", number: 0x17_0002, error: 1.0 / 32_000),
                Form(name: "ogg", number: 0x20_0060, error: 0.05), Form(name: "opus", number: 0x20_0064, error: 0.05),
                Form(name: "mp3", number: 0x23_0082, error: 0.05),
            ]
        }

        private typealias Open =
            @convention(c) (UnsafePointer<CChar>, CInt, UnsafeMutableRawPointer) -> OpaquePointer?
        private typealias Write = @convention(c) (OpaquePointer, UnsafePointer<Float>, Int64) -> Int64
        private typealias Close = @convention(c) (OpaquePointer) -> CInt

        /// A tone of 440 Hz that rises and falls; the right of two channels has half of it, inverted.
        private static func tone(seconds: Double, rate: Int) -> [Float] {
            let count = Int(seconds * Double(rate))
            return (0..<count).map { index in
                let time = Double(index) / Double(rate)
                return Float(0.5 * sin(2 * .pi * 440 * time) * sin(.pi * Double(index) / Double(count)))
            }
        }

        /// Writes a file with the library.
        private static func write(_ samples: [Float], _ form: Form, rate: Int, channels: Int, to url: URL) throws {
            let handle = try #require(dlopen(path, RTLD_NOW | RTLD_LOCAL))
            let open = unsafeBitCast(try #require(dlsym(handle, "sf_open")), to: Open.self)
            let write = unsafeBitCast(try #require(dlsym(handle, "sf_writef_float")), to: Write.self)
            let close = unsafeBitCast(try #require(dlsym(handle, "sf_close")), to: Close.self)
            var info: (frames: Int64, rate: Int32, channels: Int32, form: Int32, rest: (Int32, Int32, Int32)) =
                (0, Int32(rate), Int32(channels), form.number, (0, 0, 0))
            let writeOnly: CInt = 0x20
            let opened = withUnsafeMutableBytes(of: &info) { bytes in
                bytes.baseAddress.flatMap { open(url.path, writeOnly, $0) }
            }
            let file = try #require(opened, "the library does not write \(form.name)")
            let frames = channels == 1 ? samples : samples.flatMap { [$0, -$0 / 2] }
            #expect(write(file, frames, Int64(samples.count)) == Int64(samples.count))
            #expect(close(file) == 0)
        }

        private func read(_ url: URL) throws -> (samples: [Float], decoder: SndfileDecoder) {
            let decoder = try SndfileDecoder(url, library: try #require(LibSndfile(Self.path)))
            var samples: [Float] = []
            while case let piece = try decoder.read(atMost: 4_000), !piece.isEmpty { samples += piece }
            return (samples, decoder)
        }

        /// The largest difference where the two fit best: codecs delay what they encode.
        private func difference(_ samples: [Float], _ expected: [Float]) -> Float {
            (0..<2_400).map { shift in
                var largest: Float = 0
                for index in stride(from: 2_000, to: expected.count - 4_800, by: 7) {
                    guard index + shift < samples.count else { return .infinity }
                    largest = max(largest, abs(samples[index + shift] - expected[index]))
                }
                return largest
            }.min() ?? .infinity
        }

        @Test("A tone comes back, of one channel and as the mean of two", arguments: Form.all, [1, 2])
        func tone(form: Form, channels: Int) throws {
            let folder = try TemporaryDirectory()
            let url = folder.url.appending(path: "tone.\(form.name)")
            let (rate, tone) = (48_000, Self.tone(seconds: 0.6, rate: 48_000))
            try Self.write(tone, form, rate: rate, channels: channels, to: url)
            let (samples, decoder) = try read(url)
            #expect(decoder.sampleRate == rate)
            #expect(abs(samples.count - tone.count) <= 3_000)
            let expected = channels == 1 ? tone : tone.map { $0 / 4 }
            #expect(difference(samples, expected) < form.error)
        }

        @Test("A file that ends early gives what there is or an error, and nothing crashes", arguments: Form.all)
        func truncated(form: Form) throws {
            let folder = try TemporaryDirectory()
            let url = folder.url.appending(path: "tone.\(form.name)")
            try Self.write(Self.tone(seconds: 1, rate: 48_000), form, rate: 48_000, channels: 1, to: url)
            let whole = try Data(contentsOf: url)
            for part in 0..<16 {
                try whole.prefix(whole.count * part / 16).write(to: url)
                do {
                    #expect(try read(url).samples.count <= 51_000)
                } catch let error as AudioError {
                    #expect(error.code == .unsupportedAudio && error.message.contains("tone.\(form.name)"))
                }
            }
        }

        @Test("A file whose end is missing is an error, not a shorter recording")
        func missingEnd() throws {
            let folder = try TemporaryDirectory()
            let url = folder.url.appending(path: "tone.flac")
            try Self.write(Self.tone(seconds: 6, rate: 16_000), Form.all[0], rate: 16_000, channels: 1, to: url)
            let whole = try Data(contentsOf: url)
            #expect(try read(url).samples.count == 96_000)
            try whole.prefix(whole.count / 2).write(to: url)
            let error = #expect(throws: AudioError.self) { try read(url) }
            #expect(error?.message.contains("cut off") == true && error?.message.contains("of its 6 seconds") == true)
        }

        /// Silence of 10 s and then noise, for which codecs take far more bits.
        private static let loudEnd: [Float] = {
            var state: UInt32 = 1
            return (0..<960_000).map { index in
                state = state &* 1_664_525 &+ 1_013_904_223
                return index < 480_000 ? 0 : Float(state >> 8) / 16_777_216 - 0.5
            }
        }()

        @Test("An MP3 file that does not say how long it is is as long as its frames")
        func estimatedLength() throws {
            let folder = try TemporaryDirectory()
            let url = folder.url.appending(path: "noise.mp3")
            try Self.write(Self.loudEnd, Form.all[3], rate: 48_000, channels: 1, to: url)
            var bytes = try Data(contentsOf: url)
            // The first frame has the table. The library's estimate by the second one is too long by far.
            let second = try #require(bytes.range(of: bytes.prefix(2), in: 4..<bytes.count)).lowerBound
            bytes = Data(bytes.dropFirst(second))
            let tag = Data([0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 1, 0] + [UInt8](repeating: 0, count: 128))
            for tag in [Data(), tag] {
                try (tag + bytes).write(to: url)
                let (found, decoder) = try read(url)
                #expect(abs(found.count - Self.loudEnd.count) < 5_000)
                #expect(abs((decoder.sampleCount ?? 0) - Self.loudEnd.count) < 5_000)
            }
        }

        @Test("An MP3 file of which the library would leave out the end is refused")
        func understatedLength() throws {
            let folder = try TemporaryDirectory()
            let url = folder.url.appending(path: "noise.mp3")
            try Self.write(Self.loudEnd, Form.all[3], rate: 48_000, channels: 1, to: url)
            let whole = try Data(contentsOf: url)
            #expect(abs(try read(url).samples.count - Self.loudEnd.count) < 5_000)
            // Two files put together, of which the first one's table says the length; and one that ends early.
            try (whole + whole).write(to: url)
            var error = #expect(throws: AudioError.self) { try read(url) }
            #expect(error?.message.contains("noise.mp3") == true && error?.message.contains("ffmpeg") == true)
            try whole.prefix(whole.count / 2).write(to: url)
            error = #expect(throws: AudioError.self) { try read(url) }
            #expect(error?.message.contains("cut off") == true)
        }

        @Test("An Ogg file of several streams one after the other is refused, since only the first would be read")
        func chainedStreams() throws {
            let folder = try TemporaryDirectory()
            for (index, form) in [Form.all[1], Form.all[2]].enumerated() {
                let (first, second) = (
                    folder.url.appending(path: "first\(index).ogg"), folder.url.appending(path: "second\(index).ogg")
                )
                let tone = Self.tone(seconds: 1, rate: 48_000)
                try Self.write(tone, form, rate: 48_000, channels: 1, to: first)
                try Self.write(tone, form, rate: 48_000, channels: 1, to: second)
                #expect(try read(first).samples.count > 40_000)
                // Two streams of one file have different numbers.
                var next = try Data(contentsOf: second)
                let own = next[14..<18]
                let other = Data(own.map { $0 ^ 0x55 })
                while let range = next.range(of: own) { next.replaceSubrange(range, with: other) }
                try (Data(contentsOf: first) + next).write(to: first)
                let error = #expect(throws: AudioError.self) { try read(first) }
                #expect(error?.code == .unsupportedAudio && error?.message.contains("several streams") == true)
            }
        }

        @Test("Of many channels few samples are read at a time, so that no header makes a piece large")
        func manyChannels() throws {
            let folder = try TemporaryDirectory()
            let url = folder.url.appending(path: "wide.au")
            // Sun's form: the mark, where the samples begin, their size, 16 bits, the rate and the channels.
            let numbers: [UInt32] = [0x2E73_6E64, 24, 256 * 2 * 5_000, 3, 1_000_000, 256]
            let head = numbers.flatMap { number in withUnsafeBytes(of: number.bigEndian) { [UInt8]($0) } }
            try Data(head + [UInt8](repeating: 0, count: 256 * 2 * 5_000)).write(to: url)
            let decoder = try SndfileDecoder(url, library: try #require(LibSndfile(Self.path)))
            #expect(try decoder.read(atMost: 500_000).count == 4_096)
            #expect(try decoder.read(atMost: 500_000).count == 904)
        }

        @Test("What is no sound is refused by its name, with what to do")
        func noSound() throws {
            let folder = try TemporaryDirectory()
            let url = folder.url.appending(path: "letter.ogg")
            try Data("Dear all, this is no sound.".utf8).write(to: url)
            let error = #expect(throws: AudioError.self) { try read(url) }
            #expect(error?.message.contains("letter.ogg") == true && error?.message.contains("ffmpeg") == true)
        }

        @Test("Where the library is missing it is not opened") func missing() {
            #expect(LibSndfile("libsndfile-of-nobody.so.1") == nil)
        }
    }
#endif
