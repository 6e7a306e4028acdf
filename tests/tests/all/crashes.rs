//! Every story once more for every point at which a host can die: single crashes, not pairs.

use tests::stage;

use crate::stories::NAMES;

/// How many tests share the stories, so that they run side by side.
const SHARES: usize = 8;

fn share(number: usize) {
    for name in NAMES.iter().skip(number).step_by(SHARES) {
        stage::survives_a_crash_anywhere(name);
    }
}

macro_rules! shares {
    ($($test:ident = $number:literal)*) => {
        $(#[test]
        fn $test() {
            share($number);
        })*
    };
}

shares! {
    stories_survive_a_crash_anywhere_1 = 0
    stories_survive_a_crash_anywhere_2 = 1
    stories_survive_a_crash_anywhere_3 = 2
    stories_survive_a_crash_anywhere_4 = 3
    stories_survive_a_crash_anywhere_5 = 4
    stories_survive_a_crash_anywhere_6 = 5
    stories_survive_a_crash_anywhere_7 = 6
    stories_survive_a_crash_anywhere_8 = 7
}
