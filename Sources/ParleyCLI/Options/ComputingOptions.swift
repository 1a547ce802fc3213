// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
public import ParleyTensor

/// The options of commands that compute.
struct ComputingOptions: ParsableArguments {
    @Option(parsing: .unconditional, help: "Threads to compute with. (default: one for each core)")
    var threads: Int?

    @Option(help: "Instruction set of the kernels. (default: the best this machine has)")
    var isa: InstructionSet?

    mutating func validate() throws {
        if let threads, !(1...1_024).contains(threads) {
            throw ValidationError("--threads must be from 1 to 1024, not \(threads).")
        }
        if let isa, !isa.isAvailable {
            let available = InstructionSet.allCases.filter(\.isAvailable).map(\.rawValue).joined(separator: ", ")
            throw ValidationError("This machine cannot run --isa \(isa.rawValue). It can run: \(available).")
        }
    }

    /// The kernels to use.
    var instructionSet: InstructionSet { isa ?? .best }
}

extension InstructionSet: ExpressibleByArgument {}
