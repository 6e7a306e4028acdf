//! The newest messages of a chat, as an event reads them beside the records: what it changes is nearly always among them.

use ports::documents::{Document, Key};

/// The newest messages of the chat, undecoded: most events change the last or add one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Newest {
    /// By their keys, the newest first.
    pub(crate) documents: Vec<Document>,
    /// Whether the chat has no others.
    pub(crate) complete: bool,
}

/// What a view knows of one message.
#[derive(Clone, Debug)]
pub(crate) enum Known {
    There(Document),
    /// There is none of this number.
    Absent,
    /// It is older than those that were read.
    Unread,
}

impl Newest {
    /// The message with this key.
    pub(crate) fn find(&self, key: &Key) -> Known {
        if let Some(document) = self.documents.iter().find(|document| document.key == *key) {
            return Known::There(document.clone());
        }
        let oldest = self.documents.last();
        let reaches = oldest.is_some_and(|document| document.key < *key);
        if self.complete || reaches {
            Known::Absent
        } else {
            Known::Unread
        }
    }

    /// The same after a commit.
    pub(crate) fn written(&mut self, document: Document) {
        self.deleted(&document.key);
        let newer = |other: &Document| other.key > document.key;
        let at = self.documents.partition_point(newer);
        // Between the oldest that was read and one behind it there may be others.
        if at < self.documents.len() || self.complete {
            self.documents.insert(at, document);
        }
    }

    /// The same after a commit that deleted this one.
    pub(crate) fn deleted(&mut self, key: &Key) {
        self.documents.retain(|document| document.key != *key);
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use ports::documents::{CommitId, Version};

    use super::*;

    fn document(key: &str) -> Document {
        Document {
            key: Key(key.to_owned()),
            version: Version(1),
            commit: CommitId(1),
            value: Bytes::new(),
            expires: None,
            wake: None,
        }
    }

    fn newest(keys: &[&str], complete: bool) -> Newest {
        let documents = keys.iter().map(|key| document(key)).collect();
        Newest { documents, complete }
    }

    fn known(newest: &Newest, key: &str) -> &'static str {
        match newest.find(&Key(key.to_owned())) {
            Known::There(_) => "there",
            Known::Absent => "absent",
            Known::Unread => "unread",
        }
    }

    #[test]
    fn only_what_is_newer_than_the_oldest_that_was_read_is_known_to_be_absent() {
        let some = newest(&["7", "5"], false);
        let told = ["8", "7", "6", "5", "4"].map(|key| known(&some, key));
        assert_eq!(told, ["absent", "there", "absent", "there", "unread"]);
        let none = newest(&[], false);
        assert_eq!(known(&none, "1"), "unread");
    }

    #[test]
    fn of_a_whole_chat_everything_is_known() {
        let all = newest(&["5"], true);
        assert_eq!(
            ["6", "5", "4"].map(|key| known(&all, key)),
            ["absent", "there", "absent"]
        );
        assert_eq!(known(&newest(&[], true), "1"), "absent");
    }

    #[test]
    fn what_a_commit_wrote_behind_the_oldest_says_nothing_about_what_is_between() {
        let mut some = newest(&["7", "5"], false);
        some.written(document("2"));
        assert_eq!(["4", "2"].map(|key| known(&some, key)), ["unread", "unread"]);
        some.written(document("6"));
        some.written(document("8"));
        let keys: Vec<&str> = some.documents.iter().map(|document| &*document.key.0).collect();
        assert_eq!(keys, ["8", "7", "6", "5"]);
        let mut none = newest(&[], false);
        none.written(document("3"));
        assert_eq!(known(&none, "4"), "unread");
    }

    #[test]
    fn what_a_commit_deleted_is_absent_where_older_ones_were_read() {
        let mut some = newest(&["7", "6", "5"], false);
        some.deleted(&Key("6".to_owned()));
        assert_eq!(["6", "5"].map(|key| known(&some, key)), ["absent", "there"]);
        some.deleted(&Key("5".to_owned()));
        assert_eq!(known(&some, "5"), "unread");
    }
}
