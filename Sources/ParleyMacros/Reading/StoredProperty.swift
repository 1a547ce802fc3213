// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// A stored property that is part of the generated value.
struct StoredProperty {
    /// As it is written in code, with backticks where it needs them.
    var name: String
    /// Without backticks.
    var plainName: String
    var shape: TypeShape
    var hasDefault: Bool
    /// `public `, `package `, `fileprivate ` or nothing.
    var access: String
    var guide: Guide

    /// Whether a value without it cannot be decoded.
    var isRequired: Bool { !shape.isOptional && !hasDefault }
}
