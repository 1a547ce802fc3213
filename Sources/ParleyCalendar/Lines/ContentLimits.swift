// SPDX-License-Identifier: Apache-2.0

/// The limits on a stream of content lines; a stream that exceeds them is refused before it takes memory.
public struct ContentLimits: Hashable, Sendable {
    /// The maximum length of the stream in bytes.
    public var bytes = 64 << 20
    /// The maximum number of lines after unfolding.
    public var lines = 1_000_000
    /// The maximum nesting depth of components; an alarm in an event in a calendar has depth three.
    public var depth = 16
    /// The maximum number of properties in one component.
    public var properties = 50_000

    /// Creates limits that suffice for calendars of many years.
    public init() {}
}
