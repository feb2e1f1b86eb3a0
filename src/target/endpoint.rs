//! What an endpoint's URL tells: whose it is and in which region.

/// A parsed endpoint URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Endpoint {
    pub(super) secure: bool,
    pub(super) host: String,
    /// The region an AWS host name names.
    pub(super) region: Option<String>,
}

impl Endpoint {
    /// `None` for what is no http(s) URL with a host.
    pub(super) fn parse(url: &str) -> Option<Endpoint> {
        let (scheme, rest) = url.split_once("://")?;
        let secure = match scheme.to_ascii_lowercase().as_str() {
            "https" => true,
            "http" => false,
            _ => return None,
        };
        let authority = rest.split(['/', '?', '#']).next()?;
        let host = host(authority)?.to_ascii_lowercase();
        let region = aws_region(&host).map(str::to_owned);
        Some(Endpoint { secure, host, region })
    }

    /// On this machine.
    pub(super) fn is_loopback(&self) -> bool {
        let address = self.host.trim_start_matches('[').trim_end_matches(']');
        let numeric = address.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback());
        numeric || self.host == "localhost" || self.host.ends_with(".localhost")
    }

    /// A server for trying out: on this machine, or plain HTTP to something that is not AWS.
    pub(super) fn is_local(&self) -> bool {
        self.is_loopback() || !(self.secure || is_aws(&self.host))
    }
}

/// Host without port and user; brackets of an IPv6 address stay.
fn host(authority: &str) -> Option<&str> {
    let authority = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => {
            port.parse::<u16>().ok()?;
            host
        }
        _ => authority,
    };
    (!host.is_empty() && !host.contains(char::is_whitespace)).then_some(host)
}

fn is_aws(host: &str) -> bool {
    [".amazonaws.com", ".amazonaws.com.cn", ".api.aws"].iter().any(|suffix| host.ends_with(suffix))
}

/// The label behind the service's: `dynamodb.eu-west-1.amazonaws.com`,
/// `123456789012.ddb.eu-west-1.amazonaws.com`, `vpce-1.dynamodb.eu-west-1.vpce.amazonaws.com`.
fn aws_region(host: &str) -> Option<&str> {
    if !is_aws(host) {
        return None;
    }
    let mut labels = host.split('.');
    labels.find(|label| matches!(*label, "dynamodb" | "dynamodb-fips" | "ddb" | "ddb-fips"))?;
    labels.next().filter(|label| label.contains('-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_servers_are_told_from_the_service() {
        for url in [
            "http://localhost:8000",
            "http://127.0.0.1:1/",
            "http://[::1]:8000",
            "https://localhost",
            "http://dynamodb:8000",
        ] {
            assert!(Endpoint::parse(url).unwrap().is_local(), "{url}");
        }
        for url in [
            "https://dynamodb.eu-west-1.amazonaws.com",
            "http://dynamodb.eu-west-1.amazonaws.com",
            "https://dynamodb.corp.example",
        ] {
            assert!(!Endpoint::parse(url).unwrap().is_local(), "{url}");
        }
        assert!(!Endpoint::parse("http://dynamodb:8000").unwrap().is_loopback());
    }

    /// C05.
    #[test]
    fn aws_hosts_name_their_region() {
        for (url, region) in [
            ("https://dynamodb.eu-west-1.amazonaws.com", Some("eu-west-1")),
            ("https://dynamodb-fips.us-gov-west-1.amazonaws.com", Some("us-gov-west-1")),
            ("https://123456789012.ddb.us-east-2.amazonaws.com", Some("us-east-2")),
            ("https://vpce-1-a.dynamodb.eu-central-1.vpce.amazonaws.com", Some("eu-central-1")),
            ("https://dynamodb.cn-north-1.amazonaws.com.cn", Some("cn-north-1")),
            ("https://dynamodb.eu-west-1.example.com", None),
            ("http://localhost:8000", None),
        ] {
            assert_eq!(Endpoint::parse(url).unwrap().region.as_deref(), region, "{url}");
        }
    }

    #[test]
    fn what_is_no_url_is_refused() {
        for url in ["localhost:8000", "", "http://", "ftp://x", "http://:8000", "http://host:port"] {
            assert_eq!(Endpoint::parse(url), None, "{url}");
        }
    }
}
