// SPDX-License-Identifier: Apache-2.0

/// Estimates whether other programs compete for the processor cores, from how long lanes wait for each other.
///
/// On an otherwise idle machine, lanes with equal shares of the work rarely wait long. When other programs are busy, a
/// lane often has to wait for another lane whose core was given to one of them.
package struct Crowding {
    /// How much time of all lanes is judged together, in nanoseconds. It spans many time slices of the scheduler,
    /// because even on an idle machine something else uses a core now and then.
    private static let window = 60_000_000
    /// The machine counts as crowded if lanes wait for more than this fraction of their time.
    private static let share = 0.15
    /// For how much time of steps a machine then counts as crowded, in nanoseconds. To find out that it is still
    /// crowded costs a step in which lanes wait.
    private static let memory = 1_000_000_000

    private var worked = 0
    private var waited = 0
    private var remaining = 0

    package init() {}

    package var isCrowded: Bool { remaining > 0 }

    /// Records a step.
    ///
    /// - Parameters:
    ///   - duration: how long the step took, in nanoseconds.
    ///   - lanes: how many lanes could take part in it.
    ///   - waited: the total time that lanes waited for each other beyond what is normal, in nanoseconds.
    package mutating func record(duration: Int, lanes: Int, waited: Int) {
        remaining = max(remaining - duration, 0)
        worked += duration * lanes
        self.waited += waited
        guard worked >= Self.window else { return }
        if Double(self.waited) > Self.share * Double(worked) { remaining = Self.memory }
        (worked, self.waited) = (0, 0)
    }
}
