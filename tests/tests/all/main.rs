//! The one integration binary.

mod black_box;
mod crashes;
mod golden;
mod installation;
mod simulator;
mod stories;
mod tidy;
