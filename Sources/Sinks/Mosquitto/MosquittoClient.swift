import CMosquitto
import Errors
import Foundation

/// A connection to a broker. Used by one thread only, on which its callbacks are called too.
///
/// Owns the C client and frees it. Its callbacks only store data; the owner looks at it later.
final class MosquittoClient {
    /// A message that came.
    struct Message {
        var topic: String
        var payload: [UInt8]
    }

    /// libmosquitto's own set-up, once: it is not safe on several threads.
    private static let isReady = mosquitto_lib_init() == MOSQ_ERR_SUCCESS.rawValue

    private let client: OpaquePointer
    private let settings: BrokerSettings
    private var hasConnected = false
    /// The broker has said yes.
    fileprivate(set) var isConnected = false {
        didSet { if isConnected { hasAgreed = true } }
    }
    /// The broker had said yes to the connection, which may be lost by now.
    private var hasAgreed = false
    /// The reason for a refusal; cleared when it is read.
    fileprivate var refusal: String?
    /// The numbers of messages that it has acknowledged since that was last asked.
    fileprivate var acknowledged: [Int32] = []
    fileprivate var messages: [Message] = []
    /// Error lines of libmosquitto since a connection was begun: of encryption its statuses say only that it failed.
    fileprivate var complaints: [String] = []

    /// - Throws: ``FramegrepError`` (`noticeFailed`, `badArgument` for certificates that cannot be read).
    init(_ settings: BrokerSettings) throws(FramegrepError) {
        guard Self.isReady, let client = mosquitto_new(settings.clientName, true, nil) else {
            throw FramegrepError(.noticeFailed, "libmosquitto, which speaks MQTT, cannot be started.")
        }
        (self.client, self.settings) = (client, settings)
        // The object outlives the C client, which it destroys itself.
        mosquitto_user_data_set(client, Unmanaged.passUnretained(self).toOpaque())
        mosquitto_connect_callback_set(client, heardConnection)
        mosquitto_disconnect_callback_set(client, heardDisconnection)
        mosquitto_publish_callback_set(client, heardAcknowledgement)
        mosquitto_message_callback_set(client, heardMessage)
        mosquitto_log_callback_set(client, heardLog)
        mosquitto_username_pw_set(client, settings.user, settings.password)
        let offline = Array("offline".utf8)
        mosquitto_will_set(client, settings.statusTopic, Int32(offline.count), offline, 1, true)
        guard settings.address.isEncrypted else { return }
        let folder = settings.certificates == nil ? "/etc/ssl/certs" : nil
        if let file = settings.certificates { try Self.checkCertificates(file) }
        let status = mosquitto_tls_set(client, settings.certificates, folder, nil, nil, nil)
        guard status == MOSQ_ERR_SUCCESS.rawValue else {
            throw FramegrepError(
                .badArgument,
                "The certificates \(settings.certificates ?? "/etc/ssl/certs") cannot be used: \(Self.reason(status)). Name a file with --mqtt-ca."
            )
        }
    }

    deinit { mosquitto_destroy(client) }

    /// libmosquitto looks into the file when it connects, and then says no more than that the encryption failed.
    private static func checkCertificates(_ path: String) throws(FramegrepError) {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw FramegrepError(.badArgument, "The file \(path) of --mqtt-ca cannot be read.")
        }
        guard data.firstRange(of: Data("-----BEGIN CERTIFICATE-----".utf8)) != nil else {
            throw FramegrepError(
                .badArgument,
                "The file \(path) of --mqtt-ca has no certificate in it; it holds those of the authorities to trust (PEM)."
            )
        }
    }

    /// Where its bytes come in; negative if there is no connection.
    var descriptor: Int32 { mosquitto_socket(client) }
    var wantsToWrite: Bool { mosquitto_want_write(client) }

    /// Opens a connection; ``isConnected`` says later whether the broker agreed. Blocks while the name is looked up and the host is reached.
    ///
    /// - Returns: why there is no connection; nil if it is open.
    func connect() -> String? {
        (refusal, complaints, hasAgreed) = (nil, [], false)
        let status =
            hasConnected
            ? mosquitto_reconnect(client)
            : mosquitto_connect(client, settings.address.host, Int32(settings.address.port), 30)
        // From then on it knows the broker's address; before, it has to be given.
        if status == MOSQ_ERR_SUCCESS.rawValue { hasConnected = true }
        return status == MOSQ_ERR_SUCCESS.rawValue ? nil : reason(status)
    }

    /// Reads and writes as far as possible, and keeps the connection alive; calls back meanwhile.
    ///
    /// - Returns: why the connection is lost; nil while it is not.
    func work(canRead: Bool) -> String? {
        var status = MOSQ_ERR_SUCCESS.rawValue
        if canRead { status = mosquitto_loop_read(client, 100) }
        if status == MOSQ_ERR_SUCCESS.rawValue, wantsToWrite { status = mosquitto_loop_write(client, 100) }
        if status == MOSQ_ERR_SUCCESS.rawValue { status = mosquitto_loop_misc(client) }
        guard status != MOSQ_ERR_SUCCESS.rawValue || descriptor < 0 else { return nil }
        defer { isConnected = false }
        // Of a connection that was encrypted OpenSSL complains when it is closed.
        let isClosed = descriptor < 0 && complaints.isEmpty || hasAgreed && isEncrypted
        return refusal ?? (isClosed ? ConnectionProblem.closed(hasAgreed, isEncrypted) : reason(status))
    }

    func subscribe(to topic: String) { mosquitto_subscribe(client, nil, topic, 0) }

    /// Statuses that say what is wrong with a message, which libmosquitto has not taken. With any other it has the message, or may have it:
    /// most are about the connection, over which it has tried to send at once.
    private static let refusals = Set(
        [
            MOSQ_ERR_INVAL, MOSQ_ERR_MALFORMED_UTF8, MOSQ_ERR_PAYLOAD_SIZE, MOSQ_ERR_OVERSIZE_PACKET,
            MOSQ_ERR_NOT_SUPPORTED, MOSQ_ERR_QOS_NOT_SUPPORTED,
        ].map { $0.rawValue })

    /// Sends with an acknowledgement (QoS 1). Where the connection is lost meanwhile, libmosquitto sends it with the next one.
    ///
    /// - Returns: the number that its acknowledgement will have; nil if libmosquitto refuses it.
    func publish(_ payload: [UInt8], to topic: String, isRetained: Bool) -> Int32? {
        var number: Int32 = 0
        let status = mosquitto_publish(client, &number, topic, Int32(payload.count), payload, 1, isRetained)
        return Self.refusals.contains(status) ? nil : number
    }

    /// Says good-bye: the broker does not publish the will.
    func disconnect() {
        mosquitto_disconnect(client)
        isConnected = false
    }

    func takeAcknowledged() -> [Int32] {
        defer { acknowledged = [] }
        return acknowledged
    }

    func takeMessages() -> [Message] {
        defer { messages = [] }
        return messages
    }

    private var isEncrypted: Bool { settings.address.isEncrypted }

    private func reason(_ status: Int32) -> String {
        isEncrypted && !complaints.isEmpty ? ConnectionProblem.encryption(complaints) : Self.reason(status)
    }

    private static func reason(_ status: Int32) -> String {
        if status == MOSQ_ERR_ERRNO.rawValue { return String(cString: strerror(errno)) }
        return mosquitto_strerror(status).map {
            String(cString: $0).trimmingCharacters(in: CharacterSet(charactersIn: " ."))
        }
            ?? "error \(status)"
    }
}

private func owner(_ object: UnsafeMutableRawPointer?) -> MosquittoClient? {
    object.map { Unmanaged<MosquittoClient>.fromOpaque($0).takeUnretainedValue() }
}

private func heardConnection(_: OpaquePointer?, _ object: UnsafeMutableRawPointer?, _ status: Int32) {
    guard let client = owner(object) else { return }
    client.isConnected = status == 0
    guard status != 0 else { return }
    client.refusal = ConnectionProblem.refusal(
        status, mosquitto_connack_string(status).map { String(cString: $0) } ?? "refused")
}

private func heardDisconnection(_: OpaquePointer?, _ object: UnsafeMutableRawPointer?, _: Int32) {
    owner(object)?.isConnected = false
}

private func heardAcknowledgement(_: OpaquePointer?, _ object: UnsafeMutableRawPointer?, _ number: Int32) {
    owner(object)?.acknowledged.append(number)
}

private func heardLog(
    _: OpaquePointer?, _ object: UnsafeMutableRawPointer?, _ level: Int32, _ text: UnsafePointer<CChar>?
) {
    // MOSQ_LOG_ERR, the fourth bit.
    guard level == 1 << 3, let client = owner(object), let text, client.complaints.count < 20 else { return }
    client.complaints.append(String(cString: text))
}

private func heardMessage(
    _: OpaquePointer?, _ object: UnsafeMutableRawPointer?, _ message: UnsafePointer<mosquitto_message>?
) {
    guard let client = owner(object), let message = message?.pointee, let topic = message.topic,
        // Messages may come from anyone and must not fill the memory.
        message.payloadlen <= 1 << 16, client.messages.count < 100
    else { return }
    let bytes = UnsafeRawBufferPointer(start: message.payload, count: Int(message.payloadlen))
    client.messages.append(MosquittoClient.Message(topic: String(cString: topic), payload: Array(bytes)))
}

/// Why there is no connection to a broker, in words that help: libmosquitto only says "A TLS error occurred"; the reason is in its
/// log.
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
        if says("wrong version number") || says("packet length too long") {
            return "it does not speak TLS at this port"
        }
        if says("unexpected eof") {
            return "it closed the connection before that was encrypted; does it speak TLS at this port?"
        }
        if says("certificate required") { return "it wants a client certificate, which framegrep cannot give" }
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
            + (isEncrypted ? "" : "; if it wants TLS, the address begins with mqtts")
    }
}
