// SPDX-License-Identifier: Apache-2.0

/// The configurations and frames of one step by their contents, for finding duplicates where there are many.
struct StepTables {
    /// The number of configurations or frames up to which each is compared, which is faster than a table.
    static let comparedCount = 32
    /// The steps of work that one more in a table counts as, for its memory and for reading it with the next byte. It
    /// limits a program to some ten thousand alternatives at a time.
    static let entryCost = 1_024

    var configurations: Set<Configuration> = []
    /// The index of each frame.
    var frames: [Frame: Int32] = [:]

    mutating func removeAll() {
        if !configurations.isEmpty { configurations = [] }
        if !frames.isEmpty { frames = [:] }
    }
}
