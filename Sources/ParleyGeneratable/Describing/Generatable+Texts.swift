// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ParleyConversation
import ParleyJSON

extension String: Generatable {
    /// A text.
    public static func schema(in builder: inout SchemaBuilder) -> JSONSchema { .string() }
}

extension Date: Generatable {
    /// A moment by RFC 3339, such as `2026-03-01T12:30:00Z`.
    public static func schema(in builder: inout SchemaBuilder) -> JSONSchema {
        JSONSchema(["type": "string", "format": "date-time"])
    }
}

extension URL: Generatable {
    /// An address with its scheme.
    public static func schema(in builder: inout SchemaBuilder) -> JSONSchema {
        // The format `uri` allows ports that are no numbers, which Foundation refuses.
        JSONSchema([
            "type": "string", "format": "uri",
            "pattern": "^[^:]*:(?:[^/]|/[^/]|//[^:/?#]*(?::[0-9]{1,5})?(?:[/?#]|$))",
        ])
    }
}

extension UUID: Generatable {
    /// A UUID in hexadecimal digits.
    public static func schema(in builder: inout SchemaBuilder) -> JSONSchema {
        JSONSchema(["type": "string", "format": "uuid"])
    }
}

extension Data: Generatable {
    /// Bytes in base64.
    public static func schema(in builder: inout SchemaBuilder) -> JSONSchema {
        JSONSchema([
            "type": "string", "contentEncoding": "base64",
            "pattern": "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$",
        ])
    }
}
