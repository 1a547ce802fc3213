# SPDX-License-Identifier: Apache-2.0
"""Small schemas, one for each use of a keyword, and instances for all of them."""

POOL = [
    None, True, False, 0, 1, -1, 2, 3, 5, 7, 10, 11, 12, 15, 99, 100, 101, 255, 256, -5, -10, -11, -99, 1000, 123456,
    0.5, -0.5, 1.5, 2.5, 9.99, 10.01, 0.1, 0.05, -9.75, 99.5, 1.0, 10.0, 3.14159, 1e-07, 1e20, -1e15, 1e21,
    "", "a", "b", "ab", "abc", "aa", "aaa", "aaaa", "aaaaa", "abab", "foo", "foobar", "barfoo", "A", "Z9", "0", "12", "007",
    "1.5", "a b", " a", "a\nb", "\t", "é", "éé", "日本語", "\U0001f600", "\U0001f600\U0001f600", "a\"b", "a\\b", "/", "-", "_x", "x-y",
    "red", "green", "reddish", "null", "true", "\u0000", "\u007f", "\u2028", "end$", "a.b", "a/b", "2024-02-29", "x" * 20,
    [], [1], [1, 2], [1, 2, 3], [1, 2, 3, 4], ["a"], ["a", 1], [1, "a"], ["a", "b"], [[]], [[1], [2]], [None], [True, 1],
    [{}], [{"a": 1}], [1, [2, [3]]],
    {}, {"a": 1}, {"a": "x"}, {"b": 1}, {"a": 1, "b": 2}, {"a": 1, "b": "y"}, {"a": 1, "c": 3}, {"c": 3}, {"a": 1, "b": 2, "c": 3},
    {"a": {}}, {"a": {"a": 1}}, {"a": {"a": {"a": 1}}}, {"a": None}, {"a": []}, {"a": [1]}, {"ab": 1}, {"": 1}, {"a": 1, "ab": 2},
    {"kind": "x"}, {"kind": "y"}, {"kind": "x", "n": 1}, {"kind": "y", "n": 1}, {"kind": "y", "n": "s"}, {"é": 1}, {"a\"": 1},
    {"a": 1, "b": 2, "c": 3, "d": 4}, {"d": 4, "a": 1},
]

_types = ["null", "boolean", "integer", "number", "string", "array", "object"]
_patterns = [
    "a", "^a", "a$", "^a$", "^a*$", "^a+$", "^(ab)*$", "^a{2,3}$", "^a{3,}$", "^a{2}$", "^.$", "^..$", "^.*$", ".", "^$", "^a|b$", "^(a|b)$", "^(?:foo|bar)",
    "foo", "o+b", "^[a-c]+$", "^[^a-c]+$", "^[^a]*$", "\\d", "^\\d+$", "^\\D+$", "^\\w+$", "^\\W+$", "^\\s*$", "\\s", "^\\S+$", "^[\\w-]+$", "^[\\d.]+$",
    "^\\u00e9+$", "^[\\u3040-\\u30ff\\u4e00-\\u9fff]+$", "^[\U0001f600-\U0001f64f]+$", "\\n", "\\t", "^a\\.b$", "^a/b$", "^a\\/b$", "\\$", "\"", "\\\\", "^\\x61$",
    "^(a(b(c)?)?)?$", "^(?:[0-9]{4})-[0-9]{2}-[0-9]{2}$", "^a??b*?$", "(^a$)|(^b$)", "^(^a$|^0$)$", "x{20}", "^x{19,21}$", "^(x{4}){5}$", "", "()", "(?:)", "^(a|)$",
    "^[-_]", "^[a\\-z]$", "^[A-Z][0-9]$", "a{1}b{1}",
]

SCHEMAS = (
    [{}, True, False]
    + [{"type": name} for name in _types]
    + [{"type": ["string", "null"]}, {"type": ["integer", "string"]}, {"type": ["number", "boolean", "array"]}, {"type": ["object", "array"]}]
    + [{"enum": values} for values in [[1], [1, "a", None], ["red", "green", "blue"], [[1, 2], {"a": 1}], [True, False], [1.5, -0.5, 10.0], [{}], [[]], [{"b": 2, "a": 1}], ["", "a", "aa"], ["a\"b", "\t", "\U0001f600"]]]
    + [{"const": value} for value in [0, 1, "abc", None, True, [1, 2], {"a": 1, "b": 2}, {"a": {"a": 1}}, 1.0, 2.5, "a\nb"]]
    + [{"type": "string", "enum": ["a", 1, None]}, {"enum": ["a", "abc", "éé", 3], "minLength": 2}, {"enum": [1, 5, 10, "x"], "minimum": 3}, {"enum": [1, 2, 3], "const": 2},
       {"enum": [{"a": 1}, {"a": "x"}], "properties": {"a": {"type": "string"}}}, {"enum": ["abc", "foo", 1], "pattern": "^a"}, {"enum": [[1], [1, 2]], "minItems": 2}]
    + [{"type": kind, "minimum": low, "maximum": high} for kind in ["integer", "number"] for low, high in [(0, 10), (1, 100), (-10, 10), (-99, -5), (5, 5), (0.5, 9.99), (-9.75, 0.1), (10, 255), (0, 0), (3, 1000000)]]
    + [{"type": kind, key: bound} for kind in ["integer", "number"] for key in ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"] for bound in [0, 10, -5, 0.5, 1.5, 100, 1e-07, 1e20]]
    + [{"minimum": 5}, {"exclusiveMinimum": 0, "exclusiveMaximum": 1, "type": "number"}, {"minimum": 1, "exclusiveMinimum": 1, "type": "integer"}, {"minimum": 10, "maximum": 5}]
    + [{"type": "integer", "multipleOf": 5}, {"type": "integer", "multipleOf": 1}, {"multipleOf": 2}, {"type": "integer", "multipleOf": 7, "minimum": 1, "maximum": 100}, {"type": "integer", "allOf": [{"multipleOf": 2}, {"multipleOf": 5}]}]
    + [{"type": "string", "minLength": low, "maxLength": high} for low, high in [(0, 0), (1, 1), (2, 3), (0, 2), (3, 1000000000), (20, 20), (2, 1)]]
    + [{"minLength": 2}, {"maxLength": 1}, {"minLength": 1, "maxLength": 3}, {"type": "string", "minLength": 2}]
    + [{"type": "string", "pattern": pattern} for pattern in _patterns]
    + [{"pattern": "^a"}, {"pattern": "a", "maxLength": 2}, {"pattern": "^(ab)+$", "minLength": 3}, {"pattern": "^(ab)*$", "minLength": 1, "maxLength": 3, "type": "string"}, {"pattern": "^[a-z]{1,5}$", "minLength": 3},
       {"pattern": "o", "allOf": [{"pattern": "^f"}, {"pattern": "r$"}], "type": "string"}, {"pattern": "^x{1,1000}$", "maxLength": 20}, {"pattern": "\\d", "minLength": 2, "maxLength": 3, "type": "string"}]
    + [{"type": "string", "format": "date"}, {"format": "ipv4"}]
    + [{"items": {"type": "integer"}}, {"type": "array", "items": {"type": "string"}}, {"type": "array", "items": False}, {"type": "array", "items": True}, {"type": "array", "minItems": 2}, {"type": "array", "maxItems": 2},
       {"type": "array", "minItems": 2, "maxItems": 3, "items": {"type": "integer"}}, {"minItems": 1}, {"maxItems": 0}, {"type": "array", "minItems": 3, "maxItems": 1000000000},
       {"type": "array", "prefixItems": [{"type": "integer"}]}, {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": False}, {"type": "array", "prefixItems": [{"type": "integer"}], "items": {"type": "string"}},
       {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "integer"}], "minItems": 2, "items": {"type": "integer"}}, {"prefixItems": [True, False]}, {"type": "array", "prefixItems": [{"type": "integer"}, False], "minItems": 1},
       {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "integer"}, {"type": "integer"}], "maxItems": 2}, {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}, {"type": "array", "uniqueItems": False},
       {"type": "array", "items": {"type": "integer"}, "allOf": [{"items": {"minimum": 2}}, {"prefixItems": [{"maximum": 2}]}]}]
    + [{"type": "object"}, {"properties": {"a": {"type": "integer"}}}, {"type": "object", "properties": {"a": {"type": "integer"}}}, {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
       {"type": "object", "properties": {"a": {"type": "integer"}}, "additionalProperties": False}, {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}, "required": ["b"], "additionalProperties": False},
       {"type": "object", "required": ["c"]}, {"required": ["a", "b"]}, {"type": "object", "required": ["c"], "additionalProperties": {"type": "integer"}}, {"type": "object", "additionalProperties": {"type": "integer"}},
       {"type": "object", "additionalProperties": False}, {"type": "object", "properties": {"a": False}}, {"type": "object", "properties": {"a": False}, "required": ["a"]}, {"type": "object", "properties": {"a": True}, "additionalProperties": {"type": "string"}},
       {"type": "object", "minProperties": 2}, {"type": "object", "maxProperties": 1}, {"type": "object", "minProperties": 1, "maxProperties": 2, "additionalProperties": {"type": "integer"}},
       {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}, "c": {"type": "integer"}}, "minProperties": 2, "additionalProperties": False},
       {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}, "c": {"type": "integer"}}, "maxProperties": 2, "required": ["c"], "additionalProperties": False}, {"minProperties": 1}, {"maxProperties": 0},
       {"type": "object", "properties": {"a": {"type": "integer"}, "ab": {"type": "integer"}, "": {"type": "integer"}}, "additionalProperties": False}, {"type": "object", "properties": {"é": True, "a\"": True}, "additionalProperties": False},
       {"type": "object", "properties": {"a": {"properties": {"a": {"type": "integer"}}, "type": "object", "additionalProperties": False}}, "required": ["a"]}]
    + [{"anyOf": [{"type": "integer"}, {"type": "string", "maxLength": 2}]}, {"anyOf": [{"minimum": 10}, {"maximum": 0}], "type": "integer"}, {"anyOf": [{"type": "object", "required": ["a"]}, {"type": "object", "required": ["b"]}]},
       {"anyOf": [False, {"type": "null"}]}, {"anyOf": [{"const": 1}, {"enum": ["a", "ab"]}]}, {"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "array", "items": {"type": "string"}}]},
       {"type": "object", "properties": {"a": {"type": "integer"}}, "anyOf": [{"required": ["a"]}, {"properties": {"c": {"const": 3}}, "required": ["c"]}]}, {"anyOf": [{"pattern": "^a"}, {"pattern": "b$"}], "type": "string"},
       {"anyOf": [{"anyOf": [{"type": "null"}, {"type": "boolean"}]}, {"const": 5}]}]
    + [{"oneOf": [{"type": "integer"}, {"type": "string"}]}, {"oneOf": [{"type": "integer", "maximum": 5}, {"type": "integer", "minimum": 6}]}, {"oneOf": [{"const": "a"}, {"const": "b"}, {"const": 1}]}, {"oneOf": [{"type": "string", "pattern": "^a"}, {"type": "string", "pattern": "^b"}]},
       {"oneOf": [{"type": "object", "properties": {"kind": {"const": "x"}}, "required": ["kind"]}, {"type": "object", "properties": {"kind": {"const": "y"}, "n": {"type": "integer"}}, "required": ["kind"]}]},
       {"oneOf": [{"type": "object", "required": ["a"], "properties": {"a": True}, "additionalProperties": False}, {"type": "object", "required": ["b"], "properties": {"b": True}, "additionalProperties": False}]}, {"oneOf": [{"type": "string", "maxLength": 1}, {"type": "string", "minLength": 2}, {"type": "null"}]},
       {"oneOf": [{"type": "number"}, False]}]
    + [{"allOf": [{"type": "integer"}, {"minimum": 3}]}, {"allOf": [{"type": ["integer", "string"]}, {"type": ["string", "null"]}]}, {"allOf": [{"properties": {"a": {"type": "integer"}}}, {"properties": {"a": {"minimum": 1}, "b": {"type": "integer"}}}], "type": "object"},
       {"allOf": [{"required": ["a"]}, {"required": ["b"]}], "type": "object"}, {"allOf": [{"type": "object", "properties": {"a": True}, "additionalProperties": False}, {"type": "object", "properties": {"a": {"type": "integer"}, "b": True}}]}, {"allOf": [{"enum": [1, 2, 3]}, {"enum": [2, 3, 4]}]},
       {"allOf": [{"anyOf": [{"type": "integer"}, {"type": "string"}]}, {"anyOf": [{"type": "string"}, {"type": "null"}]}]}, {"allOf": [{"maxLength": 3}, {"minLength": 2}], "type": "string"}]
    + [{"$ref": "#/$defs/a", "$defs": {"a": {"type": "integer"}}}, {"$ref": "#/$defs/a", "minimum": 3, "$defs": {"a": {"type": "integer"}}}, {"type": "object", "properties": {"a": {"$ref": "#"}}, "additionalProperties": False}, {"type": "array", "items": {"$ref": "#"}},
       {"anyOf": [{"type": "integer"}, {"type": "array", "items": {"$ref": "#"}}]}, {"$ref": "#here", "$defs": {"x": {"$anchor": "here", "type": "string"}}}, {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/c"}, "c": {"type": "null"}}, "$ref": "#/$defs/a"},
       {"type": "object", "properties": {"a": {"$ref": "#/properties/b"}, "b": {"type": "integer"}}, "additionalProperties": False}, {"$defs": {"a b": {"type": "boolean"}}, "$ref": "#/$defs/a%20b"}]
    + [{"title": "t", "description": "d", "default": 1, "examples": [1], "deprecated": True, "readOnly": True, "writeOnly": False, "$comment": "c", "type": "integer"}, {"x-order": 3, "type": "null"}]
)
