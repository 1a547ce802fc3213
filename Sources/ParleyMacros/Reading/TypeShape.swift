// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// The JSON form of a type, as far as its name in the source shows.
indirect enum TypeShape {
    case text(String)
    case integer(String)
    case number(String)
    case boolean
    /// Any other name: a type that must conform to `Generatable`.
    case named(String)
    case array(TypeShape)
    case dictionary(TypeShape)
    case optional(TypeShape)

    private static let integers: Set<String> = [
        "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64",
    ]

    /// Reads a type inside `owner`, the name that `Self` stands for.
    init?(_ type: TypeSyntax, owner: String, _ diagnoser: inout Diagnoser) {
        if let optional = type.as(OptionalTypeSyntax.self) {
            self.init(optional: optional.wrappedType, owner: owner, &diagnoser)
        } else if let optional = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
            self.init(optional: optional.wrappedType, owner: owner, &diagnoser)
        } else if let array = type.as(ArrayTypeSyntax.self) {
            guard let element = TypeShape(array.element, owner: owner, &diagnoser) else { return nil }
            self = .array(element)
        } else if let dictionary = type.as(DictionaryTypeSyntax.self) {
            self.init(key: dictionary.key, value: dictionary.value, owner: owner, &diagnoser)
        } else if let name = type.as(IdentifierTypeSyntax.self) {
            self.init(name: name, owner: owner, &diagnoser)
        } else if let member = type.as(MemberTypeSyntax.self) {
            let text = member.trimmedDescription
            for module in ["Swift", "Foundation"] where member.baseType.trimmedDescription == module {
                self.init(
                    name: IdentifierTypeSyntax(name: member.name, genericArgumentClause: member.genericArgumentClause),
                    at: type, owner: owner, &diagnoser)
                return
            }
            self = .named(text)
        } else {
            diagnoser.report(.type(type.trimmedDescription, Self.remedy(for: type)), at: type)
            return nil
        }
    }

    private init?(optional wrapped: TypeSyntax, owner: String, _ diagnoser: inout Diagnoser) {
        guard let shape = TypeShape(wrapped, owner: owner, &diagnoser) else { return nil }
        if case .optional = shape {
            diagnoser.report(.type(wrapped.trimmedDescription + "?", "JSON has only one null"), at: wrapped)
            return nil
        }
        self = .optional(shape)
    }

    private init?(key: TypeSyntax, value: TypeSyntax, owner: String, _ diagnoser: inout Diagnoser) {
        let name = key.trimmedDescription
        guard name == "String" || name == "Swift.String" else {
            diagnoser.report(.dictionaryKey(name), at: key)
            return nil
        }
        guard let shape = TypeShape(value, owner: owner, &diagnoser) else { return nil }
        self = .dictionary(shape)
    }

    private init?(
        name: IdentifierTypeSyntax, at place: TypeSyntax? = nil, owner: String, _ diagnoser: inout Diagnoser
    ) {
        let arguments = name.genericArgumentClause?.arguments.compactMap { TypeSyntax($0.argument) } ?? []
        switch (name.name.text, arguments.count) {
        case ("String", 0): self = .text("String")
        case ("Bool", 0): self = .boolean
        case ("Double", 0), ("Float", 0): self = .number(name.name.text)
        case (let integer, 0) where Self.integers.contains(integer): self = .integer(integer)
        case ("Self", 0): self = .named(owner)
        case ("Optional", 1): self.init(optional: arguments[0], owner: owner, &diagnoser)
        case ("Array", 1):
            guard let element = TypeShape(arguments[0], owner: owner, &diagnoser) else { return nil }
            self = .array(element)
        case ("Dictionary", 2): self.init(key: arguments[0], value: arguments[1], owner: owner, &diagnoser)
        default:
            let text = name.trimmedDescription
            if let remedy = Self.remedies[name.name.text] {
                diagnoser.report(.type(text, remedy), at: place ?? TypeSyntax(name))
                return nil
            }
            self = .named(text)
        }
    }

    private static let remedies = [
        "Any": "name the type", "AnyObject": "use a struct", "Void": "remove the property",
        "Never": "remove the property",
        "Set": "use an array, because uniqueness cannot be enforced", "Character": "use String",
        "Substring": "use String",
        "Range": "use two numbers", "ClosedRange": "use two numbers", "CGFloat": "use Double",
        "Decimal": "use Double, or String with a pattern",
    ]

    private static func remedy(for type: TypeSyntax) -> String {
        switch type.kind {
        case .tupleType: "use a struct"
        case .functionType: "a function has no JSON value"
        case .someOrAnyType: "name the type, or use an enum of the possible ones"
        default: "use a struct, an enum, an array or a simple type"
        }
    }
}

extension TypeShape {
    /// The type in Swift.
    var text: String {
        switch self {
        case .text(let name), .integer(let name), .number(let name), .named(let name): name
        case .boolean: "Bool"
        case .array(let element): "[\(element.text)]"
        case .dictionary(let value): "[String: \(value.text)]"
        case .optional(let wrapped): "\(wrapped.text)?"
        }
    }

    /// The type of the partial value while it is being generated.
    var partialText: String {
        switch self {
        case .text, .integer, .number, .boolean: text
        case .named(let name): "\(name).Partial"
        case .array(let element): "[\(element.partialText)]"
        case .dictionary(let value): "[String: \(value.partialText)]"
        case .optional(let wrapped): "\(wrapped.partialText)?"
        }
    }

    /// The type without its outermost optional.
    var unwrapped: TypeShape { if case .optional(let wrapped) = self { wrapped } else { self } }

    var isOptional: Bool { if case .optional = self { true } else { false } }
}
