// SPDX-License-Identifier: Apache-2.0

/// A revision of the Model Context Protocol, named by its date.
public struct MCPRevision: Hashable, Sendable, CustomStringConvertible {
    /// The date, such as `2025-11-25`.
    public let description: String

    private init(_ date: String) { description = date }

    /// The first revision, with HTTP in another form, which is not supported.
    public static let november2024 = MCPRevision("2024-11-05")
    /// Streamable HTTP.
    public static let march2025 = MCPRevision("2025-03-26")
    /// Structured results, and the header that names the revision.
    public static let june2025 = MCPRevision("2025-06-18")
    /// The last revision that begins with a handshake.
    public static let november2025 = MCPRevision("2025-11-25")
    /// Without handshake and sessions: every request says what its client is and can do.
    public static let july2026 = MCPRevision("2026-07-28")

    /// All revisions that this client speaks, oldest first.
    public static let all = [november2024, march2025, june2025, november2025, july2026]

    /// The revision with a date; nil if this client does not speak it.
    init?(named date: String) {
        guard let known = Self.all.first(where: { $0.description == date }) else { return nil }
        self = known
    }

    /// Whether requests carry what a handshake would have agreed on.
    var isStateless: Bool { self == .july2026 }
}
