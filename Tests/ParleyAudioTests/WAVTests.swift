// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAudio
import ParleyTestSupport
import Testing

@Suite("WAV files")
struct WAVTests {
    /// A form and the bytes of −1, −0.5, 0 and 0.5 in it.
    private static let forms: [(tag: UInt16, bits: UInt16, body: [UInt8])] = [
        (1, 8, [0, 64, 128, 192]),
        (1, 16, [0, 0x80, 0, 0xC0, 0, 0, 0, 0x40]),
        (1, 24, [0, 0, 0x80, 0, 0, 0xC0, 0, 0, 0, 0, 0, 0x40]),
        (1, 32, [0, 0, 0, 0x80, 0, 0, 0, 0xC0, 0, 0, 0, 0, 0, 0, 0, 0x40]),
        (
            3, 32,
            [Float(-1), -0.5, 0, 0.5].flatMap { value in
                withUnsafeBytes(of: value.bitPattern.littleEndian) { [UInt8]($0) }
            }
        ),
        (
            3, 64,
            [-1, -0.5, 0, 0.5].flatMap { value in withUnsafeBytes(of: value.bitPattern.littleEndian) { [UInt8]($0) } }
        ),
    ]

    @Test("integers of 8 to 32 bits and floats are read", arguments: forms, [false, true])
    func readsForms(form: (tag: UInt16, bits: UInt16, body: [UInt8]), isExtensible: Bool) throws {
        var wav = WAVBytes(tag: form.tag, bits: form.bits, isExtensible: isExtensible, body: form.body)
        wav.extra = [("LIST", [1, 2, 3])]
        let audio = try AudioSamples(wav: wav.data)
        #expect(audio == AudioSamples(samples: [-1, -0.5, 0, 0.5], sampleRate: 16_000))
    }

    @Test("several channels become their mean")
    func mixesChannels() throws {
        let wav = WAVBytes(channels: 2, rate: 44_100, bits: 8, body: [0, 128, 128, 192])
        #expect(try AudioSamples(wav: wav.data) == AudioSamples(samples: [-0.5, 0.25], sampleRate: 44_100))
    }

    @Test("files with 64-bit sizes are read", arguments: ["RF64", "BW64"])
    func readsLargeForms(form: String) throws {
        let wav = WAVBytes(form: form, bits: 8, dataSize: .max, largeSize: 2, body: [128, 192, 1, 2])
        #expect(try AudioSamples(wav: wav.data).samples == [0, 0.5])
    }

    @Test("a size that a pipe left open is that of the rest", arguments: [0, 0x7FFF_F000, 0x8000_0000, UInt32.max])
    func readsOpenSizes(size: UInt32) throws {
        let wav = WAVBytes(bits: 8, dataSize: size, body: [128, 192])
        #expect(try AudioSamples(wav: wav.data).samples == [0, 0.5])
        #expect(try !WAVFormat(SoundBytes(wav.data)).isCutOff)
    }

    @Test("so is one of 64 bits", arguments: [0, UInt64(UInt32.max), .max])
    func readsOpenLargeSizes(size: UInt64) throws {
        let wav = WAVBytes(form: "RF64", bits: 8, dataSize: .max, largeSize: size, body: [128, 192])
        #expect(try AudioSamples(wav: wav.data).samples == [0, 0.5])
        #expect(try !WAVFormat(SoundBytes(wav.data)).isCutOff)
    }

    @Test("of many channels few samples are read at a time, so that no header makes a piece large")
    func boundsPieces() throws {
        let wav = WAVBytes(channels: 256, rate: 1_000_000, bits: 8, body: [UInt8](repeating: 192, count: 256 * 5_000))
        var decoder = try WAVDecoder(SoundBytes(wav.data))
        #expect(try decoder.read(atMost: 500_000).count == 4_096)
        #expect(try decoder.read(atMost: 500_000) == [Float](repeating: 0.5, count: 904))
        #expect(try decoder.read(atMost: 500_000).isEmpty)
    }

    @Test("a file that is cut off is read as far as it goes, and says so")
    func readsCutOffFiles() throws {
        let wav = WAVBytes(dataSize: 100, body: [0, 0, 0, 0x40, 7])
        #expect(try AudioSamples(wav: wav.data).samples == [0, 0.5])
        #expect(try WAVFormat(SoundBytes(wav.data)).isCutOff)
    }

    @Test("what is not a number is silence, and what is infinite has a bound")
    func boundsFloats() throws {
        let values: [Float] = [.nan, .infinity, -.infinity, 1e30]
        let body = values.flatMap { value in withUnsafeBytes(of: value.bitPattern.littleEndian) { [UInt8]($0) } }
        #expect(try AudioSamples(wav: WAVBytes(tag: 3, bits: 32, body: body).data).samples == [0, 0, 0, 1000])
    }

    @Test("what is damaged or in another form is refused")
    func refuses() {
        var refused = [
            WAVBytes(tag: 2, bits: 4), WAVBytes(bits: 0), WAVBytes(bits: 33), WAVBytes(channels: 0),
            WAVBytes(channels: 257), WAVBytes(rate: 0), WAVBytes(rate: .max), WAVBytes(align: 3),
            WAVBytes(tag: 3, bits: 16), WAVBytes(form: "RIFX"),
        ].map(\.data)
        let sound = WAVBytes(body: [1, 2]).data
        refused += (0..<44).map { sound.prefix($0) }
        for data in refused {
            let error = #expect(throws: AudioError.self) { try AudioSamples(wav: data) }
            #expect(error?.code == .unsupportedAudio)
        }
    }

    @Test("what is written is read again, clipped to 16 bits")
    func writes() throws {
        let audio = AudioSamples(samples: [0, 0.5, -0.25, -1, 7, .nan], sampleRate: 22_050)
        let read = try AudioSamples(wav: audio.wav())
        #expect(read.samples == [0, 0.5, -0.25, -1, 32_767 / 32_768, 0])
        #expect(read.sampleRate == 22_050)
    }

    @Test("a file is read in pieces that are together the whole")
    func readsPieces() async throws {
        let directory = try TemporaryDirectory()
        let url = directory.url.appending(path: "a.wav")
        let audio = AudioSamples(samples: (0..<20_001).map { Float($0 % 100) / 128 }, sampleRate: 8000)
        try audio.wav().write(to: url)
        let file = try AudioFile(url)
        #expect(file.duration == audio.duration)
        var samples: [Float] = []
        var count = 0
        for try await piece in file.chunks() {
            #expect(piece.sampleRate == 8000)
            samples += piece.samples
            count += 1
        }
        #expect(samples == audio.samples)
        #expect(count == 6)
        #expect(try AudioSamples(contentsOf: url) == audio)
    }

    @Test("a file that is none, a folder and what is no sound say what is wrong")
    func refusesFiles() throws {
        let directory = try TemporaryDirectory()
        let text = directory.url.appending(path: "a.txt")
        try Data("no sound at all".utf8).write(to: text)
        for url in [directory.url, directory.url.appending(path: "b.wav")] {
            let error = #expect(throws: AudioError.self) { try AudioFile(url) }
            #expect(error?.code == .unreadableFile)
        }
        let error = #expect(throws: AudioError.self) { try AudioFile(text) }
        #expect(error?.code == .unsupportedAudio)
        #expect(error?.message.contains("ffmpeg -i a.txt") == true)
        let cut = directory.url.appending(path: "cut.wav")
        try AudioSamples(samples: [0], sampleRate: 8000).wav().prefix(30).write(to: cut)
        #expect(#expect(throws: AudioError.self) { try AudioFile(cut) }?.message.hasPrefix("cut.wav: ") == true)
    }
}
