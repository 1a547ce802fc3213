// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import ParleyRuntime

/// Runs cases of one subject, one after another. `scripts/fuzz` starts it, limits its memory and reports crashes.
@main
struct Fuzz: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ParleyFuzz", abstract: "Runs random cases against what reads untrusted input.")

    @Argument(help: "What to fuzz; without it, the names are listed.")
    var subject: String?

    @Option(help: "How many cases.")
    var cases = 1_000_000

    @Option(help: ArgumentHelp("How long at the most.", valueName: "seconds"))
    var seconds = 600.0

    @Option(
        help: ArgumentHelp("The number of the first case; the same number makes the same case.", valueName: "number"))
    var first: UInt64 = 0

    @Option(help: ArgumentHelp("The processor time that a case may take.", valueName: "seconds"))
    var limit = 2.0

    @Option(help: ArgumentHelp("A file that holds the number of the case being run.", valueName: "path"))
    var progress: String?

    func run() async throws {
        guard let subject else {
            for subject in subjects { print(subject.name) }
            return
        }
        guard let type = subjects.first(where: { $0.name == subject }) else {
            let names = subjects.map { $0.name }.joined(separator: ", ")
            throw ValidationError("There is no subject '\(subject)'; there are \(names).")
        }
        try await run(type)
    }

    private func run<Subject: FuzzSubject>(_ type: Subject.Type) async throws {
        let subject = try type.init()
        let journal = try progress.map { try FuzzJournal(path: $0) }
        let end = ContinuousClock.now + .seconds(seconds)
        var slowest = (number: first, seconds: 0.0)
        var number = first
        while number < first + UInt64(cases), ContinuousClock.now < end {
            journal?.write(number)
            // The number is spread over all bits, so that neighbouring cases are unrelated.
            var random = SplitMix64(seed: number &* 0xD134_2543_DE82_EF95)
            let began = processorSeconds()
            do {
                try await subject.run(&random)
            } catch {
                print("\(type.name) \(number): \(error)")
                throw ExitCode(1)
            }
            let took = processorSeconds() - began
            if took > slowest.seconds { slowest = (number, took) }
            guard took <= limit else {
                print("\(type.name) \(number): took \(took.formatted(.number.precision(.fractionLength(2)))) s")
                throw ExitCode(1)
            }
            number += 1
        }
        let time = slowest.seconds.formatted(.number.precision(.fractionLength(3)))
        print("\(type.name): \(number - first) cases from \(first); the slowest was \(slowest.number), \(time) s")
    }

    /// The time that the processors have given to this process: a busy machine makes no case slow.
    private func processorSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
