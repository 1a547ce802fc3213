// SPDX-License-Identifier: Apache-2.0

/// Runs a program: a stack of configurations over frames that they share.
///
/// All data is in arrays that only grow, so that a walk over many continuations can go back by truncating them.
struct Machine {
    let program: ConstraintProgram
    var configurations: [Configuration] = []
    /// Whether the reply may end here.
    var hasEnded = false
    var frames: [Frame] = []
    var letters: [Letter] = []
    var names: [UsedName] = []
    /// The work of the current mask or token.
    var work = WorkMeter()
    /// The number of frames, letters and names from which on unused ones are removed.
    var forgetsBeyond = 512
    /// The index of the first configuration of this step.
    var firstOfStep = 0
    var firstFrameOfStep = 0
    private var tables = StepTables()

    init(_ program: ConstraintProgram) {
        self.program = program
        beginStep()
        enter(program.root, frame: -1)
    }

    /// The lengths of the arrays, for going back to them.
    struct Mark {
        var configurations: Int
        var frames: Int
        var letters: Int
        var names: Int
    }

    var mark: Mark {
        Mark(
            configurations: configurations.count, frames: frames.count, letters: letters.count, names: names.count)
    }

    mutating func goBack(to mark: Mark) {
        configurations.removeLast(configurations.count - mark.configurations)
        if frames.count > mark.frames { frames.removeLast(frames.count - mark.frames) }
        if letters.count > mark.letters { letters.removeLast(letters.count - mark.letters) }
        if names.count > mark.names { names.removeLast(names.count - mark.names) }
    }

    mutating func beginStep() {
        hasEnded = false
        firstOfStep = configurations.count
        firstFrameOfStep = frames.count
        tables.removeAll()
    }

    // MARK: Reading

    /// Reads one byte in each configuration of a range, and appends the configurations after it.
    ///
    /// - Returns: Whether the byte is allowed.
    mutating func step(_ range: Range<Int>, _ byte: UInt8) -> Bool {
        beginStep()
        for index in range { step(configurations[index], byte) }
        return !work.isSpent && (configurations.count > firstOfStep || hasEnded)
    }

    private mutating func step(_ old: Configuration, _ byte: UInt8) {
        work.spend(1)
        guard !work.isSpent else { return }
        let leaf = program.leaves[Int(old.leaf)]
        let state = leaf.automaton.next(old.state, byte)
        guard state >= 0 else { return }
        var next = old
        next.state = state
        switch leaf.kind {
        case .plain: break
        case .counted(let bounds):
            if leaf.automaton.isBoundary[Int(old.state)], byte != bounds.quote { next.low += 1 }
            guard bounds.isViable(state, count: next.low) else { return }
            if leaf.automaton.tags[Int(state)] >= 0, next.low < bounds.minimum { return }
        case .declaredName(let shape):
            work.spend(shape.reachable[Int(state)].count)
            guard offersName(shape, at: state, next) else { return }
        case .newName(let shape, let index):
            guard old.state != 0 else { break }
            if leaf.automaton.tags[Int(state)] >= 0 {
                work.spend(nameCount(frames[Int(old.frame)].names))
                guard isNewName(next.text, shape, frames[Int(old.frame)].names) else { return }
            } else {
                letters.append(Letter(byte: byte, previous: next.text))
                next.text = Int32(letters.count - 1)
                let used = frames[Int(old.frame)].names
                if !shape.others[index].completions.isEmpty { work.spend(16 * nameCount(used)) }
                guard offersName(shape.others[index], at: state, text: next.text, used: used) else { return }
            }
        }
        let tag = leaf.automaton.tags[Int(state)]
        if !leaf.automaton.isFinal[Int(state)] { append(next) }
        if tag >= 0 { resume(next.frame, tag: tag, text: next.text) }
    }

    private mutating func append(_ configuration: Configuration) {
        let count = configurations.count - firstOfStep
        work.spend(1 + min(count, StepTables.comparedCount))
        if count < StepTables.comparedCount {
            for index in firstOfStep..<configurations.count where configurations[index] == configuration { return }
        } else {
            if tables.configurations.isEmpty { tables.configurations = Set(configurations[firstOfStep...]) }
            guard tables.configurations.insert(configuration).inserted else { return }
            work.spend(StepTables.entryCost)
        }
        configurations.append(configuration)
    }

    mutating func push(_ frame: Frame) -> Int32 {
        let count = frames.count - firstFrameOfStep
        work.spend(1 + min(count, StepTables.comparedCount))
        if count < StepTables.comparedCount {
            for index in firstFrameOfStep..<frames.count where frames[index] == frame { return Int32(index) }
        } else {
            if tables.frames.isEmpty {
                for index in firstFrameOfStep..<frames.count { tables.frames[frames[index]] = Int32(index) }
            }
            if let known = tables.frames[frame] { return known }
            tables.frames[frame] = Int32(frames.count)
            work.spend(StepTables.entryCost)
        }
        frames.append(frame)
        return Int32(frames.count - 1)
    }

    func depth(of frame: Int32) -> Int32 { frame < 0 ? 0 : frames[Int(frame)].depth }

    /// Begins to read a leaf.
    mutating func start(_ leaf: LeafID, frame: Int32, low: Int32 = 0, high: Int32 = 0) {
        let automaton = program.leaves[Int(leaf)].automaton
        guard !automaton.isEmpty else { return }
        if !automaton.isFinal[0] { append(Configuration(leaf: leaf, low: low, high: high, frame: frame)) }
        if automaton.acceptsNothing { resume(frame) }
    }

    // MARK: Names

    mutating func use(_ text: Int32, after names: Int32) -> Int32 {
        self.names.append(UsedName(text: text, previous: names))
        return Int32(self.names.count - 1)
    }

    /// A name's bytes, without the quotes.
    func bytes(_ text: Int32) -> [UInt8] {
        var bytes: [UInt8] = []
        var index = text
        while index >= 0 {
            bytes.append(letters[Int(index)].byte)
            index = letters[Int(index)].previous
        }
        return bytes.reversed()
    }

    /// The names of a list of used ones.
    func bytes(ofNames last: Int32) -> [[UInt8]] {
        var result: [[UInt8]] = []
        var index = last
        while index >= 0 {
            result.append(bytes(names[Int(index)].text))
            index = names[Int(index)].previous
        }
        return result
    }

    private func isNewName(_ text: Int32, _ shape: ObjectShape, _ used: Int32) -> Bool {
        guard shape.indices[bytes(text)] == nil else { return false }
        var index = used
        while index >= 0 {
            if areSame(names[Int(index)].text, text) { return false }
            index = names[Int(index)].previous
        }
        return true
    }

    /// Whether two names have the same letters; compared from the last one, in which most names differ.
    private func areSame(_ left: Int32, _ right: Int32) -> Bool {
        var (left, right) = (left, right)
        while left != right {
            guard left >= 0, right >= 0, letters[Int(left)].byte == letters[Int(right)].byte else { return false }
            (left, right) = (letters[Int(left)].previous, letters[Int(right)].previous)
        }
        return true
    }

    /// How long a list of used names is.
    private func nameCount(_ last: Int32) -> Int {
        var count = 1
        var index = last
        while index >= 0 {
            count += 1
            index = names[Int(index)].previous
        }
        return count
    }

    /// Whether what has been read of a declared name may still become one that may come here.
    private func offersName(_ shape: ObjectShape, at state: Int32, _ configuration: Configuration) -> Bool {
        let depth = depth(of: configuration.frame)
        for tag in shape.reachable[Int(state)] where tag >= configuration.low && tag <= configuration.high {
            if fits(shape.properties[Int(tag)].value, depth: depth) { return true }
        }
        return false
    }

    /// Whether a node can be completed within the depth that is left.
    func fits(_ node: NodeID, depth: Int32) -> Bool {
        depth + program.heights[Int(node)] <= program.depthLimit
    }
}
