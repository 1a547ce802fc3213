// SPDX-License-Identifier: Apache-2.0

import OrderedCollections

extension Filters {
    /// Python's `len`.
    static let length: Filter = { interpreter, value, arguments throws(TemplateError) in
        try arguments.expectNone(of: "length")
        switch value {
        case .undefined: return .integer(0, .template)
        case .string(let text): return .integer(text.count, text.origin)
        case .mapping(let mapping): return .integer(mapping.members.count, mapping.origin)
        case .sequence(let sequence) where sequence.kind != .generator:
            return .integer(sequence.items.count, sequence.origin)
        case .loop(let loop): return try interpreter.attribute("length", of: loop) ?? .none
        default: throw TemplateError(.wrongType, "object of type '\(value.typeName)' has no len()")
        }
    }

    /// Filters about what is in a sequence.
    static let sequences: [String: Filter] = [
        "length": length,
        "count": length,
        "first": { interpreter, value, arguments throws(TemplateError) in
            try arguments.expectNone(of: "first")
            let first: Value?
            if case .sequence(let sequence) = value {
                first = sequence.takeFirst()
            } else {
                first = try interpreter.elements(of: value).first
            }
            return first ?? .undefined(.because("No first item, sequence was empty."))
        },
        "last": { interpreter, value, arguments throws(TemplateError) in
            try arguments.expectNone(of: "last")
            if case .sequence(let sequence) = value, sequence.kind == .generator {
                throw TemplateError(.wrongType, "'generator' object is not reversible")
            }
            return try interpreter.elements(of: value).last
                ?? .undefined(.because("No last item, sequence was empty."))
        },
        "list": { interpreter, value, arguments throws(TemplateError) in
            try arguments.expectNone(of: "list")
            return try interpreter.list(try interpreter.elements(of: value), origin: value.origin)
        },
        "items": { interpreter, value, arguments throws(TemplateError) in
            try arguments.expectNone(of: "items")
            switch value {
            case .undefined: return .sequence(try interpreter.sequence(.generator, [], origin: .template))
            case .mapping(let mapping): return .sequence(try MappingMethods.pairs(.generator, mapping, interpreter))
            default: throw TemplateError(.wrongType, "Can only get item pairs from a mapping.")
            }
        },
        "batch": { interpreter, value, arguments throws(TemplateError) in
            let bound = try arguments.bound(to: ["linecount", "fill_with"], of: "batch", required: 1)
            let size = try bound.integer(0) ?? 0
            let items = try interpreter.elements(of: value)
            var batches: [Value] = []
            // A batch of no elements never fills; Python's loop then gives one more and more elements, beginning
            // with an empty batch.
            let stride = max(size, 1)
            if size == 0, !items.isEmpty { batches.append(try interpreter.list([])) }
            for start in Swift.stride(from: 0, to: items.count, by: size < 0 ? max(items.count, 1) : stride) {
                let end = size < 0 ? items.count : min(items.count - start, stride) + start
                var batch = Array(items[start..<end])
                if let fill = bound.present(1), batch.count < size {
                    try interpreter.charge(elements: size - batch.count)
                    batch += Array(repeating: fill, count: size - batch.count)
                }
                batches.append(try interpreter.list(batch, origin: value.origin))
            }
            return .sequence(try interpreter.sequence(.generator, batches, origin: value.origin))
        },
        "slice": { interpreter, value, arguments throws(TemplateError) in
            let bound = try arguments.bound(to: ["slices", "fill_with"], of: "slice", required: 1)
            let count = try bound.integer(0) ?? 0
            guard count != 0 else { throw TemplateError(.invalidValue, "integer modulo by zero") }
            let items = try interpreter.elements(of: value)
            try interpreter.charge(elements: max(count, 0))
            var slices: [Value] = []
            var start = 0
            for index in 0..<max(count, 0) {
                let hasExtra = index < items.count % count
                let end = start + items.count / count + (hasExtra ? 1 : 0)
                var slice = Array(items[start..<end])
                if let fill = bound.present(1), !hasExtra { slice.append(fill) }
                slices.append(try interpreter.list(slice, origin: value.origin))
                start = end
            }
            return .sequence(try interpreter.sequence(.generator, slices, origin: value.origin))
        },
    ]
}
