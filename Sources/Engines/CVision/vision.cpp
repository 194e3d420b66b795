#include "CVision.h"

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace {

// OpenCV would split each call over all cores; the caller decides how many threads there are.
void stay_on_this_thread() {
    static const bool done = [] {
        cv::setNumThreads(1);
        return true;
    }();
    (void)done;
}

// Runs `body`, and returns -1 for anything that it throws: an exception must not reach the caller, which is not C++.
template <typename Body> int guarded(Body body) noexcept {
    try {
        stay_on_this_thread();
        body();
        return 0;
    } catch (...) {
        return -1;
    }
}

// A view: OpenCV takes no const pointer, and nothing here writes through it.
cv::Mat view(const fg_picture_t &picture) {
    return cv::Mat(picture.height, picture.width, CV_MAKETYPE(CV_8U, picture.channels),
                   const_cast<uint8_t *>(picture.bytes));
}

// `pixels` (8-bit RGB) into planes whose rows are `stride` floats long.
void write_planes(const cv::Mat &pixels, const fg_normalization_t &n, size_t stride, float *planes) {
    const size_t plane = stride * static_cast<size_t>(pixels.rows);
    for (int y = 0; y < pixels.rows; y++) {
        const uint8_t *row = pixels.ptr<uint8_t>(y);
        float *red = planes + static_cast<size_t>(y) * stride;
        float *green = red + plane;
        float *blue = green + plane;
        for (int x = 0; x < pixels.cols; x++) {
            red[x] = static_cast<float>(row[3 * x]) * n.factor[0] + n.offset[0];
            green[x] = static_cast<float>(row[3 * x + 1]) * n.factor[1] + n.offset[1];
            blue[x] = static_cast<float>(row[3 * x + 2]) * n.factor[2] + n.offset[2];
        }
    }
}

cv::Point2f corner(const double *corners, int index) {
    // warpPerspective counts from pixel centers.
    return cv::Point2f(static_cast<float>(corners[2 * index] - 0.5), static_cast<float>(corners[2 * index + 1] - 0.5));
}

double distance(cv::Point2f a, cv::Point2f b) { return std::hypot(a.x - b.x, a.y - b.y); }

cv::Mat warped(const cv::Mat &source, const cv::Point2f from[4], int width, int height) {
    const float w = static_cast<float>(width), h = static_cast<float>(height);
    const cv::Point2f to[4] = {{-0.5f, -0.5f}, {w - 0.5f, -0.5f}, {w - 0.5f, h - 0.5f}, {-0.5f, h - 0.5f}};
    cv::Mat result;
    cv::warpPerspective(source, result, cv::getPerspectiveTransform(from, to), cv::Size(width, height),
                        cv::INTER_CUBIC, cv::BORDER_REPLICATE);
    return result;
}

// Returns the value below which a share of `values` lies; changes their order.
int quantile(std::vector<int> &values, double share) {
    const auto place = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), place, values.end());
    return *place;
}

// Returns the noise of single pixels around some corners, as a share of the contrast there.
//
// J. Immerkaer, "Fast noise variance estimation" (1996): a mask that does not respond to flat areas or slopes, and responds to
// independent noise of deviation s with a deviation of 6 s. It responds to strokes too, so the calmest fifth of the places is
// used: of absolute values of a normal distribution a fifth is below 0.253 deviations.
double noise_share(const cv::Mat &picture, const cv::Point2f quad[4]) {
    constexpr int margin = 1, most_samples = 4096;
    float left = quad[0].x, right = left, top = quad[0].y, bottom = top;
    for (int i = 1; i < 4; i++) {
        left = std::min(left, quad[i].x), right = std::max(right, quad[i].x);
        top = std::min(top, quad[i].y), bottom = std::max(bottom, quad[i].y);
    }
    const int x0 = std::clamp(cvFloor(left), margin, picture.cols), x1 = std::clamp(cvCeil(right), 0, picture.cols - margin);
    const int y0 = std::clamp(cvFloor(top), margin, picture.rows), y1 = std::clamp(cvCeil(bottom), 0, picture.rows - margin);
    if (x1 - x0 < 3 || y1 - y0 < 3) return 0;
    const int step = std::max(
        1, cvCeil(std::sqrt(static_cast<double>(x1 - x0) * static_cast<double>(y1 - y0) / most_samples)));
    std::vector<int> answers, levels;
    for (int y = y0; y < y1; y += step) {
        const uint8_t *row = picture.ptr<uint8_t>(y);
        const size_t stride = picture.step;
        for (int x = x0; x < x1; x += step) {
            // Four times the brightness, of a pixel or the sum of two opposite ones.
            const auto bright = [](const uint8_t *pixel) { return pixel[0] + 2 * pixel[1] + pixel[2]; };
            const uint8_t *at = row + 3 * x, *above = at - stride, *below = at + stride;
            const int corners = bright(above - 3) + bright(above + 3) + bright(below - 3) + bright(below + 3);
            const int sides = bright(above) + bright(below) + bright(at - 3) + bright(at + 3);
            answers.push_back(std::abs(corners - 2 * sides + 4 * bright(at)));
            levels.push_back(bright(at));
        }
    }
    const double noise = quantile(answers, 0.2) / (0.253 * 6);
    const double contrast = quantile(levels, 0.97) - quantile(levels, 0.03);
    return noise / std::max(40.0, contrast);
}

// Returns the strength of smoothing for a line with this share of noise, as a deviation in pixels of the straightened line.
//
// Chosen on rendered words (docs/decisions/networks.md): the network reads fine noise as strokes. Without noise nothing is changed.
double smoothing(double share) { return share < 0.03 ? 0 : std::min(2.0, 0.8 + 15 * (share - 0.03)); }

}  // namespace

extern "C" int fg_resize_to_planes(fg_picture_t picture, fg_normalization_t normalization, int32_t width,
                                   int32_t height, float *planes) {
    return guarded([&] {
        const cv::Mat source = view(picture);
        if (picture.width == width && picture.height == height) {
            return write_planes(source, normalization, static_cast<size_t>(width), planes);
        }
        // Averaging keeps thin strokes when reducing a lot; down to a half, bilinear scaling keeps them in a fraction of the time.
        const bool shrinks = 2 * width < picture.width || 2 * height < picture.height;
        cv::Mat scaled;
        cv::resize(source, scaled, cv::Size(width, height), 0, 0, shrinks ? cv::INTER_AREA : cv::INTER_LINEAR);
        write_planes(scaled, normalization, static_cast<size_t>(width), planes);
    });
}

extern "C" int fg_crop_to_planes(fg_picture_t picture, fg_normalization_t normalization, const double corners[8],
                                 int32_t content_width, int32_t width, int32_t height, float *planes) {
    return guarded([&] {
        const cv::Point2f quad[4] = {corner(corners, 0), corner(corners, 1), corner(corners, 2), corner(corners, 3)};
        const double across = (distance(quad[0], quad[3]) + distance(quad[1], quad[2])) / 2;
        // Large text is straightened at a whole multiple of the wanted size and then averaged down.
        const int multiple = std::clamp(static_cast<int>(across / height), 1, 16);
        cv::Mat line = warped(view(picture), quad, content_width * multiple, height * multiple);
        if (multiple > 1) {
            cv::Mat small;
            cv::resize(line, small, cv::Size(content_width, height), 0, 0, cv::INTER_AREA);
            line = small;
        }
        // Averaging down removes the noise.
        const double sigma = smoothing(noise_share(view(picture), quad) / std::max(1.0, across / height));
        if (sigma > 0) cv::GaussianBlur(line, line, cv::Size(), sigma);
        std::memset(planes, 0, sizeof(float) * 3 * static_cast<size_t>(width) * static_cast<size_t>(height));
        write_planes(line, normalization, static_cast<size_t>(width), planes);
    });
}

extern "C" int fg_blobs_of_map(const float *map, int32_t width, int32_t height, float threshold, double smallest,
                               fg_blob_t *blobs, int32_t capacity, int32_t *count) {
    *count = 0;
    return guarded([&] {
        const cv::Mat values(height, width, CV_32F, const_cast<float *>(map));
        const cv::Mat above = values > threshold;
        std::vector<std::vector<cv::Point>> contours;
        cv::findContours(above, contours, cv::RETR_LIST, cv::CHAIN_APPROX_SIMPLE);
        for (const auto &contour : contours) {
            if (*count >= capacity) break;
            const cv::RotatedRect box = cv::minAreaRect(contour);
            // The contour runs through pixel centers: the pixels themselves reach half a pixel further on each side.
            const double length = box.size.width + 1.0, breadth = box.size.height + 1.0;
            if (std::min(length, breadth) < smallest) continue;

            cv::Point2f at[4];
            box.points(at);
            std::vector<cv::Point> polygon;
            for (const auto &point : at) polygon.emplace_back(cvRound(point.x), cvRound(point.y));
            const cv::Rect around = cv::boundingRect(polygon) & cv::Rect(0, 0, width, height);
            if (around.empty()) continue;
            cv::Mat inside = cv::Mat::zeros(around.size(), CV_8U);
            for (auto &point : polygon) point -= around.tl();
            cv::fillConvexPoly(inside, polygon, 255);

            const double angle = box.angle * CV_PI / 180;
            blobs[(*count)++] = fg_blob_t{
                box.center.x + 0.5, box.center.y + 0.5, std::cos(angle), std::sin(angle),
                length, breadth, cv::mean(values(around), inside)[0]};
        }
    });
}
