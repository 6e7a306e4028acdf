//! The one integration binary.

mod black_box;
mod crashes;
mod golden;
mod installation;
mod stories;
mod tidy;
