//! Lengths of time as an operator writes them: `20ms`, `30s`, `45m`, `24h`, `30d`.

use std::time::Duration;

/// Reads a whole number and its unit.
///
/// # Errors
/// In words.
pub(crate) fn parse_duration(text: &str) -> Result<Duration, String> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let unit_ms: u64 = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => {
            return Err(format!(
                "expected a length of time such as `20ms`, `30s`, `45m`, `24h` or `30d`, found {text:?}"
            ));
        }
    };
    let ms = number
        .parse()
        .ok()
        .and_then(|number: u64| number.checked_mul(unit_ms));
    ms.map(Duration::from_millis)
        .ok_or_else(|| format!("expected a whole number before `{unit}`, found {text:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_is_read() {
        let cases = [
            ("20ms", 20),
            ("30s", 30_000),
            ("45m", 2_700_000),
            ("24h", 86_400_000),
            ("30d", 2_592_000_000),
            ("0s", 0),
        ];
        for (text, ms) in cases {
            assert_eq!(parse_duration(text), Ok(Duration::from_millis(ms)), "{text}");
        }
    }

    #[test]
    fn everything_else_is_refused() {
        for text in [
            "",
            "s",
            "1",
            "1 s",
            "-1s",
            "1.5s",
            "1S",
            "1w",
            "99999999999999999999s",
            "213503982335d",
        ] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }
}
