import Foundation

/// The answer to a request for a recording's own bytes: whole, in part, or not at all (RFC 9110, sections 13 and 14).
enum MediaAnswer {
    static func answer(_ file: RecordingFile, to request: PageRequest) -> PageResponse {
        let date = httpDate(file.modified)
        var headers: [(name: String, value: String)] = [
            ("Accept-Ranges", "bytes"), ("ETag", file.tag), ("Last-Modified", date),
            ("Cache-Control", "private, no-cache"),
        ]
        if request.header("if-none-match").map({ names(file.tag, in: $0) }) ?? false {
            return PageResponse(status: 304, headers: headers)
        }
        headers.append(("Content-Type", MediaType.of(fileNamed: file.path)))
        // A range of another state of the file would be put together with what the browser has of this one.
        let isSameState = request.header("if-range").map { $0 == file.tag || $0 == date } ?? true
        let asked = request.method == "GET" && isSameState ? request.header("range") : nil
        switch ByteRange(asked, size: file.size) {
        case .whole:
            return PageResponse(status: 200, headers: headers, body: body(file, 0..<file.size))
        case .part(let range):
            headers.append(("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(file.size)"))
            return PageResponse(status: 206, headers: headers, body: body(file, range))
        case .none:
            return PageProblem(
                416, "The recording has \(file.size) bytes.", headers: [("Content-Range", "bytes */\(file.size)")]
            ).response
        }
    }

    private static func body(_ file: RecordingFile, _ range: Range<Int64>) -> PageResponse.Body {
        .chunks(RecordingFile.Chunks(file, range), length: range.upperBound - range.lowerBound)
    }

    private static func names(_ tag: String, in list: String) -> Bool {
        list == "*" || list.split(separator: ",").contains { $0.drop { $0 == " " }.replacing("W/", with: "") == tag }
    }

    /// `Sun, 22 Nov 2026 12:00:00 GMT`.
    static func httpDate(_ nanoseconds: Int64) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? calendar.timeZone
        let date = Date(timeIntervalSince1970: Double(nanoseconds / 1_000_000_000))
        let parts = calendar.dateComponents([.weekday, .day, .month, .year, .hour, .minute, .second], from: date)
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let day = days[((parts.weekday ?? 1) - 1) % 7]
        let month = months[((parts.month ?? 1) - 1) % 12]
        return day
            + String(
                format: ", %02d ", parts.day ?? 1) + month
            + String(
                format: " %04d %02d:%02d:%02d GMT", parts.year ?? 1970, parts.hour ?? 0, parts.minute ?? 0,
                parts.second ?? 0)
    }
}
