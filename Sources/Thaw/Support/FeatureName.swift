/// A name that Xcode can turn into a property: letters, digits and underscores, not starting with a digit.
func featureName(_ name: String) -> String {
    let letters = name.unicodeScalars.map { scalar -> Character in
        scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)) ? Character(scalar) : "_"
    }
    let text = String(letters)
    return text.first?.isNumber != false ? "_" + text : text
}
