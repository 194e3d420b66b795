/// A pipeline description without the passwords in it, whether they are values of properties or stand in addresses.
public func redacted(description: String) -> String {
    let text = DescriptionText(description)
    text.remember()
    return text.shown
}

/// The file, address or device of the only source in a pipeline description, fit for showing; nil if no source names one, or there are
/// several.
public func sourceName(inDescription description: String) -> String? {
    let names = DescriptionText(description).sources
    return names.count == 1 ? names[0] : nil
}

/// Remembers the secrets in an argument of the command line, so that they are masked in all messages from now on.
public func rememberSecrets(inArgument argument: String) {
    let scalars = Array(argument.unicodeScalars)
    guard let mark = WrittenAddress.mark(in: scalars, from: 0),
        let start = WrittenAddress.startOfScheme(in: scalars, before: mark)
    else {
        // Without an address it may still be a description with a property.
        if argument.contains("!") { DescriptionText(argument).remember() }
        return
    }
    if argument.contains("!") { DescriptionText(argument).remember() }
    if let address = WrittenAddress(String(String.UnicodeScalarView(scalars[start...]))), !argument.contains(" ! ") {
        KnownTexts.remember(address)
    }
}
