// SPDX-License-Identifier: Apache-2.0

/// A typed view of a VFREEBUSY: the times at which somebody is busy or free.
public struct CalendarFreeBusy: Hashable, Sendable {
    /// A time that is busy or free.
    public struct Interval: Hashable, Sendable {
        /// The start and length of the time.
        public var period: CalendarPeriod
        /// The kind in capitals: `FREE`, `BUSY`, `BUSY-UNAVAILABLE` or `BUSY-TENTATIVE`.
        public var kind: String
    }

    /// The component with all of its properties.
    public var component: ContentComponent

    /// Creates a view of a VFREEBUSY.
    ///
    /// - Parameter component: A VFREEBUSY.
    public init(component: ContentComponent) { self.component = component }

    /// The intervals of all lines, in order.
    public var intervals: [Interval] {
        component.all("FREEBUSY").flatMap { line in
            let kind = line.parameter("FBTYPE")?.uppercased() ?? "BUSY"
            return line.value.split(separator: ",").compactMap { value in
                CalendarPeriod(value).map { Interval(period: $0, kind: kind) }
            }
        }
    }
}
