//! Messages as the LSP base protocol frames them: `Content-Length: N`, an empty line, N bytes of JSON.

use std::io::{self, BufRead, ErrorKind, Read, Write};

/// The longest message that is read, in bytes: as ctxmgr's own bound.
pub const LONGEST: usize = 64 << 20;
/// A header line longer than this many bytes, or more lines than this, is no header.
const LONGEST_LINE: u64 = 1024;
const MOST_LINES: usize = 16;

pub fn write(to: &mut impl Write, body: &[u8]) -> io::Result<()> {
    write!(to, "Content-Length: {}\r\n\r\n", body.len())?;
    to.write_all(body)?;
    to.flush()
}

/// The next message, None at the end. `InvalidData` for what is no frame: nothing after it can be read.
pub fn read(from: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut length = None;
    for lines in 0..MOST_LINES {
        let mut line = Vec::new();
        from.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line)?;
        if line.is_empty() && lines == 0 {
            return Ok(None);
        }
        if line == b"\r\n" {
            let length = length.filter(|&length| length <= LONGEST).ok_or(ErrorKind::InvalidData)?;
            let mut body = vec![0; length];
            from.read_exact(&mut body)?;
            return Ok(Some(body));
        }
        let line = std::str::from_utf8(&line).ok().and_then(|line| line.strip_suffix("\r\n"));
        let (name, value) = line.and_then(|line| line.split_once(':')).ok_or(ErrorKind::InvalidData)?;
        if name.eq_ignore_ascii_case("content-length") {
            length = Some(value.trim().parse().map_err(|_| ErrorKind::InvalidData)?);
        }
    }
    Err(ErrorKind::InvalidData.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_read_back_and_other_bytes_are_refused() {
        let mut wire = Vec::new();
        write(&mut wire, b"{}").unwrap();
        wire.extend(b"content-type: x\r\nCONTENT-LENGTH:4\r\n\r\nnull");
        let mut wire = &wire[..];
        assert_eq!(read(&mut wire).unwrap().unwrap(), b"{}");
        assert_eq!(read(&mut wire).unwrap().unwrap(), b"null");
        assert!(read(&mut wire).unwrap().is_none());
        let endless = "x".repeat(5000);
        let lines = "a: b\r\n".repeat(20);
        let long = format!("Content-Length: {}\r\n\r\n", LONGEST + 1);
        for bad in [
            "hello\n",
            "Content-Length: -1\r\n\r\n",
            "\r\n",
            "Content-Length: 9\r\n\r\n{}",
            &endless,
            &lines,
            &long,
        ] {
            assert!(read(&mut bad.as_bytes()).is_err(), "{bad:.40}");
        }
    }
}
