// SPDX-License-Identifier: Apache-2.0

#if LlamaCpp
    /// The place of a timeline: a sequence of one of llama.cpp's contexts.
    struct SequencePlace: Sendable, Hashable {
        /// The number of the context; the first is created when the model is loaded, others when they are needed.
        let context: Int
        /// The number of the sequence within the context.
        let sequence: Int
    }

    /// Records which sequences of which contexts are assigned.
    struct SequenceTable: Sendable {
        private let perContext: Int
        /// The assigned sequences, by the number of the context.
        private var taken: [Int: Set<Int>] = [:]

        init(perContext: Int) {
            self.perContext = perContext
        }

        /// The contexts in which timelines have places.
        var contextsInUse: Set<Int> { Set(taken.keys) }

        /// The next free place, in a context that is in use if one has room.
        var next: SequencePlace {
            let open = taken.filter { $0.value.count < perContext }.keys.min()
            let context = open ?? (0...taken.count).first { taken[$0] == nil } ?? taken.count
            let sequence = (0..<perContext).first { taken[context]?.contains($0) != true } ?? 0
            return SequencePlace(context: context, sequence: sequence)
        }

        /// Assigns a free place.
        mutating func take(_ place: SequencePlace) {
            taken[place.context, default: []].insert(place.sequence)
        }

        /// Releases a place.
        mutating func free(_ place: SequencePlace) {
            taken[place.context]?.remove(place.sequence)
            if taken[place.context]?.isEmpty == true { taken[place.context] = nil }
        }
    }
#endif
