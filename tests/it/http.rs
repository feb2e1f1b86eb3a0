//! As much of HTTP/1.1 as DynamoDB's protocol needs: one message at a time on a kept connection, with
//! its length told.

use std::io;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A request or an answer: first line, other header lines, body.
#[derive(Debug, Clone, Default)]
pub struct Message {
    pub first_line: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Message {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// Of an answer: `HTTP/1.1 200 OK` → 200.
    pub fn status(&self) -> u16 {
        self.first_line.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a status line")
    }

    /// Of a request: the last word of `X-Amz-Target: DynamoDB_20120810.BatchWriteItem`.
    pub fn operation(&self) -> &str {
        self.header("x-amz-target").and_then(|target| target.rsplit('.').next()).unwrap_or("")
    }

    /// Of a request: whose signature it carries, `Credential=AKID/20261129/…`.
    pub fn access_key(&self) -> &str {
        let signed = self.header("authorization").and_then(|header| header.split("Credential=").nth(1));
        signed.and_then(|rest| rest.split('/').next()).unwrap_or("")
    }

    pub fn answer(status: u16, body: Vec<u8>) -> Self {
        let headers = vec![("content-type".to_owned(), "application/x-amz-json-1.0".to_owned())];
        Self { first_line: format!("HTTP/1.1 {status} -"), headers, body }
    }

    /// `None` when the other side closed the connection instead.
    pub async fn read(stream: &mut TcpStream) -> io::Result<Option<Self>> {
        let mut bytes = Vec::new();
        let end = loop {
            if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
                break end;
            }
            if stream.read_buf(&mut bytes).await? == 0 {
                return Ok(None);
            }
        };
        let head = String::from_utf8(bytes[..end].to_vec()).map_err(io::Error::other)?;
        let mut lines = head.split("\r\n").map(str::to_owned);
        let first_line = lines.next().unwrap_or_default();
        let headers =
            lines.filter_map(|line| line.split_once(':').map(|(n, v)| (n.to_owned(), v.trim().to_owned())));
        let mut message = Self { first_line, headers: headers.collect(), body: bytes.split_off(end + 4) };
        let length = message.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
        message.body.reserve(length);
        while message.body.len() < length {
            if stream.read_buf(&mut message.body).await? == 0 {
                return Ok(None);
            }
        }
        Ok(Some(message))
    }

    pub async fn write(&self, stream: &mut TcpStream) -> io::Result<()> {
        let mut head = format!("{}\r\n", self.first_line);
        for (name, value) in
            self.headers.iter().filter(|(name, _)| !name.eq_ignore_ascii_case("content-length"))
        {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str(&format!("content-length: {}\r\n\r\n", self.body.len()));
        let mut bytes = head.into_bytes();
        bytes.extend_from_slice(&self.body);
        stream.write_all(&bytes).await
    }
}
