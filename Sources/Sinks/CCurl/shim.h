// libcurl for Swift.
#ifndef FRAMEGREP_CCURL_H
#define FRAMEGREP_CCURL_H

#include <curl/curl.h>

// Functions with "..." are not imported; one for each type of value, without the macros that check types in C.
static inline CURLcode fcurl_set_long(CURL *handle, CURLoption option, long value) {
    return (curl_easy_setopt)(handle, option, value);
}
static inline CURLcode fcurl_set_text(CURL *handle, CURLoption option, const char *value) {
    return (curl_easy_setopt)(handle, option, value);
}
static inline CURLcode fcurl_set_pointer(CURL *handle, CURLoption option, const void *value) {
    return (curl_easy_setopt)(handle, option, value);
}
static inline CURLcode fcurl_get_long(CURL *handle, CURLINFO info, long *value) {
    return (curl_easy_getinfo)(handle, info, value);
}
static inline CURLcode fcurl_get_text(CURL *handle, CURLINFO info, char **value) {
    return (curl_easy_getinfo)(handle, info, value);
}
static inline CURLcode fcurl_get_offset(CURL *handle, CURLINFO info, curl_off_t *value) {
    return (curl_easy_getinfo)(handle, info, value);
}

// Discards the body of a server's answer, because the default prints it.
static inline size_t fcurl_pass_over(char *bytes, size_t size, size_t count, void *nothing) {
    (void)bytes;
    (void)nothing;
    return size * count;
}
static inline CURLcode fcurl_pass_over_body(CURL *handle) {
    return (curl_easy_setopt)(handle, CURLOPT_WRITEFUNCTION, fcurl_pass_over);
}

#endif
