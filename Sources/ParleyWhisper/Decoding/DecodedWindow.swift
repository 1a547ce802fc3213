// SPDX-License-Identifier: Apache-2.0

/// What one decoding of a window gave.
struct DecodedWindow {
    /// The tokens, time stamps included, without the end.
    var tokens: [Int32] = []
    /// The logarithm of the probability of each of them.
    var logProbabilities: [Float] = []
    /// The sum of those of all tokens, and of the end if it was reached.
    var sum = 0.0
    /// Whether the model ended the text itself.
    var hasEnded = false
    /// The probability that nobody speaks.
    var noSpeech = 0.0
    var temperature = 0.0
    /// How many steps it took.
    var steps = 0

    /// The mean logarithm of the probability of the tokens.
    var averageLogProbability: Double { sum / Double(tokens.count + 1) }
}
