import Thaw

// What the commands do stands here until each has its file.

func runConvert(_ arguments: Arguments, _ console: Console) throws -> ExitStatus { throw Failure.later("convert") }
func runClassify(_ arguments: Arguments, _ console: Console) throws -> ExitStatus { throw Failure.later("classify") }
func runRun(_ arguments: Arguments, _ console: Console) throws -> ExitStatus { throw Failure.later("run") }
func runBenchmark(_ arguments: Arguments, _ console: Console) throws -> ExitStatus { throw Failure.later("benchmark") }
func runInspect(_ arguments: Arguments, _ console: Console) throws -> ExitStatus { throw Failure.later("inspect") }
