// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyFiles
import ParleyModels
import ParleyTestSupport
import Testing

@Suite("Checksum")
struct ChecksumTests {
    @Test(
        "the digest is SHA-256's",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        ])
    func vectors(text: String, digest: String) throws {
        let directory = try TemporaryDirectory()
        let url = directory.url.appending(path: "file")
        try Data(text.utf8).write(to: url)
        #expect(try sha256(of: url) == digest)
    }
}
