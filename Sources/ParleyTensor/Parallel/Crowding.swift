// SPDX-License-Identifier: Apache-2.0

/// Whether other programs take the cores of the lanes, judged by how long lanes wait for each other.
///
/// On a quiet machine lanes of equal shares hardly ever wait long. Beside busy programs a lane often waits for another
/// that has lost its core.
package struct Crowding {
    /// The lanes' time that is judged at once, in nanoseconds: many turns of the system's scheduler, as now and then
    /// something takes a core of a quiet machine too.
    private static let window = 200_000_000
    /// The machine is crowded if lanes wait for more than this part of their time.
    private static let share = 0.15
    /// How much time of steps a machine counts as crowded, in nanoseconds: judging it again costs a step that waits.
    private static let memory = 1_000_000_000

    private var worked = 0
    private var waited = 0
    private var remaining = 0

    package init() {}

    package var isCrowded: Bool { remaining > 0 }

    /// Records a step.
    ///
    /// - Parameters:
    ///   - duration: how long it took, in nanoseconds.
    ///   - lanes: how many ran it.
    ///   - waited: how long they waited for each other beyond what is expected, added up, in nanoseconds.
    package mutating func record(duration: Int, lanes: Int, waited: Int) {
        remaining = max(remaining - duration, 0)
        worked += duration * lanes
        self.waited += waited
        guard worked >= Self.window else { return }
        if Double(self.waited) > Self.share * Double(worked) { remaining = Self.memory }
        (worked, self.waited) = (0, 0)
    }
}
