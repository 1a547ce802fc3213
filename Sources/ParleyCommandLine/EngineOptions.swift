// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
public import ParleyRuntime

extension CacheType: ExpressibleByArgument {}
extension PowerPolicy: ExpressibleByArgument {}
