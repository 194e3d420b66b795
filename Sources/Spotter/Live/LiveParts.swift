import Errors
import GStreamerMedia
import TextSpotting
import Threads

/// The parts of one run of a live job, put together: each gets the others that it needs, and no more.
///
/// Only ``LiveJob`` knows all of them; no part sees this.
struct LiveParts: Sendable {
    let settings: LiveSettings
    let life = JobLife()
    let report: LiveReport
    let measurements = LiveMeasurements()
    let source: SourceState
    let words: SearchedWords
    let slot = LatestSlot<LiveFrame>()
    let snapshots: Snapshots
    private let reader: any TextReader
    private let trail = LiveTrail()
    private let board = BoxBoard()
    private let text = LatestText()
    private let notices = PictureNotices()
    private let window = WindowState()
    private let closely: CloseReading
    private let turns: CameraTurns

    init(
        _ settings: LiveSettings, _ reader: any TextReader, _ words: SearchedWords,
        _ policy: LossPolicy,
        _ controls: SourceControls?, _ report: LiveReport
    ) {
        self.settings = settings
        self.reader = reader
        self.words = words
        self.report = report
        source = SourceState(SourceLife(policy: policy, stallTime: settings.stallTime), report)
        closely = CloseReading(settings.closeReader, notices, measurements, report)
        snapshots = Snapshots(folder: settings.snapshotFolder, notices, report, measurements)
        turns = CameraTurns(camera: controls, notices: notices)
    }

    // MARK: The display

    /// Shows frames on the calling thread until the stream ends or the job is stopped.
    ///
    /// - Parameter latency: how much later than their time the output shows all frames.
    func display(
        _ frames: SourceFrames, on output: LiveOutput?, _ latency: StreamTime,
        _ sightings: SightingReport
    ) {
        let isShown = output?.overlay != nil
        let hasWindow = isShown && output?.pipeline.hasWindow == true
        // Whatever the display looks at rings its bell; the reader does too.
        let (sign, bell) = (WindowSign(), frames.bell)
        if hasWindow {
            output?.pipeline.whenWindowHasShown {
                sign.set()
                bell.ring()
            }
        }
        life.whenStopping { bell.ring() }
        source.listen { bell.ring() }
        var loop = DisplayLoop(
            DisplayLoop.Settings(
                timing: settings.overlay, maximumAge: settings.maximumAge, hasWindow: hasWindow),
            frames, FrameIntake(slot, trail, source, measurements, words, isShown: isShown),
            frameOutput(output, latency, sightings), board, life, report
        ) { [source, life, measurements] in
            ShowSchedule.Situation(
                isLive: frames.isLive, isRunning: source.isRunning, isFrozen: source.isFrozen,
                isStopping: life.isStopping, hasRead: measurements.hasRead, hasWindowShown: sign.isThere)
        }
        loop.run()
    }

    /// Where frames are shown; nil for nowhere.
    private func frameOutput(
        _ output: LiveOutput?, _ latency: StreamTime, _ sightings: SightingReport
    ) -> FrameOutput? {
        guard let output, let overlay = output.overlay else { return nil }
        let painter = WindowPainter(
            WindowPainter.Settings(showsStatus: settings.showsStatus, maximumAge: settings.maximumAge),
            window, notices,
            text, trail, snapshots, report
        ) { [words, source, measurements] in
            OverlayStatus(
                searched: words.texts, matches: 0, state: source.shown,
                readingsPerSecond: measurements.readingsPerSecond)
        }
        return FrameOutput(
            output.pipeline, overlay, painter, FramePacer(latency: latency, held: settings.overlay.delay),
            sightings,
            measurements, settings.rightOfWay)
    }

    // MARK: The reader and the window

    /// What is found in what is read.
    func findings(_ sightings: SightingReport) -> LiveFindings {
        LiveFindings(words, trail, board, sightings, minimumScore: settings.minimumScore)
    }

    /// Reads frames until they end or the task is cancelled; an engine that fails ends the job.
    func read(into findings: LiveFindings, showing frames: SourceFrames) async {
        let frameReader = FrameReader(
            FrameReader.Settings(region: settings.region, maximumAge: settings.maximumAge), reader,
            closely, trail,
            source, measurements)
        let judge = PictureJudge(trail, notices, report) { [turns] in turns.hasLight }
        var loop = ReadingLoop(slot, frameReader, findings, text, judge) { [bell = frames.bell] in
            bell.ring()
        }
        do throws(FramegrepError) { try await loop.run() } catch { life.end(.error, failure: error) }
    }

    /// What keys, clicks and messages of a pipeline lead to.
    var control: WindowControl {
        WindowControl(
            words: words, window: window, notices: notices, text: text, trail: trail, turns: turns,
            closely: closely,
            source: source, history: settings.history, life: life, report: report)
    }
}
