/// Decides whether a network address is public, or inside of a machine or a private network.
///
/// Sources: IANA's registries of special-purpose addresses (RFC 6890, RFC 8190), as of 2024.
enum AddressRange {
    /// - Parameter address: 4 or 16 bytes in the order of the network.
    /// - Returns: true for loopback, link-local, private, shared, multicast and reserved addresses, also where they are
    ///   wrapped into IPv6; and for invalid addresses.
    static func isPrivate(_ address: [UInt8]) -> Bool {
        switch address.count {
        case 4: privateIPv4.contains { $0.contains(address) }
        case 16:
            if let wrapped = wrappedIPv4(address) { isPrivate(wrapped) } else { !isGlobalIPv6(address) }
        default: true
        }
    }

    private struct Block {
        let prefix: [UInt8]
        let bits: Int

        init(_ prefix: UInt8..., bits: Int) {
            self.prefix = prefix
            self.bits = bits
        }

        func contains(_ address: [UInt8]) -> Bool {
            for index in 0..<((bits + 7) / 8) {
                let mask = UInt8(truncatingIfNeeded: 0xFF00 >> min(8, bits - index * 8))
                let wanted = index < prefix.count ? prefix[index] : 0
                if address[index] & mask != wanted & mask { return false }
            }
            return true
        }
    }

    private static let privateIPv4 = [
        Block(0, bits: 8), Block(10, bits: 8), Block(100, 64, bits: 10), Block(127, bits: 8), Block(169, 254, bits: 16),
        Block(172, 16, bits: 12), Block(192, 0, 0, bits: 24), Block(192, 168, bits: 16), Block(198, 18, bits: 15),
        Block(224, bits: 4), Block(240, bits: 4),
    ]

    /// All public addresses (2000::/3), except those for special purposes (2001::/23).
    private static func isGlobalIPv6(_ address: [UInt8]) -> Bool {
        Block(0x20, bits: 3).contains(address) && !Block(0x20, 0x01, 0x00, bits: 23).contains(address)
    }

    /// `::ffff:a.b.c.d`, the translation prefix `64:ff9b::/96`, and 6to4 (`2002:a.b.c.d::/48`).
    private static func wrappedIPv4(_ address: [UInt8]) -> [UInt8]? {
        if address[0..<10].allSatisfy({ $0 == 0 }), address[10] == 0xFF, address[11] == 0xFF {
            return Array(address[12...])
        }
        if address[0..<12].elementsEqual([0, 0x64, 0xFF, 0x9B] + [UInt8](repeating: 0, count: 8)) {
            return Array(address[12...])
        }
        if address[0] == 0x20, address[1] == 0x02 { return Array(address[2..<6]) }
        return nil
    }
}
