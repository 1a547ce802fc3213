// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// A stored property that is part of the generated value.
struct StoredProperty {
    /// The name as written in code, with backticks where needed.
    var name: String
    /// The name without backticks.
    var plainName: String
    var shape: TypeShape
    var hasDefault: Bool
    /// The access modifier with a space at the end (`public `, `package `, `fileprivate `), or an empty string.
    var access: String
    var guide: Guide

    /// Whether decoding fails without this property.
    var isRequired: Bool { !shape.isOptional && !hasDefault }
}
