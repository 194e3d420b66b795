/// The kinds of still pictures, recognized by their first bytes.
public enum StillFormat: Sendable, Hashable, CaseIterable {
    case png, jpeg, gif, webp, jpeg2000, portable, openEXR
    /// A JPEG in the four colors of printing.
    case cmykJPEG
    case bmp, tiff, icon, targa
    case heic, avif, jpegXL
    case photoshop, quiteOK, pcx, sgi, dpx, jpegLS
    /// No picture, but people have their scans in it.
    case pdf
    /// Of the TGA pictures those that gdk-pixbuf does not know for such: compressed ones, and gray ones.
    case otherTarga

    /// How it is decoded.
    public enum Decoding: Sendable, Hashable {
        /// `decodebin` finds the decoder.
        case found
        /// By gdk-pixbuf, which tells the format by itself; GStreamer's element for it knows only some by their caps.
        case pixbuf
        /// By nothing that there is.
        case none
    }

    public var decoding: Decoding {
        switch self {
        case .png, .jpeg, .gif, .webp, .jpeg2000, .portable, .openEXR: .found
        case .cmykJPEG, .bmp, .tiff, .icon, .targa, .heic, .avif, .jpegXL: .pixbuf
        case .photoshop, .quiteOK, .pcx, .sgi, .dpx, .jpegLS, .otherTarga, .pdf: .none
        }
    }

    /// Files of it never hold more than one picture that is decoded.
    var isOnePicture: Bool { self != .gif && self != .webp }

    /// Its usual name, with an article.
    public var name: String {
        switch self {
        case .png: "a PNG picture"
        case .jpeg: "a JPEG picture"
        case .gif: "a GIF picture"
        case .webp: "a WebP picture"
        case .jpeg2000: "a JPEG 2000 picture"
        case .portable: "a PNM picture"
        case .openEXR: "an OpenEXR picture"
        case .cmykJPEG: "a JPEG picture in CMYK"
        case .bmp: "a BMP picture"
        case .tiff: "a TIFF picture"
        case .icon: "an icon (ICO)"
        case .targa: "a TGA picture"
        case .heic: "a HEIC picture"
        case .avif: "an AVIF picture"
        case .jpegXL: "a JPEG XL picture"
        case .otherTarga: "a compressed or gray TGA picture"
        case .photoshop: "a Photoshop picture (PSD)"
        case .quiteOK: "a QOI picture"
        case .pcx: "a PCX picture"
        case .sgi: "an SGI picture"
        case .dpx: "a DPX picture"
        case .jpegLS: "a JPEG-LS picture"
        case .pdf: "a PDF document"
        }
    }

    /// Advice for a format that nothing here reads.
    var advice: String {
        switch self {
        case .pdf:
            "Make pictures of its pages with pdftoppm (Debian package poppler-utils) and search those: pdftoppm -r 150 -png FILE page."
        default: "Convert it, to PNG for one."
        }
    }

    /// Gdk-pixbuf reads it only with a loader that is installed besides.
    var needsLoader: Bool { [.heic, .avif, .jpegXL].contains(self) }

    /// The Debian package with which gdk-pixbuf reads it; nil if it does by itself, or none is known.
    var package: String? {
        switch self {
        case .heic: "heif-gdk-pixbuf"
        case .avif: "libavif-gdk-pixbuf"
        default: nil
        }
    }
}
