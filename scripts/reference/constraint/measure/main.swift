import Foundation
import ParleyConstraint
import ParleyJSON
import ParleyModelFile
import ParleyRuntime
import ParleyTokenizer

// maskbench check SCHEMAS.json  -> verdicts
let arguments = CommandLine.arguments
let clock = ContinuousClock()
func us(_ duration: Duration) -> Double { Double(duration.components.attoseconds) / 1e12 + Double(duration.components.seconds) * 1e6 }
func load(_ path: String) throws -> JSONValue { try JSONValue(parsing: Data(contentsOf: URL(filePath: path))) }
switch arguments[1] {
case "check":
    let file = try load(arguments[2])
    for entry in file.array ?? [] {
        let name = entry["name"]?.string ?? "?"
        do {
            let start = clock.now
            let program = try ConstraintProgram(schema: entry["schema"] ?? true)
            let time = us(clock.now - start)
            var wrong: [String] = []
            for instance in entry["instances"]?.array ?? [] {
                let expected = instance["valid"]?.bool ?? false
                if program.accepts(instance["value"] ?? nil) != expected { wrong.append("\(expected) \(instance["value"]!.text())") }
            }
            print("\(wrong.isEmpty ? "ok  " : "FAIL") \(name) \(Int(time)) us")
            for text in wrong { print("     expected \(text.prefix(600))") }
        } catch { print("ERR  \(name): \(error)") }
    }
case "bench":
    // bench MODEL WORK.json OUT.json: schemas with a text each, cut into tokens by the tokenizer
    let tokenizer = try Tokenizer(GGUFFile(contentsOf: URL(filePath: arguments[2])).tokenizerDescription())
    var start = clock.now
    let trie = TokenTrie(tokenizer)
    print("trie \(us(clock.now - start) / 1000) ms, \(trie.vocabularySize) tokens")
    var all: [Double] = []
    var compile: [Double] = []
    var steps: [Double] = []
    for entry in try load(arguments[3]).array ?? [] {
        start = clock.now
        let program = try ConstraintProgram(schema: entry["schema"] ?? true)
        compile.append(us(clock.now - start))
        let masks = TokenMasks(program, trie)
        var times: [Double] = []
        for text in entry["texts"]?.array ?? [] {
            var constraint = Constraint(masks)
            var mask = TokenMask(vocabularySize: trie.vocabularySize)
            for token in tokenizer.encode(text.string ?? "") {
                start = clock.now
                constraint.allow(into: &mask)
                let end = clock.now
                times.append(us(end - start))
                if !mask[token] { print("NOT ALLOWED \(entry["name"]!): \(tokenizer.spelling(of: token) ?? "")"); break }
                _ = constraint.accept(token)
                steps.append(us(clock.now - end))
            }
        }
        all += times
        if arguments.count > 4 { print(entry["name"]!.text(), compile.last!, times.sorted()[times.count / 2], times.max()!) }
    }
    func percentile(_ values: [Double], _ p: Double) -> Double { let sorted = values.sorted(); return sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, Int(Double(sorted.count) * p))] }
    print("compile us median \(percentile(compile, 0.5)) max \(compile.max() ?? 0)")
    print("mask us: n \(all.count) mean \(all.reduce(0, +) / Double(max(all.count, 1))) median \(percentile(all, 0.5)) p90 \(percentile(all, 0.9)) p99 \(percentile(all, 0.99)) max \(all.max() ?? 0)")
    print("advance us: median \(percentile(steps, 0.5)) p99 \(percentile(steps, 0.99))")
default: print("?")
}
