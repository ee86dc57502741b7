/// The version of the library and of the command.
public let thawVersion = "0.1.0"
