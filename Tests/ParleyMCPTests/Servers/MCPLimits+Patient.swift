// SPDX-License-Identifier: Apache-2.0

import ParleyMCP

extension MCPLimits {
    /// Limits that no machine reaches, however busy it is.
    static var patient: MCPLimits {
        var limits = MCPLimits()
        let long = Duration.seconds(600)
        (limits.connecting, limits.request, limits.closing) = (long, long, long)
        return limits
    }
}
