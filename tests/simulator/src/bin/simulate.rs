//! Runs fresh seeds.
#![expect(clippy::print_stdout, reason = "a command")]

fn main() {
    let runs: u64 = std::env::args()
        .nth(1)
        .and_then(|n| n.parse().ok())
        .unwrap_or(100);
    let from: u64 = std::env::args().nth(2).and_then(|n| n.parse().ok()).unwrap_or(0);
    let mut failed = 0;
    let mut steps = 0;
    for seed in from..from + runs {
        let outcome = simulator::run(seed, simulator::Options::default());
        steps += outcome.steps;
        if !outcome.breaches.is_empty() {
            failed += 1;
            println!("seed {seed}: {} steps", outcome.steps);
            for breach in outcome.breaches.iter().take(3) {
                println!("   {}: {}", breach.promise, breach.what);
            }
        }
    }
    println!("{runs} runs, {steps} steps, {failed} failed");
}
