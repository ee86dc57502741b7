/// The version of the library and of the command.
package let thawVersion = "0.1.0"
