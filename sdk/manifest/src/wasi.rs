//! What a piece may import beside its world: the parts of WASI 0.2 that the toolchains of some languages link whether a piece
//! uses them or not. The host gives all of them empty, or refusing.

/// What toolchains import whether a piece uses it or not. All of it is empty or refuses; `wasi:http` is not among it.
const EMPTY: &[&str] = &[
    "wasi:cli/environment",
    "wasi:cli/exit",
    "wasi:cli/stderr",
    "wasi:cli/stdin",
    "wasi:cli/stdout",
    "wasi:cli/terminal-input",
    "wasi:cli/terminal-output",
    "wasi:cli/terminal-stderr",
    "wasi:cli/terminal-stdin",
    "wasi:cli/terminal-stdout",
    "wasi:clocks/monotonic-clock",
    "wasi:clocks/wall-clock",
    "wasi:filesystem/preopens",
    "wasi:filesystem/types",
    "wasi:io/error",
    "wasi:io/poll",
    "wasi:io/streams",
    "wasi:random/insecure",
    "wasi:random/insecure-seed",
    "wasi:random/random",
    "wasi:sockets/instance-network",
    "wasi:sockets/ip-name-lookup",
    "wasi:sockets/network",
    "wasi:sockets/tcp",
    "wasi:sockets/tcp-create-socket",
    "wasi:sockets/udp",
    "wasi:sockets/udp-create-socket",
];

/// Whether an import, such as `wasi:cli/environment@0.2.6`, is one of these.
pub fn is_empty_wasi(import: &str) -> bool {
    import
        .split_once('@')
        .is_some_and(|(name, version)| EMPTY.contains(&name) && version.starts_with("0.2."))
}
