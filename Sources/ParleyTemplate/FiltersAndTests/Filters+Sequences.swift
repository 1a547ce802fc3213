// SPDX-License-Identifier: Apache-2.0

import OrderedCollections

extension Filters {
    /// Python's `len`.
    static let length: Filter = { interpreter, value, arguments throws(TemplateError) in
        try arguments.expectNone(of: "length")
        switch value {
        case .undefined: return .integer(0, .template)
        case .string(let text): return .integer(try text.count(interpreter.meter), text.origin)
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
                first = try interpreter.elements(of: value).items.first
            }
            return first ?? .undefined(.because("No first item, sequence was empty."))
        },
        "last": { interpreter, value, arguments throws(TemplateError) in
            try arguments.expectNone(of: "last")
            if case .sequence(let sequence) = value, sequence.kind == .generator {
                throw TemplateError(.wrongType, "'generator' object is not reversible")
            }
            return try interpreter.elements(of: value).items.last
                ?? .undefined(.because("No last item, sequence was empty."))
        },
        "list": { interpreter, value, arguments throws(TemplateError) in
            try arguments.expectNone(of: "list")
            let items = try interpreter.elements(of: value)
            let row = try interpreter.row(room: items.count)
            try row.append(contentsOf: items.items)
            return try interpreter.sequence(.list, row, origin: value.origin)
        },
        "items": { interpreter, value, arguments throws(TemplateError) in
            try arguments.expectNone(of: "items")
            switch value {
            case .undefined: return try interpreter.sequence(.generator, of: [])
            case .mapping(let mapping): return .sequence(try MappingMethods.pairs(.generator, mapping, interpreter))
            default: throw TemplateError(.wrongType, "Can only get item pairs from a mapping.")
            }
        },
        "batch": { interpreter, value, arguments throws(TemplateError) in
            let bound = try arguments.bound(to: ["linecount", "fill_with"], of: "batch", required: 1)
            let size = try bound.integer(0) ?? 0
            let items = try interpreter.elements(of: value)
            let batches = try interpreter.row()
            // As in Jinja, a batch of size 0 is full immediately, and the next batch, which is compared with a size
            // below 0, never.
            if size == 0, items.count > 0 { try batches.append(try interpreter.sequence(.list, of: [])) }
            let stride = size > 0 ? size : max(items.count, 1)
            for start in Swift.stride(from: 0, to: items.count, by: stride) {
                let end = min(items.count - start, stride) + start
                let batch = try interpreter.row(room: end - start)
                for index in start..<end { try batch.append(items[index]) }
                if let fill = bound.present(1), batch.count < size {
                    try batch.append(fill, times: size - batch.count)
                }
                try batches.append(try interpreter.sequence(.list, batch, origin: value.origin))
            }
            return try interpreter.sequence(.generator, batches, origin: value.origin)
        },
        "slice": { interpreter, value, arguments throws(TemplateError) in
            let bound = try arguments.bound(to: ["slices", "fill_with"], of: "slice", required: 1)
            let count = try bound.integer(0) ?? 0
            guard count != 0 else { throw TemplateError(.invalidValue, "integer modulo by zero") }
            let items = try interpreter.elements(of: value)
            let slices = try interpreter.row(room: max(count, 0))
            var start = 0
            for index in 0..<max(count, 0) {
                let hasExtra = index < items.count % count
                let end = start + items.count / count + (hasExtra ? 1 : 0)
                let slice = try interpreter.row()
                for index in start..<end { try slice.append(items[index]) }
                if let fill = bound.present(1), !hasExtra { try slice.append(fill) }
                try slices.append(try interpreter.sequence(.list, slice, origin: value.origin))
                start = end
            }
            return try interpreter.sequence(.generator, slices, origin: value.origin)
        },
    ]
}
