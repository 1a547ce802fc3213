// SPDX-License-Identifier: Apache-2.0

import CParleySHA256
import Foundation
import ParleyFiles
import Testing

/// The two implementations. On a machine without SHA-256 instructions both are the portable one.
private let codes = ["portable", "fastest"]

/// A hash of nothing that the named code takes further.
private func begin(_ code: String) -> parley_sha256 {
    var hash = parley_sha256()
    parley_sha256_begin(&hash, code == "portable" ? PARLEY_SHA256_GENERIC : parley_sha256_best())
    return hash
}

extension parley_sha256 {
    fileprivate mutating func update(_ bytes: some Sequence<UInt8>) {
        let bytes = ContiguousArray(bytes)
        bytes.withUnsafeBytes { parley_sha256_update(&self, $0.baseAddress, $0.count) }
    }

    fileprivate var digest: [UInt8] {
        var hash = self
        var digest = [UInt8](repeating: 0, count: Int(PARLEY_SHA256_DIGEST_BYTES))
        parley_sha256_digest(&hash, &digest)
        return digest
    }

    fileprivate func digest(of pieces: ArraySlice<UInt8>...) -> [UInt8] {
        var hash = self
        for piece in pieces { hash.update(piece) }
        return hash.digest
    }
}

private func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { String(0x100 + Int($0), radix: 16).dropFirst() }.joined()
}

@Suite("SHA-256")
struct SHA256HashTests {
    @Test("NIST's messages have their digests", arguments: codes, ["SHA256ShortMsg", "SHA256LongMsg"])
    func messages(code: String, file: String) throws {
        let empty = begin(code)
        for (message, digest) in try CAVPFile(file).messages() {
            #expect(empty.digest(of: message[...]) == digest, "\(message.count) bytes")
        }
    }

    @Test("NIST's Monte Carlo test passes its checkpoints", arguments: codes)
    func monteCarlo(code: String) throws {
        let file = try CAVPFile("SHA256Monte")
        let empty = begin(code)
        var seed = try #require(try file.bytes(of: "Seed").first)
        let checkpoints = try file.bytes(of: "MD")
        #expect(checkpoints.count == 100)
        for checkpoint in checkpoints {
            var last = [seed, seed, seed]
            for _ in 0..<1_000 {
                last = [last[1], last[2], empty.digest(of: last[0][...], last[1][...], last[2][...])]
            }
            seed = last[2]
            try #require(seed == checkpoint)
        }
    }

    @Test(
        "a message split anywhere, into two or three pieces or into bytes, has the digest of the whole",
        arguments: codes)
    func pieces(code: String) throws {
        let empty = begin(code)
        for (message, digest) in try CAVPFile("SHA256ShortMsg").messages() + CAVPFile("SHA256LongMsg").messages() {
            var bytewise = empty
            for index in 0...message.count {
                #expect(empty.digest(of: message[..<index], message[index...]) == digest)
                bytewise.update(message[index...].prefix(1))
            }
            #expect(bytewise.digest == digest)
        }
        let (message, digest) = try #require(try CAVPFile("SHA256LongMsg").messages().first)
        for first in 0...message.count {
            for second in first...message.count {
                let pieces = (message[..<first], message[first..<second], message[second...])
                #expect(empty.digest(of: pieces.0, pieces.1, pieces.2) == digest)
            }
        }
    }

    @Test("every length up to some blocks gives what the portable code gives, at every alignment")
    func lengthsAndAlignments() {
        let bytes = (0..<400).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ $0 / 3) }
        let (portable, fastest) = (begin("portable"), begin("fastest"))
        for count in 0...360 {
            let expected = portable.digest(of: bytes[..<count])
            for offset in 0..<16 {
                let memory = [UInt8](repeating: 1, count: offset) + bytes[..<count]
                var hash = fastest
                memory.withUnsafeBytes { parley_sha256_update(&hash, $0.baseAddress.map { $0 + offset }, count) }
                #expect(hash.digest == expected, "\(count) bytes at \(offset)")
            }
        }
    }

    @Test("a million times the letter a, the example of FIPS 180-2", arguments: codes)
    func million(code: String) {
        let digest = begin(code).digest(of: [UInt8](repeating: 0x61, count: 1_000_000)[...])
        #expect(hexadecimal(digest) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test("a message of more than 2^32 bits has its whole length counted")
    func long() {
        // 513 MiB of zeros; the digest is from Python's hashlib.
        let piece = Data(count: 1 << 20)
        var hash = SHA256Hash()
        for _ in 0..<513 { hash.update(piece) }
        #expect(hash.hexadecimal == "a3e2acbb469e4e59dde406f912e754c933c1ac0fb0092a3634d61d5073309c0c")
    }

    @Test("if the processor lacks the instructions, the portable code is used")
    func missingCode() {
        #expect(parley_sha256_has(PARLEY_SHA256_GENERIC) && parley_sha256_has(parley_sha256_best()))
        for code in [PARLEY_SHA256_GENERIC, PARLEY_SHA256_X86, PARLEY_SHA256_ARM] {
            var hash = parley_sha256()
            parley_sha256_begin(&hash, code)
            #expect(hash.code == (parley_sha256_has(code) ? code : PARLEY_SHA256_GENERIC))
            #expect(
                hexadecimal(hash.digest(of: Array("abc".utf8)[...]))
                    == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        }
    }

    @Test("reading an intermediate digest changes nothing, and copies are independent")
    func copies() {
        var hash = SHA256Hash()
        hash.update(Data("ab".utf8))
        var copy = hash
        copy.update(Data("x".utf8))
        #expect(hash.hexadecimal == SHA256Hash.hexadecimal(of: Data("ab".utf8)))
        hash.update(Data("c".utf8))
        #expect(hash.hexadecimal == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(copy.hexadecimal == SHA256Hash.hexadecimal(of: Data("abx".utf8)))
    }

    @Test("the hash of data is NIST's, however the data is cut")
    func data() throws {
        for (message, digest) in try CAVPFile("SHA256ShortMsg").messages() + CAVPFile("SHA256LongMsg").messages() {
            #expect(SHA256Hash.hexadecimal(of: Data(message)) == hexadecimal(digest))
        }
        let (message, digest) = try #require(try CAVPFile("SHA256LongMsg").messages().first)
        let data = Data(message)
        for index in 0...data.count {
            var hash = SHA256Hash()
            hash.update(data[..<index])
            hash.update(data[index...])
            #expect(hash.hexadecimal == hexadecimal(digest))
        }
    }
}
