//! The one integration binary.

mod black_box;
mod checked;
mod crashes;
mod differential;
mod golden;
mod installation;
mod judged;
mod stories;
mod tidy;
