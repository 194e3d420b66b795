import ArgumentParser

/// The format of `find`'s results.
enum SightingFormat: String, ExpressibleByArgument, CaseIterable {
    case text, jsonl, csv, srt, vtt
}

/// How `devices` lists cameras.
enum DeviceFormat: String, ExpressibleByArgument, CaseIterable {
    case text, json
}

/// How `explain` answers.
enum ExplanationFormat: String, ExpressibleByArgument, CaseIterable {
    case text, json
}
