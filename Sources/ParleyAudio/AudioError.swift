// SPDX-License-Identifier: Apache-2.0

/// An error of a sound file or a microphone: what happened and how to remedy it.
///
/// The message may name files and devices; it never contains what was said.
public struct AudioError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is; more kinds may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The kind's name.
        public let description: String

        /// The sound is in a form that cannot be read here, or it is damaged.
        public static let unsupportedAudio = Code(description: "unsupportedAudio")
        /// The file cannot be opened or read.
        public static let unreadableFile = Code(description: "unreadableFile")
        /// The sound is longer than a limit.
        public static let tooLong = Code(description: "tooLong")
        /// There is no microphone, it is in use, or what drives it is not installed.
        public static let microphoneUnavailable = Code(description: "microphoneUnavailable")
        /// The user or the system does not allow the microphone to be used.
        public static let microphoneDenied = Code(description: "microphoneDenied")
    }

    /// What kind of failure it is.
    public var code: Code
    /// What happened and what to do.
    public var message: String
    /// The underlying error, if any.
    public var cause: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        (self.code, self.message, self.cause) = (code, message, cause)
    }

    /// The message.
    public var description: String { message }
}

extension AudioError {
    /// A file is in no form that is read here.
    static func unknownForm(_ name: String, cause: (any Error)? = nil) -> AudioError {
        AudioError(
            .unsupportedAudio, "\(name) is in no form that can be read here. Convert it, \(conversion(of: name))",
            cause: cause)
    }

    /// A file has numbers with which it is not read.
    static func unreadNumbers(_ name: String, rate: String, channels: Int) -> AudioError {
        AudioError(
            .unsupportedAudio, "\(name) has \(rate) samples a second and \(channels) channels, which is not read.")
    }

    /// How a file becomes one that Parley reads itself.
    static func conversion(of name: String) -> String { "for example with: ffmpeg -i \(name) -ar 16000 -ac 1 NEW.wav" }
}
