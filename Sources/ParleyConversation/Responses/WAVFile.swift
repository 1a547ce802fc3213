// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes sound as a WAV file of 16-bit samples in one channel.
enum WAVFile {
    static func data(samples: [Float], sampleRate: Int) -> Data {
        let rate = UInt32(clamping: sampleRate)
        let size = UInt32(clamping: samples.count * 2)
        var data = Data("RIFF".utf8)
        append(36 &+ size, to: &data)
        data.append(contentsOf: "WAVEfmt ".utf8)
        append(UInt32(16), to: &data)  // the length of what describes the samples
        append(UInt16(1), to: &data)  // plain samples
        append(UInt16(1), to: &data)  // one channel
        append(rate, to: &data)
        append(rate &* 2, to: &data)  // bytes a second
        append(UInt16(2), to: &data)  // bytes a sample
        append(UInt16(16), to: &data)  // bits a sample
        data.append(contentsOf: "data".utf8)
        append(size, to: &data)
        for sample in samples {
            let level = sample.isNaN ? 0 : min(max(sample, -1), 1)
            append(UInt16(bitPattern: Int16((level * 32_767).rounded())), to: &data)
        }
        return data
    }

    private static func append(_ value: some FixedWidthInteger, to data: inout Data) {
        withUnsafeBytes(of: value.littleEndian) { data.append(contentsOf: $0) }
    }
}
