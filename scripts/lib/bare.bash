# Bare Debians and Ubuntus in folders, to try things in that people install. To be sourced after common.bash; as root.
# shellcheck disable=SC2154

# make_bare RELEASE FOLDER: a Debian (bookworm, trixie) or Ubuntu (noble, resolute) with nothing but its base, by debootstrap.
make_bare() {
    local release=$1 folder=$2 distribution=debian mirror keys='' status=0
    local options=(--variant=minbase) scripts=()
    ((EUID == 0)) || fail "a bare system is made and entered, which is for root: sudo scripts/$speaker"
    command -v debootstrap >/dev/null || fail "debootstrap is missing; install it with: apt-get install debootstrap"
    [[ "$release" != noble && "$release" != resolute ]] || distribution=ubuntu
    # A release without a name here is this machine's own.
    ! grep -qx "VERSION_CODENAME=$release" /etc/os-release || distribution=$(sed -n 's/^ID=//p' /etc/os-release)
    mirror=$(awk '/^URIs:/ { print $2; exit }' /etc/apt/sources.list.d/"$distribution".sources 2>/dev/null || true)
    if [[ "$distribution" == ubuntu && "$mirror" != http* ]]; then
        mirror=http://archive.ubuntu.com/ubuntu
        options+=(--components=main,universe)
        # Debian's debootstrap does not know the newest names; all of Ubuntu's releases are made alike.
        [[ -e /usr/share/debootstrap/scripts/$release ]] || scripts=(/usr/share/debootstrap/scripts/gutsy)
        if [[ ! -e /usr/share/keyrings/ubuntu-archive-keyring.gpg ]]; then
            # Debian 12 has no package of Ubuntu's keys. In this one is the archive's of 2018, F6EC B376 2474 EDA9 D21B 7022 8719 20D1 991B C93C.
            keys=$(mktemp -d)
            curl -fsS -o "$keys/keyring.deb" "$mirror/pool/main/u/ubuntu-keyring/ubuntu-keyring_2023.11.28.1_all.deb" || fail "Ubuntu's keys could not be fetched."
            sha256sum --quiet -c - <<<"36de43b15853ccae0028e9a767613770c704833f82586f28eb262f0311adb8a8  $keys/keyring.deb" || fail "Ubuntu's keys are not those that were expected."
            dpkg-deb -x "$keys/keyring.deb" "$keys"
            options+=("--keyring=$keys/usr/share/keyrings/ubuntu-archive-keyring.gpg")
        fi
    fi
    [[ "$mirror" == http* ]] || mirror=http://deb.debian.org/debian
    rm -rf --one-file-system -- "$folder"
    mkdir -p "$folder"
    debootstrap "${options[@]}" "$release" "$folder" "$mirror" "${scripts[@]}" || status=$?
    [[ -z "$keys" ]] || rm -r -- "$keys"
    return "$status"
}

# enter FOLDER COMMAND [WORDS...]: run by bash in it, with the words as $0, $1 and so on, with nothing of this machine's variables, and with
# processes and a /proc of its own, which end with it however it ends. This machine's folders in shown_folders are shown there, at the same
# paths.
shown_folders=()
enter() {
    local bare=$1
    shift
    # shellcheck disable=SC2016
    unshare --mount --pid --fork --kill-child --propagation private bash -c '
        set -e
        bare=$1 shown=$2
        shift 2
        mount -t proc proc "$bare/proc"
        for folder in "${@:1:shown}"; do
            mkdir -p "$bare$folder"
            mount --bind "$folder" "$bare$folder"
        done
        shift "$shown"
        exec chroot "$bare" /usr/bin/env -i PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 TERM=dumb DEBIAN_FRONTEND=noninteractive bash -c "$@"' \
        _ "$bare" "${#shown_folders[@]}" "${shown_folders[@]}" "$@"
}
