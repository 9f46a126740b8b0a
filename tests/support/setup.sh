#!/usr/bin/env bash
# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# What demo, checks and benchmarks need: Java, Maven, .venv, and the jars of Apache Kafka; with the argument "test" also
# what only tests need: a browser, Kerberos, and a file system without hard links. Quick when all is there.
set -eu
cd "$(dirname "$0")/../.."

python=${PYTHON:-python3}
stamp=.venv/.requirements
kinds=(build dev)

say() {
    echo "setup: $1" >&2
    exit 1
}

# install WHAT COMMAND PACKAGES...: run the check; else install the packages; else say what is missing.
install() {
    local what=$1 check=$2
    shift 2
    if ! $check; then
        local apt=()
        if command -v apt-get >/dev/null; then
            if [ "$(id -u)" -eq 0 ]; then
                apt=(env DEBIAN_FRONTEND=noninteractive apt-get)
            elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
                apt=(sudo -n env DEBIAN_FRONTEND=noninteractive apt-get)
            fi
        fi
        if [ ${#apt[@]} -gt 0 ]; then
            echo "setup: installing $*" >&2
            { "${apt[@]}" -qq update && "${apt[@]}" -qq install -y --no-install-recommends "$@"; } >&2 || true
        fi
        $check || say "$what is missing: install it (Debian, Ubuntu: apt-get install $*)"
    fi
}

has_java() {
    local version
    version=$(java -version 2>&1 | sed -n '1s/.*version "\([0-9]*\).*/\1/p') || return 1
    [ "${version:-0}" -ge 17 ] && java --list-modules 2>/dev/null | grep -q '^jdk.compiler'
}
has_maven() { command -v mvn >/dev/null; }
has_chromium() { command -v chromium >/dev/null; }
has_headers() { [ -f "$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')/Python.h" ]; }
has_kerberos() {
    [ -x /usr/sbin/krb5kdc ] && [ -x /usr/sbin/kadmin.local ] && command -v krb5-config gcc >/dev/null
}
has_exfat() {
    PATH=$PATH:/usr/sbin:/sbin command -v mkfs.exfat >/dev/null && PATH=$PATH:/usr/sbin:/sbin command -v mount.exfat-fuse >/dev/null
}
has_openssl() { command -v openssl >/dev/null; }
has_venv() { "$python" -c 'import ensurepip, venv' 2>/dev/null; }

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
    say "Python 3.11 or newer is needed: install it, or name it with PYTHON=..."
install "the venv module of $python" has_venv python3-venv
install "a Java 17 (or newer) development kit" has_java openjdk-17-jdk-headless
install "Maven" has_maven maven
install "openssl" has_openssl openssl
if [ "${1:-}" = test ]; then
    kinds+=(test)
    install "Chromium" has_chromium chromium
    install "MIT Kerberos (KDC, tools and headers)" has_kerberos krb5-kdc krb5-admin-server libkrb5-dev gcc
    install "exFAT by FUSE" has_exfat exfat-fuse exfatprogs
    install "the headers of $python" has_headers python3-dev
fi

# A .venv of another Python, or one of which that Python is gone, is made anew.
wanted=$("$python" -c 'import sys; print(*sys.version_info[:3], sys.base_prefix)')
if [ "$(.venv/bin/python -c 'import sys; print(*sys.version_info[:3], sys.base_prefix)' 2>/dev/null)" != "$wanted" ]; then
    rm -rf .venv
    "$python" -m venv .venv
fi
# What comes as sources is built with what the first lock brings: nothing without a checksum is fetched.
for kind in "${kinds[@]}"; do
    lock=requirements/$kind.lock
    if ! cmp -s "$lock" "$stamp-$kind"; then
        .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps \
            --require-hashes -r "$lock"
        cp "$lock" "$stamp-$kind"
    fi
done
exec .venv/bin/python -m tests.support.class_data "$@"
