import Thaw

extension Phrase {
    /// The text, with options, commands and arguments as typed on the command line.
    var forCommand: String {
        spelled(
            \.forCommand, task: \.forCommand,
            inputs: { names in names.map { "\($0)=FILE.npy" }.joined(separator: " ") })
    }
}

extension Failure {
    /// The failure of a command, ready to be shown: its messages are spelled.
    var forCommand: Failure {
        var copy = self
        copy.problem = "\(problem.forCommand)"
        copy.remedy = remedy.map { "\($0.forCommand)" }
        copy.hint = hint.map { "\($0.forCommand)" }
        return copy
    }
}
