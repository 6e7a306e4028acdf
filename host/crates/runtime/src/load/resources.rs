//! What a call of a piece takes of the pool. Every place for a call comes with a few memories and tables; a component that
//! has more takes several places, so that one piece keeps to its share and the pool is never used up.

use wasmtime::component::Component;

use super::Against;
use crate::guard::{Guard, stands};
use crate::limits::{MEMORIES_MAX, MEMORIES_PER_PLACE, SHARE_OF_ONE_PIECE, TABLES_MAX, TABLES_PER_PLACE};
use crate::setup::RuntimeConfig;

/// The places that one piece may have of so many.
pub(super) fn share(places: usize) -> usize {
    places.div_ceil(SHARE_OF_ONE_PIECE).max(1)
}

/// How many places a call of this component takes. Its core instances need no counting: the engine refuses more than each
/// single place has.
///
/// # Errors
/// It has too many memories or tables, or a call would take more than the piece's share.
pub(super) fn places_per_call(config: &RuntimeConfig, component: &Component) -> Result<u32, Against> {
    let Some(required) = component.resources_required() else {
        return Err((
            "the component imports a core module, so that nobody knows what it takes".to_owned(),
            "build the module into the component".to_owned(),
        ));
    };
    let (memories, tables) = (required.num_memories, required.num_tables);
    at_most("memories", memories, MEMORIES_MAX)?;
    at_most("tables", tables, TABLES_MAX)?;
    let places = places_for(memories, tables);
    let smallest = share(config.pure_calls_max.min(config.acting_calls_max));
    if usize::try_from(places).is_ok_and(|places| places <= smallest) {
        return Ok(places);
    }
    Err((
        format!(
            "a call takes {places} places ({memories} memories, {tables} tables), the share of one piece is {smallest}"
        ),
        format!(
            "link the piece's modules into fewer, or give the host {} or more calls in flight",
            u64::from(places).saturating_mul(u64::try_from(SHARE_OF_ONE_PIECE).unwrap_or(u64::MAX))
        ),
    ))
}

fn at_most(what: &str, found: u32, max: u32) -> Result<(), Against> {
    if found <= max || !stands(Guard::Resources) {
        return Ok(());
    }
    Err((
        format!("the component has {found} {what}, at most {max} are allowed"),
        "link the piece's modules into fewer".to_owned(),
    ))
}

fn places_for(memories: u32, tables: u32) -> u32 {
    let of_memories = memories.div_ceil(MEMORIES_PER_PLACE);
    let of_tables = tables.div_ceil(TABLES_PER_PLACE);
    of_memories.max(of_tables).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_never_take_more_than_their_places_have() {
        for memories in 0..=MEMORIES_MAX {
            for tables in 0..=TABLES_MAX {
                let places = places_for(memories, tables);
                assert!(
                    (1..=8).contains(&places)
                        && memories <= places * MEMORIES_PER_PLACE
                        && tables <= places * TABLES_PER_PLACE,
                    "{memories} memories, {tables} tables: {places}"
                );
            }
        }
        assert_eq!(places_for(1, 2), 1, "a piece of ours");
    }

    #[test]
    fn whatever_is_allowed_fits_the_share_of_the_default() {
        let config = RuntimeConfig::default();
        let largest = usize::try_from(places_for(MEMORIES_MAX, TABLES_MAX)).expect("small");
        assert!(largest <= share(config.pure_calls_max.min(config.acting_calls_max)));
    }
}
