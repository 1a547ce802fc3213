// SPDX-License-Identifier: Apache-2.0

/// How much a stream of content lines may hold; more is refused before it takes memory.
public struct ContentLimits: Hashable, Sendable {
    /// The length of the stream in bytes.
    public var bytes = 64 << 20
    /// The number of lines after unfolding.
    public var lines = 1_000_000
    /// How deep components are nested; an alarm in an event in a calendar is three.
    public var depth = 16
    /// The number of properties of one component.
    public var properties = 50_000

    /// Makes limits that are wide enough for calendars of many years.
    public init() {}
}
