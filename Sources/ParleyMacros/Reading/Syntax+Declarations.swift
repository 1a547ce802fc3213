// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension AttributeListSyntax {
    /// The attributes of a name, whether written with their module or not.
    func attributes(named name: String) -> [AttributeSyntax] {
        compactMap { $0.as(AttributeSyntax.self) }.filter { $0.plainName == name }
    }
}

extension AttributeSyntax {
    /// The name without its module.
    var plainName: String {
        attributeName.as(MemberTypeSyntax.self)?.name.text ?? attributeName.trimmedDescription
    }
}

extension DeclGroupSyntax {
    var isGeneratable: Bool { !attributes.attributes(named: "Generatable").isEmpty }

    /// The cases of an enum of coding keys in the body; nil where there is none.
    func codingKeys(named name: String) -> Set<String>? {
        for member in memberBlock.members {
            guard let keys = member.decl.as(EnumDeclSyntax.self), keys.name.plainText == name else { continue }
            let cases = keys.memberBlock.members.compactMap { $0.decl.as(EnumCaseDeclSyntax.self) }
            return Set(cases.flatMap { $0.elements.map(\.name.plainText) })
        }
        return nil
    }
}

extension DeclModifierListSyntax {
    func has(_ keyword: Keyword) -> Bool { contains { $0.name.tokenKind == .keyword(keyword) && $0.detail == nil } }

    /// The access level of members generated for a declaration with these modifiers, with a space at the end.
    var access: String {
        if has(.public) { return "public " }
        if has(.package) { return "package " }
        if has(.private) || has(.fileprivate) { return "fileprivate " }
        return ""
    }
}

extension VariableDeclSyntax {
    /// Whether it is a stored instance property, as far as the syntax shows.
    var isPartOfValue: Bool {
        guard !modifiers.has(.static), !modifiers.has(.class) else { return false }
        return bindings.contains { !$0.isComputed }
    }
}

extension PatternBindingSyntax {
    /// Whether it has a getter; observers leave it stored.
    var isComputed: Bool {
        guard let accessors = accessorBlock?.accessors else { return false }
        guard case .accessors(let list) = accessors else { return true }
        return !list.allSatisfy {
            [.keyword(.willSet), .keyword(.didSet)].contains($0.accessorSpecifier.tokenKind)
        }
    }
}

extension TokenSyntax {
    /// The name without backticks.
    var plainText: String { identifier?.name ?? text }
}
