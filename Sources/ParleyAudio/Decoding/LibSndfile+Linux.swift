// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    package import Foundation
    import Glibc

    /// What reads the forms of sound that Parley does not read itself.
    enum SystemDecoding {
        /// Reads what is not WAV with libsndfile, where it is installed.
        static func decoder(for url: URL) throws -> any SoundDecoder {
            guard let library = LibSndfile.shared else {
                let name = url.lastPathComponent
                throw AudioError(
                    .unsupportedAudio,
                    "\(name) is no WAV file, and libsndfile, which reads FLAC, MP3, Ogg and Opus, is not installed (on "
                        + "Debian: apt-get install libsndfile1). Or convert the file, "
                        + AudioError.conversion(of: name))
            }
            return try SndfileDecoder(url, library: library)
        }
    }

    /// The functions of libsndfile that are used, looked up at run time, so that nothing needs it to build or start.
    package struct LibSndfile: Sendable {
        typealias Open = @convention(c) (UnsafePointer<CChar>, CInt, UnsafeMutableRawPointer) -> OpaquePointer?
        typealias Read = @convention(c) (OpaquePointer, UnsafeMutablePointer<Float>, Int64) -> Int64
        typealias Close = @convention(c) (OpaquePointer) -> CInt

        let open: Open
        let read: Read
        let close: Close

        /// The library, if it is installed.
        package static let shared = LibSndfile()

        /// Opens the library by its name, or that of a file.
        package init?(_ name: String = "libsndfile.so.1") {
            guard let handle = dlopen(name, RTLD_NOW | RTLD_LOCAL),
                let open = dlsym(handle, "sf_open"), let read = dlsym(handle, "sf_readf_float"),
                let close = dlsym(handle, "sf_close")
            else { return nil }
            self.open = unsafeBitCast(open, to: Open.self)
            self.read = unsafeBitCast(read, to: Read.self)
            self.close = unsafeBitCast(close, to: Close.self)
        }
    }

    /// Reads a file with libsndfile. One owner at a time uses it.
    package final class SndfileDecoder: SoundDecoder {
        package let sampleRate: Int
        package let sampleCount: Int?
        private let name: String
        private let channels: Int
        private var readCount = 0
        private let library: LibSndfile
        private let file: OpaquePointer
        /// The number of a form is in these bits; this is MP3's.
        private static let (formMask, mp3): (Int32, Int32) = (0x0FFF_0000, 0x0023_0000)

        /// Opens a file.
        ///
        /// - Throws: `AudioError`, if the library does not know its form, or reads only a part of it.
        package init(_ url: URL, library: LibSndfile) throws {
            self.library = library
            name = url.lastPathComponent
            let bytes = try SoundBytes(contentsOf: url)
            guard try !OggStreams.areChained(in: bytes) else {
                throw AudioError(
                    .unsupportedAudio,
                    "\(name) has several streams one after the other, of which only the first can be read here. Join them, "
                        + AudioError.conversion(of: name))
            }
            // SF_INFO: a 64-bit count of frames, then the rate, the channels, the form and two more 32-bit numbers.
            var info: (frames: Int64, rate: Int32, channels: Int32, rest: (Int32, Int32, Int32, Int32)) =
                (0, 0, 0, (0, 0, 0, 0))
            let readOnly: CInt = 0x10
            let opened = url.withUnsafeFileSystemRepresentation { path in
                path.flatMap { path in
                    withUnsafeMutableBytes(of: &info) { $0.baseAddress.flatMap { library.open(path, readOnly, $0) } }
                }
            }
            guard let opened else { throw AudioError.unknownForm(name) }
            guard WAVFormat.sampleRates.contains(Int(info.rate)), WAVFormat.channelCounts.contains(Int(info.channels))
            else {
                _ = library.close(opened)
                throw AudioError.unreadNumbers(name, rate: "\(info.rate)", channels: Int(info.channels))
            }
            // The library reads no more than the length that an MP3 file says, or that it estimates.
            let frames = info.rest.0 & Self.formMask == Self.mp3 ? try? MP3Frames(bytes) : nil
            if let frames, Int64(frames.sampleCount) - Int64(info.rate) > info.frames {
                _ = library.close(opened)
                throw AudioError(
                    .unsupportedAudio,
                    "\(name) is longer than it says, or does not say how long it is, and cannot be read to its end here. "
                        + "Convert it, \(AudioError.conversion(of: name))")
            }
            file = opened
            sampleRate = Int(info.rate)
            channels = Int(info.channels)
            // A stream whose length is not known is given an enormous one, and one of MP3 an estimate by its beginning.
            let known = frames.map { $0.hasTable ? info.frames : Int64($0.sampleCount) } ?? info.frames
            sampleCount = (0..<Int64(1) << 40).contains(known) ? Int(known) : nil
        }

        deinit {
            _ = library.close(file)
        }

        package func read(atMost limit: Int) throws -> [Float] {
            let limit = SoundPiece.length(limit, channels: channels)
            var all = [Float](repeating: 0, count: limit * channels)
            let count = all.withUnsafeMutableBufferPointer { buffer in
                buffer.baseAddress.map { library.read(file, $0, Int64(limit)) } ?? 0
            }
            readCount += max(0, Int(count))
            // Where a file is damaged or cut off, the library says no more than that it has ended. Lengths of compressed
            // forms may be a little off.
            if count <= 0, let sampleCount, readCount + sampleRate < sampleCount {
                throw AudioError(
                    .unsupportedAudio,
                    "\(name) is damaged or cut off: only the first \(readCount / sampleRate) of its "
                        + "\(sampleCount / sampleRate) seconds can be read.")
            }
            return (0..<min(max(0, Int(count)), limit)).map { frame in
                (all[(frame * channels)..<((frame + 1) * channels)].reduce(0, +) / Float(channels)).asSample
            }
        }
    }
#endif
