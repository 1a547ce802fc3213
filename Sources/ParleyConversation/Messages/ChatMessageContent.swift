// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A part of a message.
public enum ChatMessageContent: Hashable, Sendable {
    /// A text.
    case text(String)
    /// An image: the bytes of a JPEG or PNG file. Models that run in this process take at most 64 megapixels (2^26), as
    /// the file's header states them.
    case image(Data)
    /// A sound: the bytes of a WAV file.
    case audio(Data)
}
