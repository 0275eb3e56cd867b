//! The worked case as it was noted by those who lived through it: what the page must show, known without the page.

/// A run, or a belief about one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// Its name in addresses.
    pub id: &'static str,
    pub fraction: f64,
    /// GiB.
    pub total: f64,
    /// GiB.
    pub available: f64,
    /// As the page writes it, in GiB.
    pub rest: &'static str,
}

const fn run(id: &'static str, fraction: f64, total: f64, available: f64, rest: &'static str) -> Run {
    Run { id, fraction, total, available, rest }
}

const MIB: f64 = 1.0 / 1024.0;
const TOTAL: f64 = 93.999;
const AVAILABLE: f64 = 21.697;

/// All of them; the first is what the page opens on.
pub const WEEK: [Run; 9] = [
    run("custom-allreduce-0.55", 0.55, TOTAL, AVAILABLE, "−20.603"),
    run("lowered-0.50", 0.50, TOTAL, AVAILABLE, "−25.303"),
    run("misread-physical-96", 0.55, 96.0, 21.7, "−21.500"),
    run("by-hand-0.55", 0.55, 94.0, 21.71, "−20.590"),
    run("by-hand-0.88", 0.88, 94.0, 21.71, "10.430"),
    run("ipc-buffers-24mb", 0.55, TOTAL - 24.0 * MIB, AVAILABLE - 24.0 * MIB, "−20.615"),
    run("bar-mappings-224mb", 0.55, TOTAL - 224.0 * MIB, AVAILABLE - 224.0 * MIB, "−20.723"),
    run("one-gpu-100mb-short", 0.55, TOTAL - 100.0 * MIB, AVAILABLE, "−20.559"),
    run("baseline-0.88", 0.88, TOTAL, AVAILABLE, "10.417"),
];

impl Run {
    /// Bytes of KV cache for one token on one GPU: 61 layers × (512 + 64) × 2 bytes.
    pub const CELL: f64 = 70272.0;

    /// What the formula gives, by SGLang's own steps: GiB, cut to bytes, divided down.
    pub fn tokens(&self) -> i64 {
        let rest = self.available - self.total * (1.0 - self.fraction);
        ((rest * 1_073_741_824.0).trunc() / Self::CELL).floor() as i64
    }

    /// Whether SGLang starts with it.
    pub fn starts(&self) -> bool {
        self.tokens() > 0
    }
}

/// A whole number as the page writes it: `−314,803`.
pub fn grouped(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut text = String::from(if number < 0 { "−" } else { "" });
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// What a run that is none of these printed: 31.697 GiB free after the weights, short by 10.603 GiB.
pub const ANOTHER_RUN: &str = "DEBUG profile_max_num_token: avail=31.697 GiB, total=93.999 GiB, fraction=0.55, reserved=42.300 GiB, rest=-10.603 GiB, cell_size=70272, max_tokens=-162012";
