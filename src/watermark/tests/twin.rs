//! The clock again, slow and plain, to be run against it.

use super::A_DAY;

/// The rules again, in the plainest words: every advance is kept, and everything worked out anew for each stamp.
#[derive(Default)]
pub(super) struct Twin {
    pub(super) now: Option<i128>,
    scale: i128,
    fixed: Option<i128>,
    advances: Vec<i128>,
    undoubted: u32,
    wary: bool,
    run: Vec<i128>,
    pub(super) late: u64,
    pub(super) greatest_lag: i128,
    pub(super) future: u64,
    pub(super) jumps: u64,
    pub(super) steps_back: u64,
}

impl Twin {
    pub(super) fn new(scale: i128, fixed: Option<i128>) -> Twin {
        Twin { scale, fixed, ..Twin::default() }
    }

    fn reach(&self) -> i128 {
        self.fixed.unwrap_or(self.scale.max(A_DAY.into()))
    }

    pub(super) fn max_jump(&self) -> i128 {
        if self.fixed.is_some() {
            return self.reach();
        }
        let blocks: Vec<_> = self.advances.chunks(512).collect();
        let whole = blocks.iter().filter(|block| block.len() == 512).count();
        let mut recent = blocks[whole.saturating_sub(1)..].concat();
        recent.sort();
        if self.undoubted < 32 || recent.len() < 2 {
            return if self.wary { self.reach() } else { self.reach().max(400 * i128::from(A_DAY)) };
        }
        recent.pop();
        let mean = recent.iter().sum::<i128>() * 200 / recent.len() as i128;
        self.reach().max(mean.min(recent[recent.len() - 1] * 24).min(i64::MAX.into()))
    }

    pub(super) fn advance(&mut self, stamp: i64) -> i64 {
        let stamp = i128::from(stamp);
        let now = *self.now.get_or_insert(stamp);
        let (ahead, behind) = (stamp - now > self.max_jump(), now - stamp > self.reach());
        if !ahead && !behind {
            self.run.clear();
            self.undoubted += 1;
            if stamp > now {
                self.advances.push(stamp - now);
                self.now = Some(stamp);
            }
        } else {
            self.run.retain(|other| (*other > now) == ahead);
            self.run.push(stamp);
            let needed = if ahead { 8 } else { 16 };
            if self.run.len() >= needed {
                let mut sorted = self.run[self.run.len() - needed..].to_vec();
                sorted.sort();
                let median = sorted[needed / 2 - 1];
                let target = *sorted.iter().filter(|stamp| **stamp <= median + self.reach()).max().unwrap();
                if ahead {
                    self.advances.push(target - now);
                    (self.jumps, self.undoubted, self.wary) = (self.jumps + 1, 0, false);
                } else if now - target > 8 * (sorted[11] - sorted[4]) {
                    (self.steps_back, self.wary) = (self.steps_back + 1, true);
                } else {
                    return self.judge(stamp);
                }
                self.now = Some(target);
                self.run.clear();
            }
        }
        self.judge(stamp)
    }

    fn judge(&mut self, stamp: i128) -> i64 {
        let now = self.now.unwrap();
        self.late += u64::from(stamp < now);
        self.future += u64::from(stamp > now);
        self.greatest_lag = self.greatest_lag.max(now - stamp);
        now as i64
    }
}
