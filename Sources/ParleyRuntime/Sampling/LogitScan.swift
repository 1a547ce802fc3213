// SPDX-License-Identifier: Apache-2.0

/// Visits, in order, the logits above a threshold, which the visitor may raise.
///
/// Most logits lie below the threshold, so sixteen are compared at a time. A vocabulary of 262,144 tokens takes tens of
/// microseconds.
///
/// - Parameters:
///   - logits: one value per token.
///   - threshold: the initial threshold; values equal to it, and NaN, are skipped.
///   - visit: receives a token and its logit, and returns the new threshold.
@inline(__always)
func scan(
    _ logits: UnsafeMutableBufferPointer<Float>, above threshold: Float, _ visit: (Int, Float) -> Float
) {
    guard let base = UnsafeRawPointer(logits.baseAddress) else { return }
    var threshold = threshold
    var token = 0
    while token < logits.count {
        let end = min(token + 16, logits.count)
        if end - token == 16 {
            let values = base.loadUnaligned(fromByteOffset: token &* 4, as: SIMD16<Float>.self)
            guard any(values .> threshold) else {
                token = end
                continue
            }
        }
        while token < end {
            let logit = logits[token]
            if logit > threshold { threshold = visit(token, logit) }
            token += 1
        }
    }
}
