// SPDX-License-Identifier: Apache-2.0

/// The names that are most similar to a misspelt one, the nearest first. The edit distance must be at most a third of
/// the name's length.
///
/// The part after a `:` is compared too; case does not matter.
package func nearestNames(to name: String, among names: [String], limit: Int = 1) -> [String] {
    let wanted = Array(name.lowercased().unicodeScalars)
    guard (3...100).contains(wanted.count) else { return [] }
    return names.enumerated()
        .map { (offset: $0.offset, name: $0.element, distance: distance(wanted, $0.element)) }
        .filter { $0.distance <= wanted.count / 3 }
        .sorted { ($0.distance, $0.offset) < ($1.distance, $1.offset) }
        .prefix(limit).map(\.name)
}

/// The smallest number of insertions, deletions and replacements (Levenshtein distance) that turn `a` into `name` or
/// into a prefix of `name`. Prefixes count because names are often shortened at the end.
private func distance(_ a: [Unicode.Scalar], _ name: String) -> Int {
    let b = Array(name.lowercased().unicodeScalars.prefix(200))
    var row = Array(0...b.count)
    for (i, x) in a.enumerated() {
        var diagonal = row[0]
        row[0] = i + 1
        for (j, y) in b.enumerated() {
            let replaced = diagonal + (x == y ? 0 : 1)
            diagonal = row[j + 1]
            row[j + 1] = min(replaced, row[j] + 1, row[j + 1] + 1)
        }
    }
    return row.min() ?? 0
}
