import Thaw

public func runCommand(_ arguments: [String]) -> Int32 { 0 }
