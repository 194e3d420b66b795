# What scripts/package --portable adds to an installed tree: the libraries that the program needs, with their plugins and files, and the
# licenses of all (docs/decisions/portable-archive.md). To be sourced after common.bash; needs Debian or Ubuntu.
# shellcheck disable=SC2154

# carry FILE PATH: copies a file of this machine's to a path in lib/framegrep of the tree, and notes whose it is.
carried=()
carry() {
    [[ -f "$1" ]] || fail "there is no $1, which the archive needs; scripts/setup installs what has it."
    install -D -m "${3-644}" -- "$1" "$libraries/$2"
    carried+=("$1")
}

# needed_libraries FILE...: the libraries that these need, as lines NAME PATH, without glibc, which every system has of its own.
needed_libraries() {
    awk 'NR == FNR { sub(/.*\//, ""); of_glibc[$0]; next }
        /not found/ { print "missing: " $1 >"/dev/stderr"; exit 1 }
        $2 == "=>" && !($1 in of_glibc) && !seen[$1]++ { print $1, $3 }' <(dpkg -L libc6) <(ldd "$@")
}

# packages_of FILE...: the Debian packages that they belong to. Since / and /usr are one, a package may know a file by either path.
packages_of() {
    local file
    for file; do
        file=$(realpath "$file")
        { dpkg -S "$file" || dpkg -S "${file#/usr}"; } 2>/dev/null | sed 's/: .*//; s/,.*//' | head -n 1 | grep . ||
            fail "no package has $file, so its license is not known."
    done | sort -u
}

# complete_portable TREE: makes an installed tree one that runs on any Linux with this machine's glibc or a newer one.
complete_portable() {
    local -r tree=$1 libraries=$1/lib/framegrep
    local system name path list programs=("$1/bin/framegrep")
    [[ ! -f "$1/libexec/framegrep/framegrep-serve" ]] || programs+=("$1/libexec/framegrep/framegrep-serve")
    system=$(pkg-config --variable=libdir gstreamer-1.0)
    command -v patchelf >/dev/null || fail "patchelf is missing; install it with: sudo apt-get install patchelf"

    # The element is for this system's GStreamer, and the list of files for scripts/uninstall.
    rm -r "$tree/lib/gstreamer-1.0" "$tree/share/framegrep/manifest"
    while read -r name _; do
        [[ -z "$name" || "$name" == '#'* ]] || carry "$system/gstreamer-1.0/libgst$name.so" "gstreamer-1.0/libgst$name.so"
    done <packaging/portable-plugins
    carry "$(pkg-config --variable=pluginscannerdir gstreamer-1.0)/gst-plugin-scanner" gst-plugin-scanner 755
    # What TLS is to GLib, and GLib to GStreamer's HTTP, which opens libsoup by its name.
    carry "$system/gio/modules/libgiognutls.so" gio/libgiognutls.so
    carry "$system/libsoup-3.0.so.0" libsoup-3.0.so.0
    # The list names the loaders without a folder, so that they are looked for as libraries are.
    for path in "$system"/gdk-pixbuf-2.0/2.10.0/loaders/libpixbufloader-{bmp,ico,pnm,tiff,tga,xpm}.so; do carry "$path" "${path##*/}"; done
    awk -v RS= -v ORS='\n\n' '/loader-(bmp|ico|pnm|tiff|tga|xpm)\.so/ { sub(/"[^"]*\//, "\""); print }' \
        "$system/gdk-pixbuf-2.0/2.10.0/loaders.cache" >"$libraries/pixbuf.cache"

    list=$(needed_libraries "${programs[@]}" "$libraries"/*.so* "$libraries"/*/*.so "$libraries/gst-plugin-scanner") ||
        fail "the libraries that the program needs are not all here."
    while read -r name path; do carry "$path" "$name"; done <<<"$list"
    # A program's own path holds for all that is loaded into it, unless a library has another one.
    for path in "${programs[@]}" "$libraries/gst-plugin-scanner"; do
        patchelf --force-rpath --set-rpath '$'"ORIGIN/$(realpath --relative-to "${path%/*}" "$libraries")" "$path"
    done
    for path in "$libraries"/*.so*; do
        [[ "$(readelf -d "$path")" != *RUNPATH* ]] || patchelf --remove-rpath "$path"
    done

    carry_data
    describe_licenses
    ln -s bin/framegrep "$tree/framegrep"
}

# carry_data: language data, fonts, and the networks.
carry_data() {
    local path
    carry /usr/share/tesseract-ocr/5/tessdata/eng.traineddata tessdata/eng.traineddata
    for path in $(dpkg -L fonts-dejavu-core | grep '\.ttf$'); do carry "$path" "fonts/${path##*/}"; done
    for path in /etc/fonts/conf.d/*.conf; do
        ! dpkg -S "$(realpath "$path")" 2>/dev/null | grep -qE '^(fontconfig-config|fonts-dejavu-core):' || carry "$path" "fonts/conf.d/${path##*/}"
    done
    # How to tell a picture's kind by its bytes.
    carry /usr/share/mime/packages/freedesktop.org.xml mime/packages/freedesktop.org.xml
    update-mime-database "$libraries/mime" >/dev/null 2>&1
    find "$libraries/mime" -mindepth 1 ! -name mime.cache -delete
    # The archive's own fonts beside this system's.
    carry /etc/fonts/fonts.conf fonts/fonts.conf
    sed -i '0,/<dir>/s//<dir prefix="relative">.<\/dir>\n\t&/' "$libraries/fonts/fonts.conf"
    FRAMEGREP_HOME=$tree/share/framegrep scripts/lib/download neural ${wheels:+--wheels "$wheels"} || fail "the networks could not be fetched, which the archive has inside."
}

# describe_licenses: the copyright files of all packages that something was taken from, and where their sources are.
describe_licenses() {
    local -r licenses=$tree/share/doc/framegrep/licenses
    local package packages
    mkdir -p "$licenses"
    packages=$(packages_of "${carried[@]}") || exit
    {
        cat packaging/portable-licenses
        printf '\n%-34s %-34s %s\n' 'package' 'version' 'source'
        for package in $packages; do
            install -m 644 "/usr/share/doc/${package%:*}/copyright" "$licenses/${package%:*}"
            dpkg-query -W -f '${Package} ${Version} https://snapshot.debian.org/package/${source:Package}/${source:Version}/\n' "$package" |
                awk '{ printf "%-34s %-34s %s\n", $1, $2, $3 }'
        done
    } >"$licenses/README"
    cp -rL /usr/share/common-licenses "$licenses/common-licenses"
}
