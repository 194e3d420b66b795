import CVideo4Linux

/// V4L2's numbers of the controls that have a meaning here, whatever a driver calls them.
public enum KnownControl {
    public static let brightness = FV4L_CID_BRIGHTNESS
    /// Without a unit.
    public static let exposure = FV4L_CID_EXPOSURE
    /// A menu: 0 automatic, 1 manual, 2 shutter priority, 3 aperture priority.
    public static let exposureMode = FV4L_CID_EXPOSURE_AUTO
    /// In units of 100 µs.
    public static let exposureTime = FV4L_CID_EXPOSURE_ABSOLUTE
    /// Focusing all the time.
    public static let autofocus = FV4L_CID_FOCUS_AUTO
    /// A button: focus once.
    public static let focusOnce = FV4L_CID_AUTO_FOCUS_START
    public static let zoom = FV4L_CID_ZOOM_ABSOLUTE
    /// A menu: 0 off, 1 flash, 2 torch.
    public static let flashMode = FV4L_CID_FLASH_LED_MODE
}
