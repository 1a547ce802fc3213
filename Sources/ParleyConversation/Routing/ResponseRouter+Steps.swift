// SPDX-License-Identifier: Apache-2.0

extension ResponseRouter {
    /// Sorts one scalar, which stands before the cursor.
    mutating func step(_ scalar: Unicode.Scalar) {
        if section == .bareCall { return stepBareCall(scalar) }
        // White space behind a tag belongs to it; no marker begins there.
        if section != .call, whitespace == .drop, matcher.held.isEmpty, scalar.properties.isWhitespace { return }
        let table = table
        let step = matcher.accept(scalar, markers: table.scalars)
        let markerLength = step.found.map { table.scalars[$0].count } ?? 0
        guard route(step.released, endingAt: cursor - markerLength - matcher.held.count) else { return }
        if let found = step.found { cross(table.markers[found], length: markerLength) }
    }

    /// Puts scalars that are part of no marker, and stand before a place of the raw output, where they belong.
    ///
    /// - Returns: false where a bare call has begun among them: then sorting goes on behind its brace.
    private mutating func route(_ scalars: [Unicode.Scalar], endingAt end: Int) -> Bool {
        for (index, scalar) in zip((end - scalars.count)..., scalars) {
            if section == .text, beginsBareCall(scalar) {
                openBareCall(at: index)
                return false
            }
            route(scalar)
        }
        return true
    }

    private func beginsBareCall(_ scalar: Unicode.Scalar) -> Bool {
        allowsBareCall && !hasText && whitespace != .keep && scalar == "{"
    }

    private var table: RouterMarkers.Table {
        switch section {
        case .text: hasText ? markers.text : markers.textStart
        case .reasoning: hasReasoning ? markers.reasoning : markers.reasoningStart
        case .call: markers.call
        case .bareCall: markers.none
        }
    }

    private mutating func route(_ scalar: Unicode.Scalar) {
        switch section {
        case .call, .bareCall: call.body.append(scalar)
        case .text: routeText(scalar)
        case .reasoning: routeReasoning(scalar)
        }
    }

    private mutating func routeText(_ scalar: Unicode.Scalar) {
        if whitespace != .keep {
            if scalar.properties.isWhitespace {
                if whitespace == .hold { heldWhitespace.append(scalar) }
                return
            }
        }
        releaseWhitespace(.text)
        whitespace = .keep
        hasText = true
        buffer.append(scalar, .text)
    }

    private mutating func routeReasoning(_ scalar: Unicode.Scalar) {
        if scalar.properties.isWhitespace {
            if whitespace != .drop { heldWhitespace.append(scalar) }
            return
        }
        releaseWhitespace(.reasoning)
        whitespace = .hold
        hasReasoning = true
        buffer.append(scalar, .reasoning)
    }

    mutating func releaseWhitespace(_ kind: PartBuffer.Kind) {
        for scalar in heldWhitespace { buffer.append(scalar, kind) }
        heldWhitespace = []
    }

    /// Goes from one section to the next at a marker, whose scalars stand before the cursor.
    private mutating func cross(_ marker: RouterMarkers.Marker, length: Int) {
        switch marker {
        case .stop:
            releaseWhitespace(.text)
            raw.removeSubrange((cursor - length)...)
            cursor = raw.count
            hasStopped = true
            buffer.settle()
        case .reasoningOpening:
            enter(.reasoning)
        case .reasoningClosing:
            enter(.text)
        case .callOpening:
            enter(.call)
            call = OpenCall(start: cursor - length, bodyStart: cursor)
        case .callClosing:
            closeCall(markerLength: length)
        }
    }

    /// White space that was held before the tag is the tag's, and so is what follows.
    mutating func enter(_ next: Section) {
        heldWhitespace = []
        whitespace = .drop
        section = next
        buffer.settle()
    }

    /// Lets out what the section holds back when the output ends.
    mutating func closeSection(_ reason: FinishReason) {
        // Where a bare call begins, what comes behind it is sorted anew, and may be held back again.
        while !matcher.held.isEmpty, !route(matcher.finish(), endingAt: cursor) { advance() }
        switch section {
        case .text: releaseWhitespace(.text)
        case .reasoning: releaseWhitespace(.reasoning)
        case .call: finishCall(reason)
        case .bareCall: finishBareCall(reason)
        }
    }
}
