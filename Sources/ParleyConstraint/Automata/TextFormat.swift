// SPDX-License-Identifier: Apache-2.0

/// The formats of strings that are enforced, as patterns.
enum TextFormat: String, CaseIterable {
    case date
    case dateTime = "date-time"
    case time
    case duration
    case uuid
    case email
    case hostname
    case ipv4
    case ipv6
    case uri

    /// The whole text's pattern.
    var pattern: String { "^(?:\(body))$" }

    private var body: String {
        switch self {
        case .date: Self.fullDate
        case .dateTime: "(?:\(Self.fullDate))[Tt](?:\(Self.fullTime))"
        case .time: Self.fullTime
        case .duration: Self.period
        case .uuid: "[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}"
        case .email: "\(Self.atom)(?:\\.\(Self.atom))*@\(Self.host)"
        case .hostname: Self.host
        case .ipv4: Self.ipv4Address
        case .ipv6: Self.ipv6Address
        case .uri: Self.absoluteURI
        }
    }

    // RFC 3339, with the days of each month; leap seconds are left out, as most readers refuse them.
    private static let year = "(?:[1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])"
    private static let leapYear =
        "(?:(?:0[48]|[2468][048]|[13579][26])00|[0-9]{2}(?:0[48]|[2468][048]|[13579][26]))"
    private static let fullDate =
        "\(year)-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)"
        + "|02-(?:0[1-9]|1[0-9]|2[0-8]))|\(leapYear)-02-29"
    private static let fullTime =
        "(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]{1,9})?(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])"

    // RFC 3339, appendix A.
    private static let count = "[0-9]{1,9}"
    private static let clock = "T(?:\(count)H(?:\(count)M(?:\(count)S)?)?|\(count)M(?:\(count)S)?|\(count)S)"
    private static let period =
        "P(?:(?:\(count)D|\(count)M(?:\(count)D)?|\(count)Y(?:\(count)M(?:\(count)D)?)?)(?:\(clock))?|\(clock)"
        + "|\(count)W)"

    private static let octet = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
    private static let atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]{1,64}"
    // A label holds letters, digits and inner hyphens.
    private static let label = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
    private static let host = "\(label)(?:\\.\(label))*"
    private static let ipv4Address = "(?:\(octet)\\.){3}\(octet)"

    private static let ipv6Address: String = {
        let group = "[0-9A-Fa-f]{1,4}"
        var forms = ["(?:\(group):){7}\(group)", "(?:\(group):){6}\(ipv4Address)"]
        // The groups before `::`, and after it at most as many as leave out one or more.
        for before in 0...7 {
            let head = before == 0 ? "" : "\(group)(?::\(group)){\(before - 1)}"
            let after = 7 - before
            let tail = after == 0 ? "" : "(?:\(group)(?::\(group)){0,\(after - 1)})?"
            forms.append("\(head)::\(tail)")
            // An IPv4 address takes the place of the last two groups.
            if after >= 2 { forms.append("\(head)::(?:\(group):){0,\(after - 2)}\(ipv4Address)") }
        }
        return forms.joined(separator: "|")
    }()

    // RFC 3986 with an authority, or a scheme and a path without white space. Brackets enclose an IPv6 address as the
    // host, and stand nowhere else.
    private static let uriCharacter = "(?:[A-Za-z0-9._~:/?#@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})"
    private static let userInformation = "(?:(?:[A-Za-z0-9._~:!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*@)?"
    private static let addressed =
        "//\(userInformation)\\[(?:\(ipv6Address))\\](?::[0-9]{0,5})?(?:[/?#]\(uriCharacter)*)?"
    private static let absoluteURI = "[A-Za-z][A-Za-z0-9+.-]{0,31}:(?:\(uriCharacter)+|\(addressed))"
}
