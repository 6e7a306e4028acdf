//! What the tool tells while it works: a build takes minutes the first time, and a program that installs something says
//! so before it does.

/// One line for the person who waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress<'a> {
    /// What the tool does next.
    Step(&'a str),
    /// A line that a command printed.
    Output(&'a str),
}

/// Where the lines go.
pub type Listener<'a> = &'a mut dyn FnMut(Progress<'_>);
