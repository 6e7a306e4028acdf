//! Which addresses a request may go to. A platform is on the public internet; everything else is somebody's inside:
//! this host, its network, its cloud's metadata service.
//!
//! A name is checked in the resolver that the connection itself uses, so that what was checked is what is connected to.
//! A literal address never reaches a resolver: whoever builds a URL asks [`Host`] first.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::{Host, Url};

use crate::guard::{Guard, stands};
use crate::limits::ADDRESSES_MAX;

/// Why an address is not for pieces; none when it is public.
///
/// Addresses that carry another one (mapped, 6to4, NAT64, Teredo) are refused whatever they carry: they reach it by ways
/// that this check does not see.
pub(crate) fn refusal(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(address) => refusal_v4(address),
        IpAddr::V6(address) => refusal_v6(address),
    }
}

/// IANA's special-purpose registry, and Azure's metadata address, which is a public one.
fn refusal_v4(address: Ipv4Addr) -> Option<&'static str> {
    match address.octets() {
        [0, ..] => Some("unspecified"),
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] => Some("private"),
        [100, 64..=127, ..] => Some("shared (carrier-grade NAT)"),
        [127, ..] => Some("loopback"),
        [169, 254, ..] => Some("link-local or metadata"),
        [168, 63, 129, 16] => Some("metadata"),
        [192, 0, 0, _] => Some("reserved for protocols"),
        [192, 0, 2, _] | [198, 51, 100, _] | [203, 0, 113, _] => Some("documentation"),
        [192, 88, 99, _] => Some("6to4"),
        [198, 18..=19, ..] => Some("benchmarking"),
        [224..=239, ..] => Some("multicast"),
        [240..=255, ..] => Some("reserved"),
        _ => None,
    }
}

/// Global unicast is `2000::/3`; what is special inside it is listed, what is outside it is refused.
fn refusal_v6(address: Ipv6Addr) -> Option<&'static str> {
    match address.segments() {
        [0, 0, 0, 0, 0, 0, 0, 0] => Some("unspecified"),
        [0, 0, 0, 0, 0, 0, 0, 1] => Some("loopback"),
        [0, 0, 0, 0, 0, 0xffff, ..] => Some("IPv4-mapped"),
        [0x64, 0xff9b, ..] => Some("NAT64"),
        [0xfc00..=0xfdff, ..] => Some("unique local"),
        [0xfe80..=0xfebf, ..] => Some("link-local"),
        [0xff00..=0xffff, ..] => Some("multicast"),
        [0x2002, ..] => Some("6to4"),
        [0x2001, 0..=0x1ff, ..] => Some("Teredo or reserved for protocols"),
        [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => Some("documentation"),
        [0x2000..=0x3fff, ..] => None,
        _ => Some("not global"),
    }
}

/// Refuses a URL whose host is a literal address that is not public. `Url` has normalized every spelling of it (octal,
/// hexadecimal, one number) by now.
pub(crate) fn refusal_of_literal(url: &Url) -> Option<&'static str> {
    match url.host() {
        Some(Host::Ipv4(address)) => refusal(address.into()),
        Some(Host::Ipv6(address)) => refusal(address.into()),
        Some(Host::Domain(_)) => None,
        None => Some("missing"),
    }
}

/// A name that resolves to an address that is not for pieces.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{host}` resolves to a {why} address")]
pub(crate) struct AddressRefused {
    host: String,
    why: &'static str,
}

/// Resolves names to public addresses. One address that is not refuses the name: a name with a foot in somebody's inside
/// is an attack or a mistake.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PublicOnly;

impl Resolve for PublicOnly {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let addresses = look_up(name.as_str()).await?;
            for address in &addresses {
                if let Some(why) = refusal(address.ip()).filter(|_| stands(Guard::ResolvedAddress)) {
                    let host = name.as_str().to_owned();
                    return Err(AddressRefused { host, why }.into());
                }
            }
            Ok(connectable(addresses))
        })
    }
}

/// Resolves the names that the operator named, whatever their addresses are, and no other.
#[derive(Clone, Debug)]
pub(crate) struct NamedOnly(pub(crate) Vec<String>);

impl Resolve for NamedOnly {
    fn resolve(&self, name: Name) -> Resolving {
        let named = self.0.iter().any(|host| host == name.as_str());
        Box::pin(async move {
            if !named {
                let host = name.as_str().to_owned();
                return Err(AddressRefused {
                    host,
                    why: "not granted",
                }
                .into());
            }
            Ok(connectable(look_up(name.as_str()).await?))
        })
    }
}

async fn look_up(name: &str) -> std::io::Result<Vec<SocketAddr>> {
    let addresses = tokio::net::lookup_host((name, 0)).await?;
    Ok(addresses.take(ADDRESSES_MAX).collect())
}

fn connectable(addresses: Vec<SocketAddr>) -> Addrs {
    Box::new(addresses.into_iter())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(addresses: &[&str], expected: Option<()>) {
        for address in addresses {
            let parsed: IpAddr = address.parse().expect("an address");
            assert_eq!(refusal(parsed).map(drop), expected.map(drop), "{address}");
        }
    }

    #[test]
    fn addresses_of_somebodys_inside_are_refused() {
        check(
            &[
                "0.0.0.0",
                "0.1.2.3",
                "10.0.0.1",
                "100.64.0.1",
                "100.127.255.255",
                "100.100.100.200",
                "127.0.0.1",
                "127.255.255.254",
                "169.254.169.254",
                "168.63.129.16",
                "172.16.0.1",
                "172.31.255.255",
                "192.0.0.192",
                "192.0.2.1",
                "192.88.99.1",
                "192.168.1.1",
                "198.18.0.1",
                "198.19.255.255",
                "198.51.100.1",
                "203.0.113.9",
                "224.0.0.1",
                "239.255.255.255",
                "240.0.0.1",
                "255.255.255.255",
                "::",
                "::1",
                "::ffff:127.0.0.1",
                "::ffff:8.8.8.8",
                "::127.0.0.1",
                "64:ff9b::7f00:1",
                "64:ff9b:1::1",
                "fc00::1",
                "fd00:ec2::254",
                "fe80::1",
                "febf::1",
                "fec0::1",
                "ff02::1",
                "2002:7f00:1::",
                "2001::1",
                "2001:1ff::1",
                "2001:db8::1",
                "3fff::1",
                "100::1",
                "5f00::1",
            ],
            Some(()),
        );
    }

    #[test]
    fn public_addresses_are_not() {
        check(
            &[
                "1.1.1.1",
                "8.8.8.8",
                "100.63.255.255",
                "100.128.0.1",
                "126.255.255.255",
                "128.0.0.1",
                "172.15.0.1",
                "172.32.0.1",
                "192.167.0.1",
                "198.17.0.1",
                "198.20.0.1",
                "223.255.255.255",
                "168.63.129.17",
                "2606:4700::1111",
                "2001:200::1",
                "2001:4860:4860::8888",
                "2a00:1450::1",
                "3ffe::1",
            ],
            None,
        );
    }

    #[test]
    fn every_spelling_of_a_literal_is_seen() {
        for url in [
            "http://127.0.0.1/",
            "http://127.1/",
            "http://0x7f000001/",
            "http://2130706433/",
            "http://0177.0.0.1/",
            "http://[::1]/",
            "http://[::ffff:127.0.0.1]/",
            "http://①②⑦.0.0.1/",
            "http://127.0.0.1./",
        ] {
            let parsed = Url::parse(url).expect("a URL");
            assert!(refusal_of_literal(&parsed).is_some(), "{url}");
        }
    }

    #[tokio::test]
    async fn a_name_of_this_host_is_refused() {
        let name: Name = "localhost".parse().expect("a name");
        let error = PublicOnly.resolve(name).await.err().expect("refused");
        assert!(error.is::<AddressRefused>(), "{error}");
    }

    #[tokio::test]
    async fn a_name_that_is_not_granted_is_not_resolved() {
        let resolver = NamedOnly(vec!["forge.internal".to_owned()]);
        let name: Name = "localhost".parse().expect("a name");
        let error = resolver.resolve(name).await.err().expect("refused");
        assert!(error.is::<AddressRefused>(), "{error}");
    }
}
