//! Between the types of `ports` and those of the contract. What goes in is trusted; what comes out of a guest is checked
//! against every limit that `wit/` names before it becomes a type of `ports`.

mod bounds;
pub(crate) mod from_channel;
pub(crate) mod from_questions;
pub(crate) mod to_guest;

pub(crate) use bounds::Garbage;
