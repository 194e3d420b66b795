/// Why there is no connection to a broker, in words that lead somewhere: libmosquitto's own are "A TLS error occurred", and the rest is in
/// its log.
enum ConnectionProblem {
    /// - Parameter complaints: what libmosquitto and OpenSSL said while they tried.
    static func encryption(_ complaints: [String]) -> String {
        func says(_ words: String) -> Bool { complaints.contains { $0.contains(words) } }
        // OpenSSL says that the certificate failed after libmosquitto has said that it was its name.
        if says("host name verification failed") {
            return "its certificate is for another host than that of the address"
        }
        if says("certificate verify failed") {
            return "its certificate is not to be trusted: it is not valid today, or not of an authority that is known "
                + "(--mqtt-ca)"
        }
        if says("wrong version number") || says("packet length too long") { return "it speaks no TLS at this port" }
        if says("unexpected eof") {
            return "it closed the connection before that was encrypted; does it speak TLS at this port?"
        }
        if says("certificate required") { return "it wants a certificate of ours, which cannot be given" }
        // `OpenSSL Error[0]: error:0A000086:SSL routines::certificate verify failed`
        let last = complaints.last?.split(separator: ":").last.map { $0.drop { $0 == " " } }
        return "the encryption failed" + (last.map { " (\($0))" } ?? "")
    }

    /// - Parameters:
    ///   - status: the broker's (MQTT 3.1.1, table 3.1).
    ///   - text: libmosquitto's for it.
    static func refusal(_ status: Int32, _ text: String) -> String {
        // Brokers say one or the other of a wrong password.
        if status == 4 || status == 5 { return "it refuses user and password, or wants some" }
        let name = text.split(separator: ":").last.map { $0.drop { $0 == " " } } ?? "refused"
        return "it refuses us (\(name.hasSuffix(".") ? String(name.dropLast()) : String(name)))"
    }

    /// - Parameters:
    ///   - hadAgreed: the broker had said yes before.
    static func closed(_ hadAgreed: Bool, _ isEncrypted: Bool) -> String {
        if hadAgreed { return "it closed the connection" }
        return "it closed the connection at once"
            + (isEncrypted ? "" : "; where it wants TLS, the address begins with mqtts")
    }
}
