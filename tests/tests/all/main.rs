//! The one integration binary.

mod black_box;
mod crashes;
mod golden;
mod stories;
mod tidy;
