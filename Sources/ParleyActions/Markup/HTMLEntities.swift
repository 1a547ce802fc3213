// SPDX-License-Identifier: Apache-2.0

/// Resolves character references: numbers, and the common names.
enum HTMLEntities {
    /// The text of bytes, with references resolved; those that are not known stay as they are.
    static func resolve(_ bytes: ArraySlice<UInt8>) -> String {
        guard bytes.contains(UInt8(ascii: "&")) else { return String(decoding: bytes, as: UTF8.self) }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var rest = bytes
        while let start = rest.firstIndex(of: UInt8(ascii: "&")) {
            result += rest[..<start]
            rest = rest[(start + 1)...]
            if let (text, length) = reference(rest.prefix(longest)) {
                result += text.utf8
                rest = rest.dropFirst(length)
            } else {
                result.append(UInt8(ascii: "&"))
            }
        }
        return String(decoding: result + rest, as: UTF8.self)
    }

    private static let longest = 12

    /// The text of a reference after its `&`, and its length.
    private static func reference(_ bytes: ArraySlice<UInt8>) -> (text: String, length: Int)? {
        if bytes.first == UInt8(ascii: "#") {
            let isHex = bytes.dropFirst().first.map { $0 | 0x20 } == UInt8(ascii: "x")
            let digits = bytes.dropFirst(isHex ? 2 : 1).prefix { byte in
                (0x30...0x39).contains(byte) || isHex && (0x61...0x66).contains(byte | 0x20)
            }
            guard !digits.isEmpty else { return nil }
            let number = UInt32(String(decoding: digits, as: UTF8.self), radix: isHex ? 16 : 10) ?? 0
            let end = digits.endIndex < bytes.endIndex && bytes[digits.endIndex] == UInt8(ascii: ";") ? 1 : 0
            return (character(number), digits.endIndex - bytes.startIndex + end)
        }
        let name = bytes.prefix { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) }
        guard name.endIndex < bytes.endIndex, bytes[name.endIndex] == UInt8(ascii: ";"),
            let text = names[String(decoding: name, as: UTF8.self)]
        else { return nil }
        return (text, name.count + 1)
    }

    private static func character(_ number: UInt32) -> String {
        // Numbers between 128 and 159 mean the characters of Windows-1252, as in old pages.
        if (0x80...0x9F).contains(number) { return TextBytes.windows1252[Int(number - 0x80)] }
        guard number != 0, let scalar = Unicode.Scalar(number) else { return "\u{FFFD}" }
        return String(Character(scalar))
    }

    private static let names: [String: String] = [
        "amp": "&", "AMP": "&", "lt": "<", "LT": "<", "gt": ">", "GT": ">", "quot": "\"", "QUOT": "\"", "apos": "'",
        "nbsp": "\u{A0}", "iexcl": "¡", "cent": "¢", "pound": "£", "curren": "¤", "yen": "¥", "brvbar": "¦",
        "sect": "§", "uml": "¨", "copy": "©", "COPY": "©", "ordf": "ª", "laquo": "«", "not": "¬", "shy": "",
        "reg": "®", "REG": "®", "macr": "¯", "deg": "°", "plusmn": "±", "sup1": "¹", "sup2": "²", "sup3": "³",
        "acute": "´", "micro": "µ", "para": "¶", "middot": "·", "cedil": "¸", "ordm": "º", "raquo": "»",
        "frac14": "¼", "frac12": "½", "frac34": "¾", "iquest": "¿", "times": "×", "divide": "÷", "szlig": "ß",
        "Agrave": "À", "Aacute": "Á", "Acirc": "Â", "Atilde": "Ã", "Auml": "Ä", "Aring": "Å", "AElig": "Æ",
        "Ccedil": "Ç", "Egrave": "È", "Eacute": "É", "Ecirc": "Ê", "Euml": "Ë", "Igrave": "Ì", "Iacute": "Í",
        "Icirc": "Î", "Iuml": "Ï", "ETH": "Ð", "Ntilde": "Ñ", "Ograve": "Ò", "Oacute": "Ó", "Ocirc": "Ô",
        "Otilde": "Õ", "Ouml": "Ö", "Oslash": "Ø", "Ugrave": "Ù", "Uacute": "Ú", "Ucirc": "Û", "Uuml": "Ü",
        "Yacute": "Ý", "THORN": "Þ", "agrave": "à", "aacute": "á", "acirc": "â", "atilde": "ã", "auml": "ä",
        "aring": "å", "aelig": "æ", "ccedil": "ç", "egrave": "è", "eacute": "é", "ecirc": "ê", "euml": "ë",
        "igrave": "ì", "iacute": "í", "icirc": "î", "iuml": "ï", "eth": "ð", "ntilde": "ñ", "ograve": "ò",
        "oacute": "ó", "ocirc": "ô", "otilde": "õ", "ouml": "ö", "oslash": "ø", "ugrave": "ù", "uacute": "ú",
        "ucirc": "û", "uuml": "ü", "yacute": "ý", "thorn": "þ", "yuml": "ÿ", "OElig": "Œ", "oelig": "œ",
        "Scaron": "Š", "scaron": "š", "fnof": "ƒ", "circ": "ˆ", "tilde": "˜", "ensp": " ", "emsp": " ",
        "thinsp": " ", "zwnj": "", "zwj": "", "lrm": "", "rlm": "", "ndash": "–", "mdash": "—", "lsquo": "‘",
        "rsquo": "’", "sbquo": "‚", "ldquo": "“", "rdquo": "”", "bdquo": "„", "dagger": "†", "Dagger": "‡",
        "bull": "•", "hellip": "…", "permil": "‰", "prime": "′", "Prime": "″", "lsaquo": "‹", "rsaquo": "›",
        "euro": "€", "trade": "™", "larr": "←", "uarr": "↑", "rarr": "→", "darr": "↓", "harr": "↔", "rArr": "⇒",
        "hArr": "⇔", "minus": "−", "le": "≤", "ge": "≥", "ne": "≠", "asymp": "≈", "infin": "∞", "radic": "√",
        "sum": "∑", "part": "∂", "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε",
        "lambda": "λ", "mu": "μ", "pi": "π", "sigma": "σ", "omega": "ω", "Delta": "Δ", "Sigma": "Σ", "Omega": "Ω",
        "check": "✓", "star": "☆", "hearts": "♥", "lbrack": "[", "rbrack": "]", "lbrace": "{", "rbrace": "}",
        "num": "#", "excl": "!", "dollar": "$", "percnt": "%", "ast": "*", "plus": "+", "comma": ",", "period": ".",
        "sol": "/", "colon": ":", "semi": ";", "equals": "=", "quest": "?", "commat": "@", "lowbar": "_",
        "grave": "`", "vert": "|", "bsol": "\\", "Tab": "\t", "NewLine": "\n", "lpar": "(", "rpar": ")",
    ]
}
