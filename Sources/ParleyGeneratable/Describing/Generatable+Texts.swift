// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ParleyConversation
import ParleyJSON

extension String: Generatable {
    /// Describes a string.
    public static func schema(in builder: inout SchemaBuilder) -> JSONSchema { .string() }
}

extension Date: Generatable {
    /// Describes a date and time in the form of RFC 3339, such as `2026-03-01T12:30:00Z`.
    public static func schema(in builder: inout SchemaBuilder) -> JSONSchema {
        JSONSchema(["type": "string", "format": "date-time"])
    }
}

extension URL: Generatable {
    /// Describes a URL with a scheme.
    public static func schema(in builder: inout SchemaBuilder) -> JSONSchema {
        // The format `uri` alone would allow ports that are not numbers, which Foundation rejects.
        JSONSchema([
            "type": "string", "format": "uri",
            "pattern": "^[^:]*:(?:[^/]|/[^/]|//[^:/?#]*(?::[0-9]{1,5})?(?:[/?#]|$))",
        ])
    }
}

extension UUID: Generatable {
    /// Describes a UUID in hexadecimal digits.
    public static func schema(in builder: inout SchemaBuilder) -> JSONSchema {
        JSONSchema(["type": "string", "format": "uuid"])
    }
}

extension Data: Generatable {
    /// Describes bytes in base64.
    public static func schema(in builder: inout SchemaBuilder) -> JSONSchema {
        JSONSchema([
            "type": "string", "contentEncoding": "base64",
            "pattern": "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$",
        ])
    }
}
