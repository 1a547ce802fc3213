// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyConversation
import ParleyJSON
import ParleyOpenAI
import ParleyTestSupport
import Testing

@Suite("Sizes of images by their headers")
struct ImageSizeTests {
    private static func jpeg(_ width: UInt16, _ height: UInt16) -> Data {
        // A comment, a table whose marker lies among those of frames, filling bytes, and the frame.
        var data = Data([0xFF, 0xD8, 0xFF, 0xFE, 0, 4, 1, 2, 0xFF, 0xC4, 0, 3, 0, 0xFF, 0xFF, 0xC2, 0, 11, 8])
        for side in [height, width] { withUnsafeBytes(of: side.bigEndian) { data.append(contentsOf: $0) } }
        return data + Data([3])
    }

    @Test("The header of a PNG or JPEG file states its size.")
    func sizes() {
        let png = ImageSize(of: Data.png(640, 480))
        #expect(png?.width == 640 && png?.height == 480 && png?.pixels == 307_200)
        let jpeg = ImageSize(of: Self.jpeg(65_535, 3))
        #expect(jpeg?.width == 65_535 && jpeg?.height == 3)
        #expect(ImageSize(of: Data.png(.max, .max))?.pixels == .max)
    }

    @Test("What lies between the segments of a JPEG file hides no frame.")
    func filled() {
        for filling in [[0], [1, 2, 3], [0xFF, 0], [0xFF, 1, 9]] as [[UInt8]] {
            var data = Data([0xFF, 0xD8, 0xFF, 0xFE, 0, 4, 1, 2] + filling)
            data += Self.jpeg(60_000, 50_000).dropFirst(2)
            #expect(ImageSize(of: data)?.pixels == 3_000_000_000, "\(filling)")
        }
    }

    @Test("No part of a header traps, whatever is missing or wrong.")
    func damaged() {
        for whole in [Data.png(1, 1), Self.jpeg(1, 1)] {
            for count in 0..<whole.count {
                _ = ImageSize(of: whole.prefix(count))
                var changed = whole
                changed[count] = 0xFF
                _ = ImageSize(of: changed)
                changed[count] = 0
                _ = ImageSize(of: changed)
            }
        }
        #expect(ImageSize(of: Data()) == nil && ImageSize(of: Data.png(0, 1)) == nil)
    }

    @Test("What is no image, states no size or has too many pixels is told apart.")
    func faults() throws {
        #expect(throws: Never.self) { try ImageSize.check(Self.jpeg(8_192, 8_192)) }
        #expect(throws: ImageSize.Fault.noImage) { try ImageSize.check(Data("GIF89a".utf8)) }
        #expect(throws: ImageSize.Fault.unknown) { try ImageSize.check(Data.png(1, 1).prefix(20)) }
        let error = #expect(throws: ImageSize.Fault.self) { try ImageSize.check(Data.png(8_192, 8_193)) }
        #expect(error?.description == "has 8192 × 8193 pixels; 64 megapixels are taken")
    }

    @Test("An image of too many pixels, or of an unknown number, is refused by its header, with its place.")
    func limit() {
        func request(_ data: Data) throws -> ChatCompletionRequest {
            let url = "data:image/png;base64,\(data.base64EncodedString())"
            return try ChatCompletionRequest([
                "model": "a",
                "messages": [
                    ["role": "user", "content": [["type": "image_url", "image_url": ["url": .string(url)]]]]
                ],
            ])
        }
        #expect(throws: Never.self) { try request(Data.png(4_096, 4_096)) }
        let error = #expect(throws: OpenAIError.self) { try request(Data.png(4_096, 4_097)) }
        #expect(error?.code == .invalidValue && error?.param == "messages[0].content[0].image_url.url")
        #expect(throws: OpenAIError.self) { try request(Self.jpeg(60_000, 60_000)) }
        let silent = #expect(throws: OpenAIError.self) { try request(Self.jpeg(1, 1).prefix(12)) }
        #expect(silent?.code == .invalidValue && silent?.param == "messages[0].content[0].image_url.url")
    }
}
