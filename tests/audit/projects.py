"""Sources of C projects from Debian, with what libclang needs to read them: compile_commands.json and generated headers.

It needs the net, deb-src lines for apt, and root: of the packages that a project is built with those are installed that end in
-dev, or are in TOOLS, unless that would remove others. Nothing is linked where CMake or Meson says how files are compiled.
"""
import glob
import os
import re
import subprocess

CMAKE = "cmake -G Ninja -S . -B audit-build -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DCMAKE_BUILD_TYPE=Debug "
MESON = "meson setup audit-build "
MAKE = "bear -- make -k V=1 "
CONFIGURE = "./configure CFLAGS='-O0 -w' --disable-dependency-tracking "
# The rules were made while these were looked at.
FIRST = {
    "libuv1": CMAKE,
    "memcached": CONFIGURE + "&& " + MAKE,
    "libusb-1.0": CONFIGURE + "--enable-examples-build && " + MAKE,
    "mosquitto": CMAKE + "-DDOCUMENTATION=OFF",
    "civetweb": CMAKE + "-DCIVETWEB_BUILD_TESTING=OFF",
    "libmicrohttpd": CONFIGURE + "--disable-doc && " + MAKE,
    "nng": CMAKE,
    "librdkafka": CMAKE,
}
# Looked at when the rules were there, which were changed by some of what was seen.
LATER = {
    "glib2.0": MESON + "-Dtests=false",
    "libvncserver": CMAKE,
    "fuse3": MESON + "-Dtests=false -Dutils=false",
    "apr": CONFIGURE + "&& " + MAKE,
    "libwebsockets": CMAKE + "-DLWS_MAX_SMP=32",
    "dav1d": MESON + "-Denable_asm=false -Denable_tests=false",
    "libevent": CMAKE,
    "wayland": MESON + "-Ddocumentation=false -Dtests=false",
    "alsa-lib": "autoreconf -fi && " + CONFIGURE + "&& " + MAKE,
    "unbound": CONFIGURE + "--with-pthreads && " + MAKE,
}
# Never looked at before what README.md says of them was measured.
HELD_OUT = {
    "multipath-tools": MAKE + "OPTFLAGS='-O0 -w'",
    "squashfs-tools": "cd squashfs-tools && bear --output ../compile_commands.json -- make -k XZ_SUPPORT=1 LZO_SUPPORT=1 LZ4_SUPPORT=1 ZSTD_SUPPORT=1",
    "svt-av1": CMAKE + "-DCOMPILE_C_ONLY=ON",
    "haproxy": MAKE + "TARGET=linux-glibc USE_OPENSSL=1 OPT_CFLAGS='-O0 -w'",
    "redis": MAKE + "-C src CFLAGS=-w OPTIMIZATION=-O0 MALLOC=libc redis-server",
    "xz-utils": CMAKE,
    "gstreamer1.0": MESON + "-Dtests=disabled -Dexamples=disabled -Dintrospection=disabled",
    "icecast2": CONFIGURE + "&& " + MAKE,
    "libnice": MESON + "-Dgtk_doc=disabled -Dintrospection=disabled -Dtests=disabled",
    "pulseaudio": MESON + "-Ddoxygen=false -Dtests=false -Ddatabase=simple",
    "rsyslog": CONFIGURE + "--disable-libgcrypt --enable-imfile --enable-impstats --enable-omprog && " + MAKE,
    "x264": "./configure --disable-asm --disable-lavf --disable-swscale --disable-ffms --disable-gpac --disable-lsmash && " + MAKE,
    "mpv": MESON + "-Dtests=false",
    "libdrm": MESON + "-Dman-pages=disabled",
    "lttng-tools": CONFIGURE + "--disable-man-pages && " + MAKE,
    "spice-gtk": MESON + "-Dgtk=disabled -Dgtk_doc=disabled -Dintrospection=disabled -Dvapi=disabled",
    "libsdl2": CMAKE + "-DSDL_TEST=OFF",
    "portaudio19": CMAKE,
}
# As HELD_OUT, for a second time, when the rules had been changed by what was seen in the first.
HELD_OUT_2 = {
    "libqb": CONFIGURE + "&& " + MAKE,
    "nanomsg": CMAKE,
    "mongo-c-driver": CMAKE + "-DBUILD_VERSION=1.23.1 -DENABLE_TESTS=OFF -DENABLE_EXAMPLES=OFF",
    "h2o": CMAKE + "-DWITH_MRUBY=OFF",
    "pcsc-lite": CONFIGURE + "&& " + MAKE,
    # Some of what it is built with cannot be installed beside Node.js.
    "janus": "apt-get install -y -q --no-install-recommends --no-remove libnice-dev libjansson-dev libconfig-dev libsrtp2-dev libssl-dev "
             "libglib2.0-dev libmicrohttpd-dev libopus-dev libogg-dev liblua5.3-dev libusrsctp-dev && "
             "autoreconf -fi && " + CONFIGURE + "--disable-docs && " + MAKE,
    "cairo": CONFIGURE + "&& " + MAKE + "-C src",
    "libvpx": "./configure --target=generic-gnu --disable-optimizations --disable-unit-tests --disable-docs && " + MAKE,
    "jack-audio-connection-kit": CONFIGURE + "--enable-force-install && " + MAKE,
    "libusrsctp": CMAKE,
    "coturn": "./configure && " + MAKE,
    "udisks2": CONFIGURE + "--disable-man --disable-gtk-doc && " + MAKE,
    "opendkim": "autoreconf -fi && " + CONFIGURE + "&& " + MAKE,
    "libnbd": CONFIGURE + "--disable-ocaml --disable-python --disable-golang --disable-fuse && " + MAKE,
    "lbzip2": CONFIGURE + "&& " + MAKE,
    "libbluray": CONFIGURE + "--disable-bdjava-jar && " + MAKE,
    "libsoup3": MESON + "-Dtests=false -Dintrospection=disabled -Dvapi=disabled -Ddocs=disabled",
    "gvfs": MESON,
    "libfm": CONFIGURE + "&& " + MAKE,
    "knot": CONFIGURE + "--disable-documentation && " + MAKE,
    "openjpeg2": CMAKE,
    "zstd": "cmake -G Ninja -S build/cmake -B audit-build -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DZSTD_BUILD_CONTRIB=ON",
    "tgt": MAKE,
    "owfs": "./bootstrap && " + CONFIGURE + "--disable-swig --disable-owphp --disable-owtcl --disable-owperl --disable-owpython && " + MAKE,
    "vips": MESON,
    "libwebp": CMAKE,
    "dbus": CMAKE + "-DDBUS_BUILD_TESTS=OFF",
}
# As HELD_OUT_2, for a third time: chosen on 30 November 2026, before any of them was tried, together with WITHOUT_RECIPE.
HELD_OUT_3 = {
    "moc": "autoreconf -fi && " + CONFIGURE + "&& " + MAKE,
    "fio": "./configure && " + MAKE,
    "trousers": "autoreconf -fi && " + CONFIGURE + "&& " + MAKE,
    "htslib": "autoreconf -fi && " + CONFIGURE + "--with-external-htscodecs && " + MAKE,
    "tcmu": CMAKE,
    "ices2": CONFIGURE + "&& " + MAKE,
}
INSTALL = "apt-get install -y -q --no-install-recommends --no-remove --no-upgrade "
# As HELD_OUT_3, for a fourth time: drawn on 30 November 2026 before any of them was audited, together with WITHOUT_RECIPE_4.
HELD_OUT_4 = {
    # What Debian builds it with is far more than is needed.
    "collectd": INSTALL + "libatasmart-dev libdbi-dev libdpdk-dev libesmtp-dev libgps-dev libi2c-dev libmnl-dev libmodbus-dev liboping-dev libpci-dev "
                "librabbitmq-dev librdkafka-dev libsensors-dev libsnmp-dev libupsclient-dev libyajl-dev libmemcached-dev libnotify-dev "
                "libcurl4-gnutls-dev libxml2-dev && "
                "autoreconf -fi && " + CONFIGURE + "--disable-java --disable-perl --disable-python && " + MAKE,
    # What it is built with would remove other packages. cbindgen makes the one header that C needs of its Rust.
    "clamav": INSTALL + "libbz2-dev libcurl4-gnutls-dev libjson-c-dev libmilter-dev libmspack-dev libncurses-dev libpcre2-dev libssl-dev "
              "libsystemd-dev libxml2-dev zlib1g-dev cargo cbindgen && " + CMAKE +
              "-DENABLE_TESTS=OFF -DENABLE_MAN_PAGES=OFF -DENABLE_UNRAR=OFF -DENABLE_EXTERNAL_MSPACK=ON && "
              "cd libclamav_rust && cbindgen --config cbindgen.toml --output ../audit-build/clamav_rust.h .",
    "corosync": CONFIGURE + "--disable-static && " + MAKE + "noinst_PROGRAMS= MANS=",
    "stunnel4": CONFIGURE + "&& " + MAKE,
    "mpg123": CONFIGURE + "&& " + MAKE,
    "libcoap3": CMAKE + "-DENABLE_TESTS=OFF -DENABLE_EXAMPLES=OFF -DENABLE_DOCS=OFF",
    "minidlna": "autoreconf -fi && " + CONFIGURE + "&& " + MAKE,
}
# As WITHOUT_RECIPE, with HELD_OUT_4. privoxy is upstream's commit of 3.0.34.
WITHOUT_RECIPE_4 = ("varnish", "radsecproxy", "pipewire", "bluez-alsa", "zmap", "privoxy", "liblo", "openvswitch", "axel", "rtl-sdr", "hackrf",
                    "stress-ng", "pigz")
# As HELD_OUT_4, for a fifth time: drawn on 30 November 2026 before any source was fetched, together with WITHOUT_RECIPE_5.
HELD_OUT_5 = {
    "hercules": CONFIGURE + "&& " + MAKE,
    # The packages that Debian builds strongswan with remove others.
    "strongswan": INSTALL + "libgmp-dev libssl-dev libcurl4-gnutls-dev libsqlite3-dev libsystemd-dev libtss2-dev && " + CONFIGURE +
                  "--disable-static --enable-af-alg --enable-agent --enable-attr-sql --enable-sql --enable-sqlite --enable-curl --enable-eap-radius "
                  "--enable-eap-identity --enable-eap-md5 --enable-eap-sim --enable-eap-aka --enable-eap-tnc --enable-ha --enable-lookip "
                  "--enable-error-notify --enable-duplicheck --enable-connmark --enable-dhcp --enable-farp --enable-load-tester --enable-openssl "
                  "--enable-test-vectors --enable-tnc-imc --enable-tnc-imv --enable-tnccs-20 --enable-unity --enable-whitelist --enable-led "
                  "--enable-kernel-libipsec --enable-systemd --enable-tpm --enable-tss-tss2 --enable-radattr --enable-certexpire "
                  "--enable-counters --enable-coupling --enable-cmd && " + MAKE,
    # The packages that Debian builds freeradius with would upgrade perl and PAM.
    "freeradius": INSTALL + "libtalloc-dev libssl-dev libpcap-dev libldap-dev libgdbm-dev libsqlite3-dev libcurl4-gnutls-dev libjson-c-dev "
                  "libkrb5-dev libwbclient-dev libykclient-dev libyubikey-dev freetds-dev libhiredis-dev libmemcached-dev libpcre3-dev && " +
                  CONFIGURE + "&& " + MAKE,
    "tinyproxy": CONFIGURE + "&& " + MAKE,
    "opendmarc": "autoreconf -fi && " + CONFIGURE + "--disable-static --with-spf --with-spf2-include=/usr/include/spf2 --with-spf2-lib=/usr/lib && " + MAKE,
}
# As WITHOUT_RECIPE, with HELD_OUT_5. libtirpc is upstream's commit of 1.2.7-rc4.
WITHOUT_RECIPE_5 = ("nss-pam-ldapd", "fsarchiver", "libtirpc", "rdma-core", "brltty", "aircrack-ng", "sslsplit", "nwipe", "transmission", "x11vnc",
                    "guacamole-server", "sysbench", "zvbi", "speech-dispatcher", "opendnssec")
# As HELD_OUT_5, for a sixth time: drawn on 30 November 2026 before any source was fetched, together with WITHOUT_RECIPE_6. The three
# that install packages would upgrade or remove others with what Debian builds them with, or lack some.
HELD_OUT_6 = {
    "bind9": INSTALL + "libcap-dev libedit-dev libfstrm-dev libidn2-dev libjemalloc-dev libjson-c-dev libkrb5-dev liblmdb-dev libmaxminddb-dev "
             "libprotobuf-c-dev libssl-dev libsystemd-dev libuv1-dev libxml2-dev zlib1g-dev protobuf-c-compiler fstrm-bin && autoreconf -fi && " +
             CONFIGURE + "--disable-static --disable-doh --enable-dnstap --with-lmdb --with-json-c --with-libxml2 && " + MAKE,
    "c-icap": CONFIGURE + "--disable-static && " + MAKE,
    "direwolf": CMAKE,
    "uwsgi": INSTALL + "libcap-dev libjansson-dev libpcre3-dev libssl-dev libxml2-dev python3-dev uuid-dev zlib1g-dev && "
             "CPUCOUNT=1 CFLAGS='-O0 -w' bear -- python3 uwsgiconfig.py --build",
    "hashcat": INSTALL + "libminizip-dev libxxhash-dev ocl-icd-opencl-dev zlib1g-dev && "
               "bear -- make -k USE_SYSTEM_ZLIB=1 USE_SYSTEM_OPENCL=1 USE_SYSTEM_XXHASH=1 ENABLE_UNRAR=0 hashcat",
    "lrzip": "autoreconf -fi && " + CONFIGURE + "--disable-static --disable-asm && " + MAKE,
    "krb5": "cd src && " + CONFIGURE + "&& bear --output ../compile_commands.json -- make -k",
    "xfsprogs": "./configure --disable-static && " + MAKE + "DEBUG=-DNDEBUG OPTIMIZER='-O0 -w'",
    "mdk4": "bear -- make -k",
    "tcl8.6": "cd unix && " + CONFIGURE + "--enable-threads && bear --output ../compile_commands.json -- make -k",
}
# As WITHOUT_RECIPE, with HELD_OUT_6. tokyocabinet is a copy of 1.4.47, libosip2 is 5.2.0.
WITHOUT_RECIPE_6 = ("libfabric", "nbd", "pmacct", "xrdp", "netdata", "sngrep", "open-vm-tools", "libosip2", "tokyocabinet", "dnsperf")
# The seventh time: the next twenty of the sixth list, none left out.
HELD_OUT_7 = {
    "ucx": "./autogen.sh && " + CONFIGURE + "--disable-static --without-go --without-java --enable-mt --enable-cma && " + MAKE,
    "libgc": "./configure CFLAGS=-O0 --disable-dependency-tracking --disable-single-obj-compilation && " + MAKE,
    "wrk": "bear -- make -k WITH_LUAJIT=/usr WITH_OPENSSL=/usr VER=4.1.0",
    "yaz": CONFIGURE + "--disable-static && " + MAKE,
    "openhpi": CONFIGURE + "--disable-werror --disable-static --enable-ilo2_ribcl --enable-oa_soap --enable-ov_rest --enable-sysfs && " + MAKE,
    "gnubg": CONFIGURE + "--with-gtk --without-board3d --with-sqlite --with-python=/usr/bin/python3 --enable-threads && "
             "echo stop > gnubg_ts0.bd && echo stop > gnubg_os0.bd && " + MAKE,
    "mjpegtools": "mkdir -p debian && touch debian/Makefile.in debian/control.in && " + CONFIGURE + "--disable-static && " + MAKE,
    "ganglia": CONFIGURE + "CPPFLAGS=-I/usr/include/tirpc LIBS=-ltirpc --disable-static --with-gmetad --enable-status --disable-perl "
               "--with-memcached && " + MAKE,
}
# As WITHOUT_RECIPE, with HELD_OUT_7; gpsd, apache2, nfs-ganesha and openldap have sources in Debian, and longer recipes. monit is 5.27.2.
WITHOUT_RECIPE_7 = ("uftrace", "baresip", "openipmi", "gpsd", "monit", "yersinia", "apache2", "ulfius", "sshfs-fuse", "nfs-ganesha", "vorbis-tools",
                    "openldap")
# As WITHOUT_RECIPE, the eighth time: thirty-eight of a pool of 103 names, drawn by chance before any was fetched, after two that the
# sixth list had left; the first twenty. samhain is 4.2.0, torsocks a commit after 2.3.0; chrony, thunar, rrdtool, mydumper, libpsm2,
# carbon-c-relay, mpg321 and libfreenect have sources in Debian.
WITHOUT_RECIPE_8 = ("tpm2-abrmd", "libpsm2", "libreswan", "chrony", "ccid", "carbon-c-relay", "thunar", "jamin", "samhain", "gamemode", "torsocks",
                    "rrdtool", "zathura", "nut", "usbmuxd", "mpg321", "mydumper", "libfreenect", "xmlrpc-c", "libtoxcore")
# The mirror of Debian has not got the sources of these, so that what was audited is the upstream release that Debian 12 has. Who has
# them in --folder, with a compile_commands.json, can audit them, too.
WITHOUT_RECIPE = ("cmus", "munge", "pupnp", "paho.mqtt.c", "libiio", "opencryptoki", "gssproxy", "rtpengine", "mlt", "nfdump", "lxcfs", "nbdkit",
                  "fluidsynth", "squeezelite", "libplacebo", "siege", "motion")
# Chosen with them, and left out.
LEFT_OUT = {
    "autofs": "no source in the mirror, nor upstream's",
    "sanlock": "no source in the mirror, nor upstream's",
    "librist": "no source in the mirror, nor upstream's",
    "shairport-sync": "its configure cannot be made here",
    "ettercap": "what it is built with would remove other packages",
    "xine-lib-1.2": "no source in the mirror, nor upstream's",
}
PROJECTS = {**FIRST, **LATER, **HELD_OUT, **HELD_OUT_2, **HELD_OUT_3, **HELD_OUT_4, **HELD_OUT_5, **HELD_OUT_6, **HELD_OUT_7}
TOOLS = {"autoconf", "autoconf-archive", "automake", "autopoint", "bear", "bison", "flex", "gettext", "gperf", "intltool", "libtool", "libxml2-utils",
         "pkg-config", "pkgconf"}
SECONDS = 600


def said(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def install(name):
    """What it is built with; a recipe that installs its own packages needs no more."""
    if "apt-get install" in PROJECTS[name]:
        return
    plan = said("apt-get", "-s", "--no-install-recommends", "build-dep", name)
    if re.search(r"^Remv", plan, re.M):
        raise OSError(f"what {name} is built with would remove other packages")
    wanted = [word for word in re.findall(r"^Inst (\S+)", plan, re.M) if word.endswith("-dev") or word in TOOLS]
    if wanted:
        subprocess.run(["apt-get", "install", "-y", "-q", "--no-install-recommends", "--no-remove", "-o", "DPkg::Lock::Timeout=300", *wanted], check=True, capture_output=True,
                       env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})


def generate(build):
    """Of what ninja would make, sources and headers alone."""
    if not os.path.exists(build + "/build.ninja"):
        return
    files = re.findall(r"^(\S+\.(?:h|c|inc)): CUSTOM_COMMAND", said("ninja", "-C", build, "-t", "targets", "all"), re.M)
    if files:
        subprocess.run(["ninja", "-C", build, "-k", "0", *files], capture_output=True, timeout=SECONDS, check=False)


def made(source):
    """Where its compile_commands.json is, that names some file; None: nowhere."""
    for where in ("audit-build", "build", "bld", "."):
        path = os.path.join(source, where)
        if os.path.exists(path + "/compile_commands.json") and os.path.getsize(path + "/compile_commands.json") > 10:
            return path
    return None


def fetch(folder, name):
    """The folder of its sources, and that of its compile_commands.json."""
    home = os.path.join(folder, name)
    os.makedirs(home, exist_ok=True)
    if not glob.glob(home + "/*/"):
        if subprocess.run(["apt-get", "source", "-q", name], cwd=home, capture_output=True).returncode:
            # A mirror that has not got Debian's patches may have what they are for.
            subprocess.run(["apt-get", "source", "-q", "--tar-only", "--download-only", name], cwd=home, check=True, capture_output=True)
            subprocess.run(["tar", "xf", glob.glob(home + "/*.orig.tar.*[z2]")[0]], cwd=home, check=True)
    source = sorted(glob.glob(home + "/*/"))[0].rstrip("/")
    if not made(source):
        install(name)
        with open(home + ".build.log", "w", encoding="utf-8") as log:
            # A part of it that cannot be built leaves the commands of the others.
            subprocess.run(["sh", "-c", PROJECTS[name]], cwd=source, stdout=log, stderr=log, timeout=SECONDS, check=False)
        generate(source + "/audit-build")
    if not made(source):
        raise OSError(f"no compile_commands.json: see {home}.build.log")
    return source, made(source)
