/// The rotation of a still picture when it is shown, as stated by its camera: phones store pictures in the orientation of the sensor.
///
/// GStreamer turns videos by their tags, but ignores the EXIF data of JPEG files. Source: CIPA DC-008 (EXIF 2.32),
/// 4.6.4 and 4.6.8 (tag 274); 1 is upright.
public enum PictureOrientation: Int, Sendable, Hashable {
    case mirrored = 2
    case upsideDown
    case mirroredUpsideDown
    case transposed
    case right
    case transposedUpsideDown
    case left

    /// GStreamer's name of it, as in ``MediaInfo/orientation``.
    public var name: String {
        switch self {
        case .mirrored: "flip-rotate-0"
        case .upsideDown: "rotate-180"
        case .mirroredUpsideDown: "flip-rotate-180"
        case .transposed: "flip-rotate-270"
        case .right: "rotate-90"
        case .transposedUpsideDown: "flip-rotate-90"
        case .left: "rotate-270"
        }
    }

    /// The method of `videoflip` that shows it upright.
    public var direction: String {
        switch self {
        case .mirrored: "horiz"
        case .upsideDown: "180"
        case .mirroredUpsideDown: "vert"
        case .transposed: "ul-lr"
        case .right: "90r"
        case .transposedUpsideDown: "ur-ll"
        case .left: "90l"
        }
    }

    /// Reads the orientation of a JPEG file; returns nil if it is upright or does not say.
    init?(ofJPEG bytes: PictureBytes) {
        var place = 2
        // It is before the picture itself, in one of a few segments.
        for _ in 0..<64 {
            guard bytes.big(place, 1) == 0xFF else { return nil }
            let marker = bytes.big(place + 1, 1)
            if marker == 0xE1, bytes.read(place + 4, 6).elementsEqual("Exif\0\0".utf8) {
                self.init(ofEXIF: place + 10, bytes)
                return
            }
            // The picture data begins here.
            if marker == 0xDA || marker == 0xD9 { return nil }
            place += marker == 0xFF ? 1 : 2 + max(2, bytes.big(place + 2, 2))
        }
        return nil
    }

    /// - Parameter begin: the place of the TIFF header, from which EXIF counts.
    private init?(ofEXIF begin: Int, _ bytes: PictureBytes) {
        let order = bytes.text(begin, 2)
        guard order == "II" || order == "MM" else { return nil }
        func number(_ place: Int, _ count: Int) -> Int {
            order == "II" ? bytes.little(place, count) : bytes.big(place, count)
        }
        let directory = begin + number(begin + 4, 4)
        for index in 0..<min(number(directory, 2), 512) {
            let entry = directory + 2 + 12 * index
            if number(entry, 2) == 274 {
                self.init(rawValue: number(entry + 8, 2))
                return
            }
        }
        return nil
    }
}
