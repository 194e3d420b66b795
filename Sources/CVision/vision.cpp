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

// Runs `body`, turning whatever it throws into -1: an exception must not reach the caller, which is not C++.
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

}  // namespace

extern "C" int fg_resize_to_planes(fg_picture_t picture, fg_normalization_t normalization, int32_t width,
                                   int32_t height, float *planes) {
    return guarded([&] {
        const cv::Mat source = view(picture);
        if (picture.width == width && picture.height == height) {
            return write_planes(source, normalization, static_cast<size_t>(width), planes);
        }
        // Averaging keeps thin strokes when much is thrown away; up to a half, bilinear does at a fraction of the time.
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
