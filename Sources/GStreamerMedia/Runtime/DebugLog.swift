import CGStreamer
import Glibc

/// Writes debug lines in GStreamer's debug category `framegrep`: `GST_DEBUG=framegrep:5` shows them, among GStreamer's own lines and in
/// their form. docs/DEBUGGING.md lists the lines of each level.
///
/// Not a channel for users: nothing is printed unless it is asked for, and nothing may depend on it. A line that is not shown is not even
/// composed, and costs a comparison. Passwords are removed. Safe to use from any thread.
public enum DebugLog {
    /// Something went wrong and the pipeline stands still: level 1.
    static func error(
        _ text: @autoclosure () -> String, file: StaticString = #fileID, function: StaticString = #function,
        line: UInt = #line
    ) { write(GST_LEVEL_ERROR, text: text, file: file, function: function, line: line) }

    /// Something is not as it should be: level 2.
    public static func warning(
        _ text: @autoclosure () -> String, file: StaticString = #fileID, function: StaticString = #function,
        line: UInt = #line
    ) { write(GST_LEVEL_WARNING, text: text, file: file, function: function, line: line) }

    /// For a few events in a run: states, formats, openings. Level 4.
    public static func info(
        _ text: @autoclosure () -> String, file: StaticString = #fileID, function: StaticString = #function,
        line: UInt = #line
    ) { write(GST_LEVEL_INFO, text: text, file: file, function: function, line: line) }

    /// For each reading: level 5.
    public static func debug(
        _ text: @autoclosure () -> String, file: StaticString = #fileID, function: StaticString = #function,
        line: UInt = #line
    ) { write(GST_LEVEL_DEBUG, text: text, file: file, function: function, line: line) }

    /// For each frame: level 6.
    public static func log(
        _ text: @autoclosure () -> String, file: StaticString = #fileID, function: StaticString = #function,
        line: UInt = #line
    ) { write(GST_LEVEL_LOG, text: text, file: file, function: function, line: line) }

    /// Whether any level is wanted: for lines that take preparation.
    static var isOn: Bool { fgst_debug_is_wanted(category, GST_LEVEL_ERROR) != 0 || drawsGraphs }

    /// Whether pipelines are to be drawn; GStreamer reads the variable when it starts, too.
    static let drawsGraphs = getenv("GST_DEBUG_DUMP_DOT_DIR") != nil

    // nonisolated(unsafe): made once; GStreamer keeps it for ever and reads and writes its level atomically.
    private nonisolated(unsafe) static let category = fgst_new_debug_category(
        "framegrep", "framegrep: pipelines, what is read and why")

    private static func write(
        _ level: GstDebugLevel, text: () -> String, file: StaticString, function: StaticString, line: UInt
    ) {
        guard fgst_debug_is_wanted(category, level) != 0 else { return }
        file.withUTF8Buffer { file in
            function.withUTF8Buffer { function in
                // A static string's bytes end in a zero.
                gst_debug_log_literal(
                    category, level, chars(file), chars(function), gint(clamping: line), nil, redacted(text()))
            }
        }
    }

    private static func chars(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafePointer<CChar>? {
        UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self)
    }
}
