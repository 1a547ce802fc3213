// SPDX-License-Identifier: Apache-2.0

extension Machine {
    /// Removes all configurations before an index, and the frames, letters and names that only they refer to.
    mutating func forget(before first: Int) {
        configurations.removeFirst(first)
        firstOfStep = 0
        firstFrameOfStep = frames.count
        guard frames.count + letters.count + names.count > forgetsBeyond else { return }
        var kept = Machine(forgetting: self)
        var moved = Moved()
        for var configuration in configurations {
            configuration.frame = kept.keep(frame: configuration.frame, of: self, &moved)
            configuration.text = kept.keep(text: configuration.text, of: self, &moved)
            kept.configurations.append(configuration)
        }
        // The next pass happens when the arrays have doubled, so that its cost is amortised.
        kept.forgetsBeyond = max(512, 2 * (kept.frames.count + kept.letters.count + kept.names.count))
        self = kept
    }

    /// The new indices of what was kept.
    private struct Moved {
        var frames: [Int32: Int32] = [:]
        var texts: [Int32: Int32] = [:]
        var names: [Int32: Int32] = [:]
    }

    private init(forgetting other: Machine) {
        program = other.program
        hasEnded = other.hasEnded
        work = other.work
    }

    private mutating func keep(frame: Int32, of old: Machine, _ moved: inout Moved) -> Int32 {
        guard frame >= 0 else { return -1 }
        if let known = moved.frames[frame] { return known }
        var copy = old.frames[Int(frame)]
        copy.parent = keep(frame: copy.parent, of: old, &moved)
        copy.names = keep(names: copy.names, of: old, &moved)
        frames.append(copy)
        moved.frames[frame] = Int32(frames.count - 1)
        return Int32(frames.count - 1)
    }

    private mutating func keep(names last: Int32, of old: Machine, _ moved: inout Moved) -> Int32 {
        // Names are moved in order, because each refers to the one before it.
        var chain: [Int32] = []
        var index = last
        while index >= 0, moved.names[index] == nil {
            chain.append(index)
            index = old.names[Int(index)].previous
        }
        for index in chain.reversed() {
            let name = old.names[Int(index)]
            let text = keep(text: name.text, of: old, &moved)
            moved.names[index] = use(text, after: moved.names[name.previous] ?? -1)
        }
        return moved.names[last] ?? -1
    }

    private mutating func keep(text last: Int32, of old: Machine, _ moved: inout Moved) -> Int32 {
        var chain: [Int32] = []
        var index = last
        while index >= 0, moved.texts[index] == nil {
            chain.append(index)
            index = old.letters[Int(index)].previous
        }
        for index in chain.reversed() {
            let letter = old.letters[Int(index)]
            letters.append(Letter(byte: letter.byte, previous: moved.texts[letter.previous] ?? -1))
            moved.texts[index] = Int32(letters.count - 1)
        }
        return moved.texts[last] ?? -1
    }
}
