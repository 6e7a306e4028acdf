//! That the cost of a click does not grow with the store: no statement may walk through the documents.

use rusqlite::Connection;

use super::super::{batch, readers, rows, writer};

/// The plan of `sql` in a store of the current format, one line for each step.
fn plan(sql: &str) -> String {
    let connection = Connection::open_in_memory().unwrap();
    connection.execute_batch(include_str!("../schema.sql")).unwrap();
    let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
    // A statement that is only explained does not look at its parameters.
    let parameters = rusqlite::params_from_iter(vec![1; statement.parameter_count()]);
    let steps = statement.query_map(parameters, |row| row.get::<_, String>(3));
    steps.unwrap().map(|step| step.unwrap() + "\n").collect()
}

#[test]
fn no_statement_walks_through_the_documents_or_sorts_them() {
    let by_key = [batch::HEAD, rows::BY_KEY, readers::ASCENDING, readers::DESCENDING];
    let by_time = [readers::DUE, readers::NEXT, writer::PURGE];
    for sql in by_key.iter().chain(&by_time) {
        let plan = plan(sql);
        assert!(plan.contains("SEARCH documents USING"), "{sql}\n{plan}");
        assert!(
            !plan.contains("SCAN") && !plan.contains("TEMP B-TREE"),
            "{sql}\n{plan}"
        );
    }
}

#[test]
fn what_is_due_is_found_by_wake_time_alone() {
    assert!(plan(readers::DUE).contains("USING INDEX documents_by_wake"));
    assert!(plan(readers::NEXT).contains("USING COVERING INDEX documents_by_wake"));
    assert!(plan(writer::PURGE).contains("INDEX documents_by_expiry"));
}
