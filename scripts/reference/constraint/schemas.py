# SPDX-License-Identifier: Apache-2.0
"""Realistic schemas, each with instances; which instances are valid is recorded by a validator."""


def obj(properties: dict, required: list | None = None, closed: bool = True, **more) -> dict:
    """An object of declared properties; those whose name ends in ? are optional."""
    names = {name.rstrip("?"): value for name, value in properties.items()}
    needed = [name for name in properties if not name.endswith("?")] if required is None else required
    schema = {"type": "object", "properties": names, "required": needed}
    if closed:
        schema["additionalProperties"] = False
    return schema | more


def array(items: dict, **more) -> dict:
    return {"type": "array", "items": items} | more


def enum(*values) -> dict:
    return {"enum": list(values)}


TEXT = {"type": "string"}
NAME = {"type": "string", "minLength": 1, "maxLength": 80}
INT = {"type": "integer"}
COUNT = {"type": "integer", "minimum": 0}
NUMBER = {"type": "number"}
BOOL = {"type": "boolean"}
DATE = {"type": "string", "format": "date"}
TIME = {"type": "string", "format": "date-time"}
UUID = {"type": "string", "format": "uuid"}
EMAIL = {"type": "string", "format": "email"}
URL = {"type": "string", "format": "uri"}
MAYBE_TEXT = {"type": ["string", "null"]}
LATITUDE = {"type": "number", "minimum": -90, "maximum": 90}
LONGITUDE = {"type": "number", "minimum": -180, "maximum": 180}
CURRENCY = {"type": "string", "pattern": "^[A-Z]{3}$"}
POSITION = {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 3}
ID = "3fa85f64-5717-4562-b3fc-2c963f66afa6"
NOW = "2024-02-29T12:30:00Z"

ADDRESS = obj({"street": NAME, "city": NAME, "postcode": {"type": "string", "pattern": "^[0-9A-Z -]{3,10}$"},
               "country": {"type": "string", "pattern": "^[A-Z]{2}$"}})
PERSON = obj({"name": NAME, "email?": EMAIL, "age?": {"type": "integer", "minimum": 0, "maximum": 150}})

# name -> (schema, instances)
SCHEMAS: dict[str, tuple[dict, list]] = {
    "weather-tool": (
        obj({"city": NAME, "unit?": enum("celsius", "fahrenheit"), "days?": {"type": "integer", "minimum": 1, "maximum": 14}}),
        [{"city": "Paris"}, {"city": "São Paulo", "unit": "celsius", "days": 14}, {"city": ""}, {"city": "Rome", "days": 15},
         {"unit": "celsius"}, {"city": "Rome", "unit": "kelvin"}, {"city": "Rome", "country": "IT"}]),
    "weather-report": (
        obj({"location": obj({"lat": LATITUDE, "lon": LONGITUDE}), "observed": TIME, "temperature": NUMBER,
             "humidity?": {"type": "number", "minimum": 0, "maximum": 100},
             "conditions": array(enum("clear", "cloudy", "rain", "snow", "fog"), minItems=1, maxItems=3)}),
        [{"location": {"lat": 48.85, "lon": 2.35}, "observed": NOW, "temperature": -3.5, "conditions": ["snow"]},
         {"location": {"lat": 91, "lon": 2.35}, "observed": NOW, "temperature": 3, "conditions": ["rain"]},
         {"location": {"lat": 0, "lon": 0}, "observed": NOW, "temperature": 3, "conditions": []},
         {"location": {"lat": 0, "lon": 0}, "observed": "yesterday", "temperature": 3, "conditions": ["fog"]},
         {"location": {"lat": -90, "lon": 180}, "observed": NOW, "temperature": 3e1, "humidity": 100, "conditions": ["fog", "rain"]}]),
    "invoice": (
        obj({"number": {"type": "string", "pattern": "^INV-[0-9]{4,8}$"}, "issued": DATE, "due?": DATE, "currency": CURRENCY,
             "customer": obj({"name": NAME, "address": {"$ref": "#/$defs/address"}, "vat?": MAYBE_TEXT}),
             "lines": array(obj({"description": NAME, "quantity": {"type": "number", "exclusiveMinimum": 0},
                                 "unitPrice": NUMBER, "taxRate?": {"type": "number", "minimum": 0, "maximum": 1}}), minItems=1),
             "total": NUMBER}, **{"$defs": {"address": ADDRESS}}),
        [{"number": "INV-2024001", "issued": "2024-02-29", "currency": "EUR",
          "customer": {"name": "Ada", "address": {"street": "1 Rue", "city": "Lyon", "postcode": "69001", "country": "FR"}, "vat": None},
          "lines": [{"description": "Work", "quantity": 2.5, "unitPrice": 80, "taxRate": 0.2}], "total": 240.0},
         {"number": "INV-1", "issued": "2024-02-29", "currency": "EUR",
          "customer": {"name": "Ada", "address": {"street": "1 Rue", "city": "Lyon", "postcode": "69001", "country": "FR"}},
          "lines": [{"description": "Work", "quantity": 1, "unitPrice": 80}], "total": 80},
         {"number": "INV-20240", "issued": "2023-02-29", "currency": "EUR",
          "customer": {"name": "Ada", "address": {"street": "1 Rue", "city": "Lyon", "postcode": "69001", "country": "FR"}},
          "lines": [{"description": "Work", "quantity": 0, "unitPrice": 80}], "total": 80}]),
    "github-issue": (
        obj({"title": {"type": "string", "minLength": 1, "maxLength": 256}, "body?": MAYBE_TEXT, "labels?": array(NAME, maxItems=10),
             "assignees?": array({"type": "string", "pattern": "^[A-Za-z0-9](?:[A-Za-z0-9-]{0,37}[A-Za-z0-9])?$"}, maxItems=10),
             "milestone?": {"type": ["integer", "null"], "minimum": 1}, "state?": enum("open", "closed"), "locked?": BOOL}),
        [{"title": "Crash on start"}, {"title": "x", "body": "a\nb\t\"c\" \\ /", "labels": ["bug"], "assignees": ["octo-cat"], "milestone": None},
         {"title": "x", "milestone": 0}, {"title": "x", "assignees": ["-bad"]}, {"body": "x"}, {"title": "x", "state": "merged"},
         {"title": "x", "state": "open", "locked": True, "milestone": 12}]),
    "recipe": (
        obj({"name": NAME, "servings": {"type": "integer", "minimum": 1, "maximum": 100}, "minutes?": COUNT,
             "ingredients": array(obj({"item": NAME, "amount": {"anyOf": [NUMBER, enum("to taste")]}, "unit?": TEXT}), minItems=1),
             "steps": array({"type": "string", "minLength": 1, "maxLength": 400}, minItems=1, maxItems=30), "vegan?": BOOL}),
        [{"name": "Soup", "servings": 4, "ingredients": [{"item": "leek", "amount": 3}, {"item": "salt", "amount": "to taste"}], "steps": ["Cut.", "Boil."]},
         {"name": "Soup", "servings": 0, "ingredients": [{"item": "leek", "amount": 3}], "steps": ["Cut."]},
         {"name": "Soup", "servings": 4, "ingredients": [{"item": "leek", "amount": "some"}], "steps": ["Cut."]},
         {"name": "Soup", "servings": 4, "ingredients": [], "steps": ["Cut."]}]),
    "openapi-operation": (
        obj({"operationId": {"type": "string", "pattern": "^[a-z][A-Za-z0-9]*$"}, "method": enum("get", "put", "post", "delete", "patch"),
             "path": {"type": "string", "pattern": "^/"}, "parameters?": array(obj({"name": NAME, "in": enum("query", "path", "header", "cookie"),
             "required?": BOOL, "schema?": {"$ref": "#/$defs/schema"}})), "responses": {"type": "object", "additionalProperties": obj({"description": TEXT})}},
            **{"$defs": {"schema": obj({"type": enum("string", "integer", "array", "object"), "items?": {"$ref": "#/$defs/schema"},
                                        "properties?": {"type": "object", "additionalProperties": {"$ref": "#/$defs/schema"}}})}}),
        [{"operationId": "listPets", "method": "get", "path": "/pets", "responses": {"200": {"description": "ok"}}},
         {"operationId": "listPets", "method": "get", "path": "/pets", "parameters": [{"name": "ids", "in": "query", "schema": {"type": "array", "items": {"type": "integer"}}}],
          "responses": {"200": {"description": "ok"}, "default": {"description": "error"}}},
         {"operationId": "listPets", "method": "get", "path": "pets", "responses": {}},
         {"operationId": "ListPets", "method": "get", "path": "/", "responses": {}},
         {"operationId": "a", "method": "get", "path": "/", "parameters": [{"name": "x", "in": "query", "schema": {"type": "array", "items": {"type": "real"}}}], "responses": {}},
         {"operationId": "a", "method": "post", "path": "/", "responses": {"200": "ok"}}]),
    "calendar-event": (
        obj({"summary": NAME, "start": TIME, "end?": TIME, "allDay?": BOOL, "location?": MAYBE_TEXT,
             "attendees?": array(obj({"email": EMAIL, "status?": enum("accepted", "declined", "tentative")})),
             "recurrence?": obj({"freq": enum("DAILY", "WEEKLY", "MONTHLY", "YEARLY"), "interval?": {"type": "integer", "minimum": 1},
                                 "byDay?": array(enum("MO", "TU", "WE", "TH", "FR", "SA", "SU"), maxItems=7)})}),
        [{"summary": "Standup", "start": NOW, "recurrence": {"freq": "WEEKLY", "byDay": ["MO", "WE"]}},
         {"summary": "Standup", "start": "2024-13-01T00:00:00Z"}, {"summary": "Standup", "start": NOW, "recurrence": {"interval": 2}},
         {"summary": "Standup", "start": "2024-02-29T12:30:00+02:00", "attendees": [{"email": "ada@example.org", "status": "accepted"}], "location": None},
         {"summary": "Standup", "start": NOW, "attendees": [{"email": "nobody"}]}]),
    "geojson": (
        {"anyOf": [obj({"type": {"const": "Point"}, "coordinates": POSITION}),
                   obj({"type": {"const": "LineString"}, "coordinates": array(POSITION, minItems=2)}),
                   obj({"type": {"const": "Polygon"}, "coordinates": array(array(POSITION, minItems=4))}),
                   obj({"type": {"const": "GeometryCollection"}, "geometries": array({"$ref": "#"})})]},
        [{"type": "Point", "coordinates": [1, 2]}, {"type": "Point", "coordinates": [1]}, {"type": "LineString", "coordinates": [[0, 0], [1.5, -2.5]]},
         {"type": "LineString", "coordinates": [0, 1]}, {"type": "Polygon", "coordinates": [[[0, 0], [0, 1], [1, 1], [0, 0]]]},
         {"type": "GeometryCollection", "geometries": [{"type": "GeometryCollection", "geometries": []}, {"type": "Point", "coordinates": [1, 2, 3]}]},
         {"type": "GeometryCollection", "geometries": [{"type": "Point"}]}, {"type": "Circle", "coordinates": [1, 2]}]),
    "resume": (
        obj({"basics": obj({"name": NAME, "label?": TEXT, "email": EMAIL, "url?": URL, "location?": obj({"city": TEXT, "countryCode": {"type": "string", "pattern": "^[A-Z]{2}$"}})}),
             "work?": array(obj({"company": NAME, "position": NAME, "startDate": {"type": "string", "pattern": "^[0-9]{4}-(0[1-9]|1[0-2])$"},
                                 "endDate?": {"type": ["string", "null"], "pattern": "^[0-9]{4}-(0[1-9]|1[0-2])$"}, "highlights?": array(TEXT)})),
             "skills?": array(obj({"name": NAME, "level?": enum("beginner", "intermediate", "expert")}))}),
        [{"basics": {"name": "Ada Lovelace", "email": "ada@example.org", "url": "https://example.org/~ada?x=1#y"},
          "work": [{"company": "Engine", "position": "Programmer", "startDate": "1842-10", "endDate": None, "highlights": ["Note G"]}], "skills": [{"name": "maths", "level": "expert"}]},
         {"basics": {"name": "Ada", "email": "ada@example.org"}, "work": [{"company": "E", "position": "P", "startDate": "1842-13"}]},
         {"basics": {"name": "Ada"}}, {"work": []}]),
    "package-json": (
        {"type": "object", "properties": {
            "name": {"type": "string", "pattern": "^(?:@[a-z0-9-~][a-z0-9-._~]*/)?[a-z0-9-~][a-z0-9-._~]*$", "maxLength": 214},
            "version": {"type": "string", "pattern": "^\\d+\\.\\d+\\.\\d+(-[0-9A-Za-z.-]+)?$"}, "private": BOOL, "main": TEXT,
            "scripts": {"type": "object", "additionalProperties": TEXT}, "dependencies": {"$ref": "#/definitions/dependency"},
            "devDependencies": {"$ref": "#/definitions/dependency"}, "keywords": array(TEXT),
            "author": {"anyOf": [TEXT, obj({"name": TEXT, "email?": TEXT, "url?": TEXT})]}},
         "required": ["name", "version"], "definitions": {"dependency": {"type": "object", "additionalProperties": TEXT}}},
        [{"name": "@scope/pkg", "version": "1.0.0-beta.1", "scripts": {"build": "tsc -p ."}, "dependencies": {"left-pad": "^1.3.0"}, "author": {"name": "x"}},
         {"name": "pkg", "version": "1.0"}, {"name": "Pkg", "version": "1.0.0"}, {"name": "pkg", "version": "1.0.0", "type": "module", "exports": {".": ["./a.js", None]}},
         {"name": "pkg", "version": "1.0.0", "scripts": {"build": 1}}, {"version": "1.0.0"}]),
    "expression-tree": (
        {"$ref": "#/$defs/node", "$defs": {"node": {"anyOf": [NUMBER, obj({"op": enum("+", "-", "*", "/"), "left": {"$ref": "#/$defs/node"}, "right": {"$ref": "#/$defs/node"}})]}}},
        [1, -2.5, {"op": "+", "left": 1, "right": {"op": "*", "left": 2, "right": 3}}, {"op": "^", "left": 1, "right": 2}, {"op": "+", "left": 1}, "1"]),
    "linked-list": (
        obj({"value": INT, "next?": {"anyOf": [{"type": "null"}, {"$ref": "#"}]}}),
        [{"value": 1}, {"value": 1, "next": {"value": 2, "next": None}}, {"value": 1, "next": {}}, {"next": None}, {"value": 1.5}]),
    "file-tree": (
        {"$ref": "#/$defs/entry", "$defs": {"entry": {"oneOf": [
            obj({"kind": {"const": "file"}, "name": NAME, "size": COUNT}),
            obj({"kind": {"const": "folder"}, "name": NAME, "children": array({"$ref": "#/$defs/entry"})})]}}},
        [{"kind": "file", "name": "a", "size": 0}, {"kind": "folder", "name": "b", "children": [{"kind": "file", "name": "a", "size": 9}]},
         {"kind": "folder", "name": "b"}, {"kind": "file", "name": "a", "size": -1}, {"kind": "link", "name": "a"}]),
    "payment-method": (
        {"oneOf": [obj({"type": {"const": "card"}, "number": {"type": "string", "pattern": "^[0-9]{16}$"}, "expiry": {"type": "string", "pattern": "^(0[1-9]|1[0-2])/[0-9]{2}$"}}),
                   obj({"type": {"const": "iban"}, "iban": {"type": "string", "pattern": "^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$"}}),
                   obj({"type": {"const": "cash"}})]},
        [{"type": "card", "number": "4111111111111111", "expiry": "09/27"}, {"type": "card", "number": "4111", "expiry": "09/27"}, {"type": "iban", "iban": "DE89370400440532013000"},
         {"type": "cash"}, {"type": "cash", "iban": "x"}, {"type": "iban", "iban": "de89"}]),
    "shapes": (
        array({"anyOf": [obj({"shape": {"const": "circle"}, "radius": {"type": "number", "exclusiveMinimum": 0}}),
                         obj({"shape": {"const": "rectangle"}, "width": {"type": "number", "exclusiveMinimum": 0}, "height": {"type": "number", "exclusiveMinimum": 0}})]}, maxItems=5),
        [[], [{"shape": "circle", "radius": 0.01}], [{"shape": "circle", "radius": 0}], [{"shape": "rectangle", "width": 2, "height": 3.5}, {"shape": "circle", "radius": 1}],
         [{"shape": "rectangle", "width": 2}], [{"shape": "circle", "radius": 1}] * 6]),
    "user-profile": (
        obj({"id": UUID, "username": {"type": "string", "pattern": "^[a-z0-9_]{3,16}$"}, "displayName?": NAME, "email": EMAIL, "birthday?": DATE,
             "roles": array(enum("admin", "editor", "viewer"), minItems=1), "settings?": {"type": "object", "additionalProperties": {"type": ["string", "number", "boolean"]}}}),
        [{"id": ID, "username": "ada_l", "email": "ada@example.org", "roles": ["admin"]}, {"id": "x", "username": "ada_l", "email": "ada@example.org", "roles": ["admin"]},
         {"id": ID, "username": "ad", "email": "ada@example.org", "roles": ["admin"]}, {"id": ID, "username": "ada", "email": "ada@example.org", "roles": []},
         {"id": ID, "username": "ada", "email": "ada@example.org", "roles": ["viewer"], "settings": {"theme": "dark", "size": 12, "beta": False}},
         {"id": ID, "username": "ada", "email": "ada@example.org", "roles": ["viewer"], "settings": {"theme": None}}]),
    "movie": (
        obj({"title": NAME, "year": {"type": "integer", "minimum": 1888, "maximum": 2100}, "genres": array(enum("drama", "comedy", "action", "sci-fi"), minItems=1, maxItems=4),
             "rating?": {"type": "number", "minimum": 0, "maximum": 10}, "cast?": array(obj({"actor": NAME, "role": NAME}))}),
        [{"title": "Metropolis", "year": 1927, "genres": ["sci-fi", "drama"], "rating": 8.3}, {"title": "M", "year": 1887, "genres": ["drama"]}, {"title": "M", "year": 1931, "genres": ["drama"], "rating": 10.1},
         {"title": "M", "year": 2100, "genres": ["drama"], "rating": 10, "cast": [{"actor": "Peter Lorre", "role": "Hans"}]}, {"title": "M", "year": "1931", "genres": ["drama"]}]),
    "sql-query-tool": (
        obj({"table": {"type": "string", "pattern": "^[a-z_]+$"}, "columns": array({"type": "string", "pattern": "^[a-z_]+$"}, minItems=1), "limit?": {"type": "integer", "minimum": 1, "maximum": 1000},
             "where?": array(obj({"column": TEXT, "op": enum("=", "<", ">", "!=", "in"), "value": {"anyOf": [TEXT, NUMBER, BOOL, array({"type": ["string", "number"]})]}}))}),
        [{"table": "users", "columns": ["id", "name"], "limit": 10}, {"table": "users; drop", "columns": ["id"]}, {"table": "users", "columns": ["id"], "where": [{"column": "age", "op": ">", "value": 3}]},
         {"table": "users", "columns": ["id"], "where": [{"column": "age", "op": "in", "value": [1, "a"]}]}, {"table": "users", "columns": ["id"], "where": [{"column": "age", "op": "like", "value": 3}]},
         {"table": "users", "columns": ["id"], "limit": 1001}, {"table": "users", "columns": []}]),
    "translation": (obj({"language": {"type": "string", "pattern": "^[a-z]{2}(-[A-Z]{2})?$"}, "text": TEXT, "confidence?": {"type": "number", "minimum": 0, "maximum": 1}}),
        [{"language": "fr", "text": "Où est la gare ? 🚉"}, {"language": "pt-BR", "text": "", "confidence": 0.97}, {"language": "fra", "text": ""}, {"language": "fr", "text": "x", "confidence": 1.01}]),
    "sentiment": (obj({"sentiment": enum("positive", "neutral", "negative"), "score": {"type": "number", "minimum": -1, "maximum": 1}}),
        [{"sentiment": "positive", "score": 0.9}, {"sentiment": "mixed", "score": 0}, {"sentiment": "neutral", "score": -1.5}, {"sentiment": "neutral", "score": -1}]),
    "entities": (obj({"entities": array(obj({"text": NAME, "label": enum("PER", "ORG", "LOC", "MISC"), "start": COUNT, "end": COUNT}), maxItems=20)}),
        [{"entities": []}, {"entities": [{"text": "Berlin", "label": "LOC", "start": 0, "end": 6}]}, {"entities": [{"text": "Berlin", "label": "CITY", "start": 0, "end": 6}]}, {"entities": None}]),
    "chart": (obj({"type": enum("bar", "line", "pie"), "title?": TEXT, "series": array(obj({"name": NAME, "points": array({"type": "array", "prefixItems": [{"type": ["string", "number"]}, NUMBER], "items": False, "minItems": 2})}), minItems=1)}),
        [{"type": "bar", "series": [{"name": "a", "points": [["x", 1], [2, 3.5]]}]}, {"type": "bar", "series": [{"name": "a", "points": [["x"]]}]}, {"type": "bar", "series": [{"name": "a", "points": [["x", 1, 2]]}]}, {"type": "bar", "series": []}]),
    "color": ({"anyOf": [{"type": "string", "pattern": "^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$"}, {"type": "array", "prefixItems": [{"$ref": "#/$defs/byte"}] * 3, "items": False, "minItems": 3}, enum("red", "green", "blue")],
               "$defs": {"byte": {"type": "integer", "minimum": 0, "maximum": 255}}},
        ["#fff", "#A0b1C2", "#ffff", [255, 0, 128], [256, 0, 0], [1, 2], [1, 2, 3, 4], "red", "pink"]),
    "log-entry": (obj({"timestamp": TIME, "level": enum("debug", "info", "warn", "error"), "message": TEXT, "context?": {"type": "object"}, "traceId?": {"type": "string", "pattern": "^[0-9a-f]{32}$"}}),
        [{"timestamp": NOW, "level": "info", "message": "started"}, {"timestamp": NOW, "level": "info", "message": "x", "context": {"a": [1, {"b": None}], "c": {"d": True}}}, {"timestamp": NOW, "level": "INFO", "message": "x"},
         {"timestamp": NOW, "level": "info", "message": "x", "context": []}, {"timestamp": NOW, "level": "warn", "message": "x", "traceId": "0" * 31}]),
    "dns-record": ({"anyOf": [obj({"type": {"const": "A"}, "name": {"type": "string", "format": "hostname"}, "address": {"type": "string", "format": "ipv4"}, "ttl?": COUNT}),
                              obj({"type": {"const": "AAAA"}, "name": {"type": "string", "format": "hostname"}, "address": {"type": "string", "format": "ipv6"}, "ttl?": COUNT}),
                              obj({"type": {"const": "MX"}, "name": TEXT, "priority": {"type": "integer", "minimum": 0, "maximum": 65535}, "exchange": TEXT})]},
        [{"type": "A", "name": "example.org", "address": "192.0.2.1"}, {"type": "A", "name": "example.org", "address": "192.0.2.256"}, {"type": "AAAA", "name": "example.org", "address": "2001:db8::1", "ttl": 60},
         {"type": "AAAA", "name": "example.org", "address": "192.0.2.1"}, {"type": "MX", "name": "x", "priority": 65535, "exchange": "m"}, {"type": "MX", "name": "x", "priority": 65536, "exchange": "m"}]),
    "docker-service": ({"type": "object", "properties": {"image": TEXT, "ports": array({"anyOf": [{"type": "integer", "minimum": 1, "maximum": 65535}, {"type": "string", "pattern": "^\\d+:\\d+$"}]}),
        "environment": {"anyOf": [{"type": "object", "additionalProperties": {"type": ["string", "number", "null"]}}, array(TEXT)]}, "restart": enum("no", "always", "on-failure"), "replicas": {"type": "integer", "minimum": 0}}, "required": ["image"], "additionalProperties": False},
        [{"image": "nginx", "ports": [80, "8080:80"]}, {"image": "nginx", "environment": {"A": "1", "B": 2, "C": None}}, {"image": "nginx", "environment": ["A=1"]}, {"image": "nginx", "ports": ["x"]}, {"image": "nginx", "environment": {"A": []}}, {"ports": []}]),
    "ci-workflow": (obj({"name": TEXT, "on": {"anyOf": [TEXT, array(TEXT), {"type": "object"}]}, "jobs": {"type": "object", "minProperties": 1, "additionalProperties": obj({"runs-on": TEXT, "needs?": {"anyOf": [TEXT, array(TEXT)]},
        "steps": array({"anyOf": [obj({"uses": TEXT, "with?": {"type": "object"}}), obj({"run": TEXT, "name?": TEXT})]}, minItems=1)})}}),
        [{"name": "ci", "on": "push", "jobs": {"build": {"runs-on": "linux", "steps": [{"uses": "checkout", "with": {"depth": 1}}, {"run": "make"}]}}}, {"name": "ci", "on": ["push"], "jobs": {}},
         {"name": "ci", "on": {"push": {}}, "jobs": {"a": {"runs-on": "x", "steps": [{"run": "a", "name": "b"}]}, "b": {"runs-on": "x", "needs": "a", "steps": [{"uses": "y"}]}}}, {"name": "ci", "on": "push", "jobs": {"a": {"runs-on": "x", "steps": [{"name": "b"}]}}}]),
    "kubernetes-pod": (obj({"apiVersion": {"const": "v1"}, "kind": {"const": "Pod"}, "metadata": obj({"name": {"type": "string", "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", "maxLength": 63}, "labels?": {"type": "object", "additionalProperties": TEXT}}),
        "spec": obj({"containers": array(obj({"name": TEXT, "image": TEXT, "args?": array(TEXT), "resources?": obj({"limits": {"type": "object", "additionalProperties": {"type": "string", "pattern": "^[0-9]+(m|Mi|Gi)?$"}}})}), minItems=1)})}),
        [{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web-1", "labels": {"app": "web"}}, "spec": {"containers": [{"name": "c", "image": "i", "resources": {"limits": {"cpu": "500m", "memory": "1Gi"}}}]}},
         {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "-web"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}, {"apiVersion": "v2", "kind": "Pod", "metadata": {"name": "web"}, "spec": {"containers": [{"name": "c", "image": "i"}]}},
         {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a" * 64}, "spec": {"containers": [{"name": "c", "image": "i"}]}}]),
    "book": (obj({"isbn": {"type": "string", "pattern": "^97[89]-?\\d{1,5}-?\\d{1,7}-?\\d{1,6}-?\\d$"}, "title": NAME, "authors": array(NAME, minItems=1), "pages?": {"type": "integer", "exclusiveMinimum": 0}, "published?": DATE}),
        [{"isbn": "978-3-16-148410-0", "title": "X", "authors": ["A"], "pages": 1}, {"isbn": "123", "title": "X", "authors": ["A"]}, {"isbn": "9783161484100", "title": "X", "authors": []}, {"isbn": "9783161484100", "title": "X", "authors": ["A"], "pages": 0}]),
    "order": (obj({"id": {"type": "string", "pattern": "^[0-9A-F]{8}$"}, "items": array({"$ref": "#/$defs/item"}, minItems=1, maxItems=50), "shipTo": {"$ref": "#/$defs/address"}, "billTo?": {"$ref": "#/$defs/address"}, "status": enum("new", "paid", "shipped"), "coupon?": MAYBE_TEXT},
        **{"$defs": {"item": obj({"sku": {"type": "string", "pattern": "^[A-Z]{3}-\\d{3}$"}, "qty": {"type": "integer", "minimum": 1, "maximum": 99}, "price": NUMBER}), "address": ADDRESS}}),
        [{"id": "0A1B2C3D", "items": [{"sku": "ABC-123", "qty": 1, "price": 9.99}], "shipTo": {"street": "a", "city": "b", "postcode": "123", "country": "DE"}, "status": "new"},
         {"id": "0A1B2C3D", "items": [{"sku": "ABC-123", "qty": 100, "price": 9.99}], "shipTo": {"street": "a", "city": "b", "postcode": "123", "country": "DE"}, "status": "new"},
         {"id": "0a1b2c3d", "items": [{"sku": "ABC-123", "qty": 1, "price": 9.99}], "shipTo": {"street": "a", "city": "b", "postcode": "123", "country": "DE"}, "status": "new"}]),
    "quiz": (obj({"question": NAME, "options": {"type": "array", "items": NAME, "minItems": 4, "maxItems": 4}, "answer": {"type": "integer", "minimum": 0, "maximum": 3}, "explanation?": TEXT}),
        [{"question": "2+2?", "options": ["1", "2", "3", "4"], "answer": 3}, {"question": "2+2?", "options": ["1", "2", "3"], "answer": 3}, {"question": "2+2?", "options": ["1", "2", "3", "4"], "answer": 4}]),
    "todo-list": (array(obj({"task": NAME, "done": BOOL, "priority?": {"type": "integer", "enum": [1, 2, 3]}, "due?": {"anyOf": [DATE, {"type": "null"}]}, "tags?": array(TEXT)}), minItems=1),
        [[{"task": "x", "done": False, "priority": 2, "due": None}], [{"task": "x", "done": "no"}], [{"task": "x", "done": True, "priority": 4}], [], [{"task": "x", "done": True, "due": "2024-04-31"}], [{"task": "x", "done": True, "due": "2024-04-30", "tags": ["a", "b"]}]]),
    "meeting-notes": (obj({"title": NAME, "date": DATE, "attendees": array(NAME), "decisions": array(TEXT), "actions": array(obj({"owner": NAME, "what": NAME, "by?": DATE}))}),
        [{"title": "Plan", "date": "2024-01-31", "attendees": ["A", "B"], "decisions": [], "actions": [{"owner": "A", "what": "write"}]}, {"title": "Plan", "date": "31.01.2024", "attendees": [], "decisions": [], "actions": []}, {"title": "Plan", "date": "2024-01-31", "attendees": [], "decisions": []}]),
    "product-review": (obj({"stars": {"type": "integer", "minimum": 1, "maximum": 5}, "pros?": array(TEXT, maxItems=5), "cons?": array(TEXT, maxItems=5), "summary": {"type": "string", "maxLength": 200}, "recommend": BOOL}),
        [{"stars": 5, "summary": "Good", "recommend": True}, {"stars": 6, "summary": "Good", "recommend": True}, {"stars": 1, "pros": ["a"] * 6, "summary": "", "recommend": False}, {"stars": 3.0, "summary": "x" * 200, "recommend": True}, {"stars": 3, "summary": "x" * 201, "recommend": True}]),
    "contact-card": (obj({"fn": NAME, "tel?": array({"type": "string", "pattern": "^\\+?[0-9 ()-]{6,20}$"}), "email?": array(EMAIL), "org?": MAYBE_TEXT, "bday?": DATE, "geo?": {"type": "array", "prefixItems": [LATITUDE, LONGITUDE], "minItems": 2, "maxItems": 2}}),
        [{"fn": "Ada", "tel": ["+44 (0)20 7946"], "geo": [51.5, -0.12]}, {"fn": "Ada", "tel": ["12"]}, {"fn": "Ada", "geo": [95, 0]}, {"fn": "Ada", "geo": [5]}, {"fn": "Ada", "org": None, "email": []}]),
    "flight": (obj({"flight": {"type": "string", "pattern": "^[A-Z0-9]{2}[0-9]{1,4}$"}, "from": {"type": "string", "pattern": "^[A-Z]{3}$"}, "to": {"type": "string", "pattern": "^[A-Z]{3}$"}, "departs": TIME, "cabin?": enum("economy", "business", "first"), "stops?": {"type": "integer", "minimum": 0, "maximum": 3}}),
        [{"flight": "LH454", "from": "FRA", "to": "SFO", "departs": NOW, "stops": 0}, {"flight": "454", "from": "FRA", "to": "SFO", "departs": NOW}, {"flight": "LH454", "from": "Fra", "to": "SFO", "departs": NOW}, {"flight": "LH454", "from": "FRA", "to": "SFO", "departs": NOW, "stops": 4}]),
    "hotel-search": (obj({"city": NAME, "checkIn": DATE, "checkOut": DATE, "guests": {"type": "integer", "minimum": 1, "maximum": 8}, "price?": obj({"min?": COUNT, "max?": COUNT}), "amenities?": array(enum("wifi", "pool", "parking", "breakfast"))}),
        [{"city": "Oslo", "checkIn": "2024-05-01", "checkOut": "2024-05-03", "guests": 2, "price": {"max": 200}, "amenities": ["wifi"]}, {"city": "Oslo", "checkIn": "2024-05-01", "checkOut": "2024-05-03", "guests": 0}, {"city": "Oslo", "checkIn": "2024-05-01", "checkOut": "2024-05-03", "guests": 2, "price": {"max": -1}}]),
    "email-draft": (obj({"to": array(EMAIL, minItems=1), "cc?": array(EMAIL), "subject": {"type": "string", "maxLength": 120}, "body": TEXT, "attachments?": array(obj({"name": TEXT, "bytes": COUNT}))}),
        [{"to": ["a@example.org"], "subject": "Hi", "body": "Hello\n\nBye"}, {"to": [], "subject": "Hi", "body": ""}, {"to": ["a@example.org"], "subject": "x" * 121, "body": ""}, {"to": "a@example.org", "subject": "Hi", "body": ""}]),
    "bank-transaction": (obj({"id": UUID, "amount": {"type": "number"}, "currency": CURRENCY, "kind": enum("debit", "credit"), "booked": DATE, "counterparty?": obj({"name": NAME, "iban?": TEXT}), "category?": {"type": ["string", "null"], "enum": ["food", "rent", "other", None]}}),
        [{"id": ID, "amount": -12.5, "currency": "EUR", "kind": "debit", "booked": "2024-03-01", "category": None}, {"id": ID, "amount": 1, "currency": "eur", "kind": "debit", "booked": "2024-03-01"}, {"id": ID, "amount": 1, "currency": "EUR", "kind": "debit", "booked": "2024-03-01", "category": "fun"}]),
    "sensor-batch": (obj({"device": {"type": "string", "pattern": "^[0-9a-f]{2}(:[0-9a-f]{2}){5}$"}, "readings": array({"type": "array", "prefixItems": [COUNT, NUMBER], "items": False, "minItems": 2}, minItems=1, maxItems=100)}),
        [{"device": "00:1a:2b:3c:4d:5e", "readings": [[1, 20.5], [2, -1e-3]]}, {"device": "00:1a:2b:3c:4d", "readings": [[1, 2]]}, {"device": "00:1a:2b:3c:4d:5e", "readings": [[-1, 2]]}, {"device": "00:1a:2b:3c:4d:5e", "readings": []}]),
    "game-state": (obj({"turn": enum("x", "o"), "board": {"type": "array", "minItems": 3, "maxItems": 3, "items": {"type": "array", "minItems": 3, "maxItems": 3, "items": {"enum": ["x", "o", None]}}}, "winner?": {"enum": ["x", "o", "draw", None]}}),
        [{"turn": "x", "board": [["x", "o", None]] * 3}, {"turn": "x", "board": [["x", "o"]] * 3}, {"turn": "x", "board": [["x", "o", ""]] * 3}, {"turn": "o", "board": [[None] * 3] * 3, "winner": None}]),
    "chess-move": (obj({"from": {"type": "string", "pattern": "^[a-h][1-8]$"}, "to": {"type": "string", "pattern": "^[a-h][1-8]$"}, "promotion?": enum("q", "r", "b", "n"), "comment?": {"type": "string", "maxLength": 100}}),
        [{"from": "e2", "to": "e4"}, {"from": "e2", "to": "e9"}, {"from": "e7", "to": "e8", "promotion": "q"}, {"from": "e7", "to": "e8", "promotion": "k"}]),
    "music-playlist": (obj({"name": NAME, "public": BOOL, "tracks": array(obj({"title": NAME, "artist": NAME, "seconds": {"type": "integer", "minimum": 1, "maximum": 7200}, "explicit?": BOOL}), maxItems=200)}),
        [{"name": "Mix", "public": False, "tracks": [{"title": "Ça ira", "artist": "Björk", "seconds": 200}]}, {"name": "Mix", "public": 0, "tracks": []}, {"name": "Mix", "public": True, "tracks": [{"title": "a", "artist": "b", "seconds": 0}]}]),
    "form-definition": (obj({"fields": array({"anyOf": [obj({"kind": {"const": "text"}, "label": NAME, "maxLength?": COUNT}), obj({"kind": {"const": "select"}, "label": NAME, "options": array(TEXT, minItems=1)}), obj({"kind": {"const": "number"}, "label": NAME, "min?": NUMBER, "max?": NUMBER})]}), "submit?": TEXT}),
        [{"fields": [{"kind": "text", "label": "Name"}, {"kind": "select", "label": "X", "options": ["a"]}, {"kind": "number", "label": "N", "max": 3}]}, {"fields": [{"kind": "select", "label": "X"}]}, {"fields": [{"kind": "text", "label": "Name", "options": []}]}]),
    "http-request": (obj({"method": enum("GET", "POST", "PUT", "DELETE"), "url": URL, "headers?": {"type": "object", "additionalProperties": TEXT}, "body?": True, "timeout?": {"type": "number", "exclusiveMinimum": 0, "maximum": 300}}),
        [{"method": "GET", "url": "https://example.org/"}, {"method": "POST", "url": "https://example.org", "headers": {"Accept": "*/*"}, "body": {"a": [None, 1.5, "x"]}, "timeout": 0.5}, {"method": "HEAD", "url": "https://example.org/"}, {"method": "GET", "url": "https://example.org/", "timeout": 300.5}, {"method": "GET", "url": "https://example.org/", "timeout": 0}]),
    "feature-flags": ({"type": "object", "additionalProperties": {"anyOf": [BOOL, obj({"rollout": {"type": "integer", "minimum": 0, "maximum": 100}, "groups?": array(TEXT)})]}, "maxProperties": 4},
        [{}, {"a": True, "b": {"rollout": 50}}, {"a": "on"}, {"a": True, "b": True, "c": True, "d": True, "e": True}, {"a": {"rollout": 101}}]),
    "i18n": ({"type": "object", "properties": {"en": {"$ref": "#/$defs/bundle"}, "de": {"$ref": "#/$defs/bundle"}}, "required": ["en"], "additionalProperties": {"$ref": "#/$defs/bundle"}, "$defs": {"bundle": {"type": "object", "additionalProperties": {"anyOf": [TEXT, {"$ref": "#/$defs/bundle"}]}}}},
        [{"en": {"hello": "Hello", "menu": {"file": "File"}}}, {"de": {}}, {"en": {}, "fr": {"a": {"b": {"c": "d"}}}}, {"en": {"a": 1}}]),
    "graph": (obj({"nodes": array(obj({"id": {"type": "string", "pattern": "^n[0-9]+$"}, "label?": TEXT}), minItems=1), "edges": array({"type": "array", "items": {"type": "string", "pattern": "^n[0-9]+$"}, "minItems": 2, "maxItems": 2})}),
        [{"nodes": [{"id": "n1"}], "edges": [["n1", "n1"]]}, {"nodes": [{"id": "1"}], "edges": []}, {"nodes": [{"id": "n1"}], "edges": [["n1"]]}]),
    "html-element": ({"$defs": {"el": obj({"tag": enum("div", "p", "span", "a"), "attrs?": {"type": "object", "additionalProperties": TEXT}, "children?": array({"anyOf": [TEXT, {"$ref": "#/$defs/el"}]})})}, "$ref": "#/$defs/el"},
        [{"tag": "div", "children": ["hi", {"tag": "p", "attrs": {"class": "x"}, "children": []}]}, {"tag": "script"}, {"tag": "a", "children": [1]}]),
    "mcp-tool": (obj({"name": {"type": "string", "pattern": "^[a-zA-Z0-9_-]{1,64}$"}, "description?": TEXT, "inputSchema": {"type": "object", "properties": {"type": {"const": "object"}, "properties": {"type": "object"}, "required": array(TEXT)}, "required": ["type"]}}),
        [{"name": "read_file", "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}}, {"name": "read file", "inputSchema": {"type": "object"}}, {"name": "x", "inputSchema": {"type": "array"}}, {"name": "x", "inputSchema": {"type": "object", "$schema": "x"}}]),
    "patient": (obj({"mrn": {"type": "string", "pattern": "^\\d{6,10}$"}, "name": obj({"family": NAME, "given": array(NAME, minItems=1)}), "sex": enum("female", "male", "other", "unknown"), "born": DATE, "allergies?": array(obj({"substance": NAME, "severity": enum("mild", "moderate", "severe")})), "bmi?": {"type": "number", "minimum": 5, "maximum": 100}}),
        [{"mrn": "123456", "name": {"family": "Doe", "given": ["J"]}, "sex": "other", "born": "1990-12-31", "bmi": 22.45}, {"mrn": "12345", "name": {"family": "Doe", "given": ["J"]}, "sex": "other", "born": "1990-12-31"}, {"mrn": "123456", "name": {"family": "Doe", "given": []}, "sex": "other", "born": "1990-12-31"}, {"mrn": "123456", "name": {"family": "Doe", "given": ["J"]}, "sex": "other", "born": "1990-12-31", "bmi": 4.99}]),
    "server-config": (obj({"host": {"anyOf": [{"type": "string", "format": "ipv4"}, {"const": "localhost"}]}, "port": {"type": "integer", "minimum": 1, "maximum": 65535}, "tls?": {"anyOf": [{"const": False}, obj({"cert": TEXT, "key": TEXT})]}, "workers?": {"type": "integer", "minimum": 1, "multipleOf": 2}, "logLevel?": enum(0, 1, 2, 3)}),
        [{"host": "127.0.0.1", "port": 80}, {"host": "localhost", "port": 65535, "tls": False, "workers": 4, "logLevel": 3}, {"host": "localhost", "port": 0}, {"host": "127.0.0.01", "port": 80}, {"host": "localhost", "port": 80, "workers": 3}, {"host": "localhost", "port": 80, "tls": True}, {"host": "localhost", "port": 80, "logLevel": 4}]),
    "search-arguments": (obj({"query": {"type": "string", "minLength": 2, "maxLength": 64}, "filters?": {"type": "object", "properties": {"lang": TEXT, "after": DATE}, "additionalProperties": False}, "page?": {"type": "integer", "minimum": 1}, "sort?": {"type": "array", "prefixItems": [enum("date", "score"), enum("asc", "desc")], "items": False}}),
        [{"query": "swift"}, {"query": "s"}, {"query": "x" * 65}, {"query": "ok", "filters": {"after": "2020-01-01"}, "page": 1, "sort": ["date", "asc"]}, {"query": "ok", "sort": ["date"]}, {"query": "ok", "sort": []}, {"query": "ok", "sort": ["asc"]}, {"query": "ok", "sort": ["date", "asc", "x"]}, {"query": "éè"}]),
    "employee-allof": ({"allOf": [{"$ref": "#/$defs/person"}, {"type": "object", "properties": {"employeeId": {"type": "integer", "minimum": 1}, "department": enum("R&D", "Sales")}, "required": ["employeeId"]}], "$defs": {"person": {"type": "object", "properties": {"name": NAME, "born": DATE}, "required": ["name"]}}},
        [{"name": "Ada", "employeeId": 7, "department": "R&D"}, {"name": "Ada"}, {"employeeId": 7}, {"name": "Ada", "born": "1815-12-10", "employeeId": 7, "extra": [1]}, {"name": "Ada", "employeeId": 0}]),
    "vehicle-allof": ({"type": "object", "properties": {"wheels": {"type": "integer", "minimum": 2}}, "required": ["wheels"], "allOf": [{"properties": {"wheels": {"maximum": 8}}}, {"properties": {"maker": {"minLength": 2, "type": "string"}}}], "anyOf": [{"properties": {"maker": {"const": "VW"}}, "required": ["maker"]}, {"required": ["model"]}]},
        [{"wheels": 4, "maker": "VW"}, {"wheels": 4, "model": "x"}, {"wheels": 9, "maker": "VW"}, {"wheels": 4}, {"wheels": 4, "maker": "B", "model": "x"}, {"wheels": 4, "maker": "BMW", "model": 3}, {"wheels": 4, "maker": "BMW"}]),
    "discriminated-event": ({"type": "object", "required": ["type", "at"], "properties": {"at": TIME}, "oneOf": [{"properties": {"type": {"const": "click"}, "x": INT, "y": INT}, "required": ["x", "y"]}, {"properties": {"type": {"const": "key"}, "code": TEXT}, "required": ["code"]}]},
        [{"type": "click", "at": NOW, "x": 1, "y": 2}, {"type": "key", "at": NOW, "code": "a"}, {"type": "click", "at": NOW, "code": "a"}, {"type": "scroll", "at": NOW}, {"type": "key", "at": NOW, "code": "a", "x": "free"}]),
    "json-patch": (array({"oneOf": [obj({"op": {"enum": ["add", "replace", "test"]}, "path": {"type": "string", "pattern": "^(/[^/]*)*$"}, "value": True}), obj({"op": {"const": "remove"}, "path": {"type": "string", "pattern": "^(/[^/]*)*$"}}), obj({"op": {"enum": ["move", "copy"]}, "path": TEXT, "from": TEXT})]}),
        [[{"op": "add", "path": "/a/b", "value": {"c": None}}, {"op": "remove", "path": ""}], [{"op": "add", "path": "/a"}], [{"op": "move", "path": "/a", "from": "/b"}], [{"op": "remove", "path": "a"}], [{"op": "nop", "path": ""}]]),
    "semantic-version": ({"type": "string", "pattern": "^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(?:-((?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\\.(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\\+([0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*))?$"},
        ["1.2.3", "1.2.3-alpha.1+build.5", "01.2.3", "1.2", "1.0.0-01", "1.0.0-0a"]),
    "tree-of-maps": ({"type": "object", "additionalProperties": {"anyOf": [{"$ref": "#"}, {"type": "integer"}]}},
        [{}, {"a": 1}, {"a": {"b": {"c": 2}}}, {"a": "x"}, {"a": {"b": None}}, []]),
    "matrix": (array(array(NUMBER, minItems=3, maxItems=3), minItems=3, maxItems=3),
        [[[1, 2, 3]] * 3, [[1, 2, 3]] * 2, [[1, 2]] * 3, [[0.1, -2e5, 3]] * 3]),
    "ranking": ({"type": "array", "prefixItems": [PERSON, PERSON], "items": {"type": "string"}, "minItems": 1, "maxItems": 4},
        [[{"name": "A"}], [], [{"name": "A"}, {"name": "B", "age": 30}, "x", "y"], [{"name": "A"}, "x"], [{"name": "A"}, {"name": "B"}, 3], [{"name": "A"}, {"name": "B"}, "x", "y", "z"]]),
    "any-json": ({}, [None, True, 0, -1.5, "x\u0001\u2028\U0001f600", [[], {}], {"a": {"b": [1, "2", None]}, "": 0}]),
    "boolean-or-number": ({"type": ["boolean", "number"], "maximum": 10}, [True, 10, 10.5, -3e3, "x", None]),
    "country-codes": ({"type": "array", "items": {"type": "string", "enum": ["DE", "FR", "US", "UK", "USA", "D"]}, "minItems": 1}, [["DE", "D"], ["USA", "US"], ["X"], []]),
    "unicode-names": (obj({"naïve": TEXT, "日本?": INT, "quote\"d?": BOOL, "a/b~c?": {"$ref": "#/$defs/x~1y~0z"}}, **{"$defs": {"x/y~z": {"type": "string", "pattern": "^[à-ÿ]{1,4}$"}}}),
        [{"naïve": "ü"}, {"naïve": "", "日本": 1, "quote\"d": True, "a/b~c": "éàü"}, {"naïve": "", "a/b~c": "abc"}, {"日本": 1}]),
    "llm-judge": (obj({"reasoning": {"type": "string", "maxLength": 600}, "verdict": enum("A", "B", "tie"), "scores": obj({"A": {"type": "integer", "minimum": 1, "maximum": 10}, "B": {"type": "integer", "minimum": 1, "maximum": 10}})}),
        [{"reasoning": "", "verdict": "tie", "scores": {"A": 1, "B": 10}}, {"reasoning": "x", "verdict": "C", "scores": {"A": 1, "B": 1}}, {"reasoning": "x", "verdict": "A", "scores": {"A": 11, "B": 1}}, {"reasoning": "x", "verdict": "A", "scores": {"A": 1}}]),
    "optional-everything": (obj({"a?": INT, "b?": INT, "c?": INT, "d?": INT}, minProperties=2, maxProperties=3),
        [{"a": 1, "b": 2}, {"a": 1}, {"a": 1, "b": 2, "c": 3, "d": 4}, {"b": 1, "c": 2, "d": 3}, {"c": 1, "d": 1}, {}]),
    "wide-record": (obj({f"field_{index:02}" + ("?" if index % 3 else ""): [TEXT, INT, NUMBER, BOOL, NAME][index % 5] for index in range(50)}),
        [{f"field_{index:02}": ["x", 1, 1.5, True, "n"][index % 5] for index in range(50)}, {f"field_{index:02}": ["x", 1, 1.5, True, "n"][index % 5] for index in range(0, 50, 3)},
         {f"field_{index:02}": ["x", 1, 1.5, True, "n"][index % 5] for index in range(3, 50)}, {f"field_{index:02}": ["x", 1, 1.5, True, ""][index % 5] for index in range(50)}]),
}
