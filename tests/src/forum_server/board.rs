//! What stands in the forum: users, threads and their posts.

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// Somebody with an account.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct User {
    /// Unique in the forum.
    pub id: String,
    /// The name that is shown.
    pub name: String,
    /// Told to the bot only.
    pub email: Option<String>,
    /// Whether it is a program.
    pub bot: bool,
}

/// A button below a post.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Button {
    /// What a press reports.
    pub id: String,
    /// What stands on it.
    pub label: String,
}

/// A post.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Post {
    /// Unique in the forum.
    pub id: String,
    /// Where it stands.
    pub thread: String,
    /// The id of who wrote it.
    pub author: String,
    /// Plain text.
    pub text: String,
    /// Milliseconds since 1970; later than that of every earlier post.
    pub created_at: u64,
    /// How often it was edited.
    pub edits: u32,
    /// What can be pressed.
    pub buttons: Vec<Button>,
    /// What its writer calls it: a second post of a thread with the same one is the first.
    pub client_id: Option<String>,
}

/// What somebody wants to post.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Draft {
    pub(super) text: String,
    #[serde(default)]
    pub(super) buttons: Vec<Button>,
    #[serde(default)]
    pub(super) client_id: Option<String>,
}

/// What somebody wants to change.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Edit {
    pub(super) text: String,
    #[serde(default)]
    pub(super) buttons: Vec<Button>,
}

/// The forum's memory.
#[derive(Debug)]
pub(super) struct Board {
    users: BTreeMap<String, User>,
    posts: Vec<Post>,
    recognises_repeats: bool,
}

impl Board {
    pub(super) fn new(users: Vec<User>, recognises_repeats: bool) -> Self {
        Self {
            users: users.into_iter().map(|user| (user.id.clone(), user)).collect(),
            posts: Vec::new(),
            recognises_repeats,
        }
    }

    pub(super) fn set_user(&mut self, user: User) {
        self.users.insert(user.id.clone(), user);
    }

    /// A user; somebody unknown is a person without an e-mail address.
    pub(super) fn user(&self, id: &str) -> User {
        let unknown = || User {
            id: id.to_owned(),
            name: id.to_owned(),
            email: None,
            bot: false,
        };
        self.users.get(id).cloned().unwrap_or_else(unknown)
    }

    pub(super) fn known_user(&self, id: &str) -> Option<User> {
        self.users.get(id).cloned()
    }

    pub(super) fn users(&self) -> impl Iterator<Item = &User> {
        self.users.values()
    }

    /// Every thread with a post, the newest post first.
    pub(super) fn threads(&self) -> Vec<String> {
        let mut threads: Vec<String> = Vec::new();
        for post in self.posts.iter().rev() {
            if !threads.contains(&post.thread) {
                threads.push(post.thread.clone());
            }
        }
        threads
    }

    pub(super) fn posts(&self, thread: &str) -> Vec<Post> {
        self.posts
            .iter()
            .filter(|post| post.thread == thread)
            .cloned()
            .collect()
    }

    /// Writes a post, or finds the one that was written under the same client id.
    pub(super) fn post(&mut self, thread: &str, author: &str, draft: Draft) -> Post {
        let same = |post: &&Post| {
            post.thread == thread && post.author == author && post.client_id == draft.client_id
        };
        let recognisable = self.recognises_repeats && draft.client_id.is_some();
        if let Some(existing) = self.posts.iter().find(same).filter(|_| recognisable) {
            return existing.clone();
        }
        let user = self.user(author);
        self.set_user(user);
        let Draft {
            text,
            buttons,
            client_id,
        } = draft;
        let post = Post {
            id: format!("p{}", self.posts.len() + 1),
            thread: thread.to_owned(),
            author: author.to_owned(),
            text,
            created_at: now_ms().max(self.posts.last().map_or(0, |last| last.created_at + 1)),
            edits: 0,
            buttons,
            client_id,
        };
        self.posts.push(post.clone());
        post
    }

    /// Replaces text and buttons of a post; none when there is no such post.
    pub(super) fn edit(&mut self, id: &str, edit: Edit) -> Option<Post> {
        let post = self.posts.iter_mut().find(|post| post.id == id)?;
        post.text = edit.text;
        post.buttons = edit.buttons;
        post.edits += 1;
        Some(post.clone())
    }
}

#[expect(clippy::disallowed_methods, reason = "a platform has a clock of its own")]
pub(super) fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
