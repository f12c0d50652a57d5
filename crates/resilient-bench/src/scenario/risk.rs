//! The risk score of 100 KiB of code.

use anyhow::Result;
use resilient_core::risk::{self, Policy};
use serde_json::json;

use super::{Running, Setting};
use crate::measure::{Subject, timed};
use crate::report::Table;

pub(super) fn run(setting: &mut Setting) -> Result<Vec<Table>> {
    let text = setting.text(100 << 10);
    let policy = Policy::default();
    let mut subjects = vec![
        Subject::new("one pass", |_| {
            let (time, sum) = timed(|| {
                Ok(text.bytes().fold(0_u64, |sum, byte| sum.rotate_left(5) ^ u64::from(byte)))
            })?;
            std::hint::black_box(sum);
            Ok(time)
        }),
        Subject::new("library", |_| {
            let (time, report) = timed(|| Ok(risk::score(&text, &policy)))?;
            std::hint::black_box(report);
            Ok(time)
        }),
    ];
    for program in setting.programs() {
        let server = Running::start(program, setting)?;
        subjects.push(server.calling("rw.risk_score", |_| json!({"content": text})));
    }
    let samples = setting.interleave(100, &mut subjects)?;
    let mut table = Table::new("risk score of 100 KiB of code", "one pass", samples);
    table.goal_ms("library", 0.1);
    Ok(vec![table])
}
