//! Seeded stories: a share of fixed seeds, and every seed that ever failed.

use tests::simulator;

/// How many seeds are played, from 0: some twenty seconds in a debug build.
const SEEDS: u64 = 60;

#[test]
fn seeded_stories_break_no_promise() {
    for seed in 0..SEEDS {
        let broken = simulator::broken(seed).unwrap();
        assert!(
            broken.is_empty(),
            "seed {seed}: {broken:#?}\ncargo run -p tests --bin replay -- {seed}"
        );
    }
}
