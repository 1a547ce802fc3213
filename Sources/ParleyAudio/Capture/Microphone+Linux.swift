// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Dispatch
    import Glibc

    extension Microphone {
        static func capture(_ device: String?) -> AsyncThrowingStream<AudioSamples, any Error> {
            let capture = ALSACapture(device: device ?? "default")
            return AsyncThrowingStream { try await capture.next() }
        }
    }

    /// Reads a device with ALSA. What blocks runs on a queue of its own, which also owns the device.
    private final class ALSACapture: Sendable {
        private let device: ALSADevice
        private let queue = DispatchQueue(label: "parley.microphone", qos: .userInitiated)

        init(device: String) {
            self.device = ALSADevice(name: device)
        }

        func next() async throws -> AudioSamples? {
            if Task.isCancelled {
                await close()
                return nil
            }
            let result: Result<[Float], any Error> = await withCheckedContinuation { continuation in
                queue.async { [device] in continuation.resume(returning: Result { try device.read() }) }
            }
            if Task.isCancelled { await close() }
            return AudioSamples(samples: try result.get())
        }

        /// Returns when the device is closed: many can be opened by one reader at a time, and the next one may wait for it.
        private func close() async {
            await withCheckedContinuation { continuation in
                queue.async { [device] in
                    device.close()
                    continuation.resume()
                }
            }
        }
    }

    /// An open device. The queue of ``ALSACapture`` serialises all calls, so it may be passed there.
    private final class ALSADevice: @unchecked Sendable {
        private let name: String
        private var library: LibAsound?
        private var handle: OpaquePointer?

        /// Samples of a piece: 32 ms, for which voice activity has one probability, so that nothing waits for a longer one.
        private static let pieceLength = 512
        /// What the device keeps while nobody reads, in microseconds.
        private static let latency: UInt32 = 500_000

        init(name: String) {
            self.name = name
        }

        deinit { close() }

        /// The next piece; opens the device first.
        func read() throws -> [Float] {
            let library = try self.library ?? LibAsound.open()
            self.library = library
            let handle = try self.handle ?? open(library)
            self.handle = handle
            var piece = [Int16](repeating: 0, count: Self.pieceLength)
            var failures = 0
            while true {
                let count = piece.withUnsafeMutableBytes {
                    library.read(handle, $0.baseAddress, UInt(Self.pieceLength))
                }
                if count > 0 { return piece.prefix(count).map { Float(Int16(littleEndian: $0)) / 32_768 } }
                // What was lost because nobody read in time is lost; the device goes on.
                failures += 1
                guard failures < 10, library.recover(handle, Int32(clamping: count), 1) >= 0 else {
                    throw library.error(Int32(clamping: count), name)
                }
            }
        }

        func close() {
            if let handle, let library { _ = library.close(handle) }
            handle = nil
        }

        private func open(_ library: LibAsound) throws -> OpaquePointer {
            var handle: OpaquePointer?
            let capture: CInt = 1
            let opened = name.withCString { library.open(&handle, $0, capture, 0) }
            guard opened >= 0, let handle else { throw library.error(opened, name) }
            // 16-bit little-endian samples, interleaved, one channel; ALSA converts where the device has others.
            let (format, access): (CInt, CInt) = (2, 3)
            let rate = CUnsignedInt(AudioSamples.speechRate)
            let set = library.setParameters(handle, format, access, 1, rate, 1, Self.latency)
            guard set >= 0 else {
                _ = library.close(handle)
                throw library.error(set, name)
            }
            return handle
        }
    }

    /// The functions of libasound that are used, looked up at run time.
    private struct LibAsound {
        typealias Open = @convention(c) (UnsafeMutablePointer<OpaquePointer?>, UnsafePointer<CChar>, CInt, CInt) -> CInt
        typealias SetParameters =
            @convention(c) (OpaquePointer, CInt, CInt, CUnsignedInt, CUnsignedInt, CInt, CUnsignedInt) -> CInt
        typealias Read = @convention(c) (OpaquePointer, UnsafeMutableRawPointer?, UInt) -> Int
        typealias Recover = @convention(c) (OpaquePointer, CInt, CInt) -> CInt
        typealias Close = @convention(c) (OpaquePointer) -> CInt
        typealias Message = @convention(c) (CInt) -> UnsafePointer<CChar>?
        typealias SetHandler = @convention(c) (UnsafeMutableRawPointer?) -> CInt

        let open: Open
        let setParameters: SetParameters
        let read: Read
        let recover: Recover
        let close: Close
        let message: Message

        /// Opens the library.
        ///
        /// - Throws: `AudioError`, if it is not installed.
        static func open() throws -> LibAsound {
            guard let handle = dlopen("libasound.so.2", RTLD_NOW | RTLD_LOCAL), let library = LibAsound(handle) else {
                throw AudioError(
                    .microphoneUnavailable,
                    "The library of ALSA, which reads microphones, is not installed (on Debian: apt-get install "
                        + "libasound2t64, before Debian 13 libasound2).")
            }
            return library
        }

        private init?(_ handle: UnsafeMutableRawPointer) {
            guard let open = dlsym(handle, "snd_pcm_open"), let set = dlsym(handle, "snd_pcm_set_params"),
                let read = dlsym(handle, "snd_pcm_readi"), let recover = dlsym(handle, "snd_pcm_recover"),
                let close = dlsym(handle, "snd_pcm_close"), let message = dlsym(handle, "snd_strerror")
            else { return nil }
            self.open = unsafeBitCast(open, to: Open.self)
            setParameters = unsafeBitCast(set, to: SetParameters.self)
            self.read = unsafeBitCast(read, to: Read.self)
            self.recover = unsafeBitCast(recover, to: Recover.self)
            self.close = unsafeBitCast(close, to: Close.self)
            self.message = unsafeBitCast(message, to: Message.self)
            // ALSA writes to standard error by itself, unless it is given a function. This one takes none of its
            // arguments, which callers clear away on every architecture of Linux.
            if let setHandler = dlsym(handle, "snd_lib_error_set_handler") {
                let silence: @convention(c) () -> Void = {}
                _ = unsafeBitCast(setHandler, to: SetHandler.self)(
                    unsafeBitCast(silence, to: UnsafeMutableRawPointer.self))
            }
        }

        /// The error of a call.
        func error(_ number: CInt, _ device: String) -> AudioError {
            let reason = message(number).map { String(cString: $0) } ?? "error \(number)"
            switch -number {
            case EACCES, EPERM:
                return AudioError(
                    .microphoneDenied,
                    "The microphone \(device) may not be used: \(reason). Users of the group audio may.")
            case EBUSY:
                return AudioError(.microphoneUnavailable, "The microphone \(device) is in use by another program.")
            default:
                return AudioError(
                    .microphoneUnavailable,
                    "The microphone \(device) cannot be opened: \(reason). 'arecord -L' lists what there is.")
            }
        }
    }
#endif
