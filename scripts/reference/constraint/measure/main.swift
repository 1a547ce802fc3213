// SPDX-License-Identifier: Apache-2.0

// The Swift half of the scripts beside this folder: reads work from files, writes results to files.
//
//     constraint-measure time MODEL WORK OUT      times compiling, masks and steps along given texts
//     constraint-measure dump MODEL WORK OUT      the vocabulary and the texts as token ids, for other engines
//     constraint-measure generate MODEL WORK OUT  replies drawn from random logits
//     constraint-measure check WORK               what does not agree with recorded verdicts

import Foundation
import ParleyConstraint
import ParleyJSON
import ParleyModelFile
import ParleyRuntime
import ParleyTokenizer

struct Work {
    var name: String
    var schema: JSONValue
    var texts: [String]
    var instances: [JSONValue]

    static func read(_ path: String) throws -> [Work] {
        let file = try JSONValue(parsing: Data(contentsOf: URL(filePath: path)))
        return (file["schemas"]?.array ?? file.array ?? []).map { entry in
            Work(
                name: entry["name"]?.string ?? "", schema: entry["schema"] ?? nil,
                texts: (entry["texts"]?.array ?? []).compactMap(\.string), instances: entry["instances"]?.array ?? [])
        }
    }
}

/// The processor time of this thread, so that other work on the machine does not count.
func microseconds(_ body: () throws -> Void) rethrows -> Double {
    func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
    }
    let start = now()
    try body()
    return now() - start
}

func write(_ value: JSONValue, to path: String) throws {
    try Data(value.text().utf8).write(to: URL(filePath: path))
}

func tokenizer(_ path: String) throws -> Tokenizer {
    try Tokenizer(GGUFFile(contentsOf: URL(filePath: path)).tokenizerDescription())
}

func time(_ model: String, _ path: String, _ out: String) throws {
    let tokenizer = try tokenizer(model)
    var trie = TokenTrie([], endOfGeneration: [])
    let trieTime = microseconds { trie = TokenTrie(tokenizer) }
    var results: [JSONValue] = []
    for work in try Work.read(path) {
        var program: ConstraintProgram?
        let compile = try microseconds { program = try ConstraintProgram(schema: work.schema) }
        guard let program else { continue }
        let masks = TokenMasks(program, trie)
        var mask = TokenMask(vocabularySize: trie.vocabularySize)
        var maskTimes: [JSONValue] = []
        var stepTimes: [JSONValue] = []
        for text in work.texts {
            var constraint = Constraint(masks)
            for token in tokenizer.encode(text) {
                maskTimes.append(.number(microseconds { constraint.allow(into: &mask) }))
                guard mask[token] else { break }
                stepTimes.append(.number(microseconds { _ = constraint.accept(token) }))
            }
        }
        results.append([
            "name": .string(work.name), "compile": .number(compile), "masks": .array(maskTimes),
            "steps": .array(stepTimes),
        ])
    }
    try write(["tree": .number(trieTime), "schemas": .array(results)], to: out)
}

func dump(_ model: String, _ path: String, _ out: String) throws {
    let tokenizer = try tokenizer(model)
    let hex = (0..<tokenizer.vocabularySize).map { index -> JSONValue in
        let token = TokenID(index)
        let isText = !tokenizer.isControl(token) && !tokenizer.endOfGeneration.contains(token)
        return .string(
            isText
                ? tokenizer.bytes(of: token).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
                : "")
    }
    let texts = try Work.read(path).map { work in
        JSONValue.array(work.texts.map { .array(tokenizer.encode($0).map { .integer(Int($0)) }) })
    }
    let end = JSONValue.integer(Int(tokenizer.endOfGeneration.min() ?? 0))
    try write(["vocabulary": .array(hex), "end": end, "texts": .array(texts)], to: out)
}

/// Replies of at most 1,024 tokens; those that did not end by themselves are null.
func generate(_ model: String, _ path: String, _ out: String) throws {
    let tokenizer = try tokenizer(model)
    let trie = TokenTrie(tokenizer)
    let closing = Set(["\"", "]", "}", "}}", "\"}"].compactMap { tokenizer.encode($0).last })
    var random = SystemRandomNumberGenerator()
    var results: [JSONValue] = []
    for work in try Work.read(path) {
        let masks = TokenMasks(try ConstraintProgram(schema: work.schema), trie)
        for _ in 0..<20 {
            var constraint = Constraint(masks)
            var mask = TokenMask(vocabularySize: trie.vocabularySize)
            var bytes: [UInt8] = []
            var hasEnded = false
            for step in 0..<1_024 {
                constraint.allow(into: &mask)
                let allowed = (0..<trie.vocabularySize).map { TokenID($0) }.filter { mask[$0] }
                if allowed.isEmpty { bytes = Array("dead end".utf8) }
                let closers = allowed.filter(closing.contains)
                let favours = !closers.isEmpty && Int.random(in: 0..<300, using: &random) < step + 60
                guard let token = (favours ? closers : allowed).randomElement(using: &random) else { break }
                hasEnded = tokenizer.endOfGeneration.contains(token)
                if hasEnded { break }
                bytes += tokenizer.bytes(of: token)
                _ = constraint.accept(token)
            }
            let text = JSONValue.string(String(decoding: bytes, as: UTF8.self))
            results.append([
                "name": .string(work.name), "text": hasEnded || bytes == Array("dead end".utf8) ? text : nil,
            ])
        }
    }
    try write(.array(results), to: out)
}

func check(_ path: String) throws {
    for work in try Work.read(path) {
        let program: ConstraintProgram
        do { program = try ConstraintProgram(schema: work.schema) } catch {
            print("\(work.name): \(error)")
            continue
        }
        for instance in work.instances {
            let (value, expected) = (instance["value"] ?? nil, instance["valid"]?.bool ?? false)
            if program.accepts(value) != expected { print("\(work.name): expected \(expected): \(value)") }
        }
    }
}

let arguments = CommandLine.arguments.dropFirst()
switch (arguments.first, arguments.dropFirst().map { $0 }) {
case ("time", let paths) where paths.count == 3: try time(paths[0], paths[1], paths[2])
case ("dump", let paths) where paths.count == 3: try dump(paths[0], paths[1], paths[2])
case ("generate", let paths) where paths.count == 3: try generate(paths[0], paths[1], paths[2])
case ("check", let paths) where paths.count == 1: try check(paths[0])
default: print("usage: constraint-measure time|dump|generate MODEL WORK OUT, or check WORK")
}
