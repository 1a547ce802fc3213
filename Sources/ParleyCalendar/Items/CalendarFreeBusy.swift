// SPDX-License-Identifier: Apache-2.0

/// A typed view of a VFREEBUSY: when somebody has no time.
public struct CalendarFreeBusy: Hashable, Sendable {
    /// A time that is taken, or free.
    public struct Interval: Hashable, Sendable {
        /// When.
        public var period: CalendarPeriod
        /// In capitals: `FREE`, `BUSY`, `BUSY-UNAVAILABLE` or `BUSY-TENTATIVE`.
        public var kind: String
    }

    /// The component with everything that is in it.
    public var component: ContentComponent

    /// Views a VFREEBUSY.
    ///
    /// - Parameter component: A VFREEBUSY.
    public init(component: ContentComponent) { self.component = component }

    /// The intervals of all lines in their order.
    public var intervals: [Interval] {
        component.all("FREEBUSY").flatMap { line in
            let kind = line.parameter("FBTYPE")?.uppercased() ?? "BUSY"
            return line.value.split(separator: ",").compactMap { value in
                CalendarPeriod(value).map { Interval(period: $0, kind: kind) }
            }
        }
    }
}
