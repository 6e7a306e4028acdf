//! The stories: the real engine on a stage, told in files that need no Rust to be read.

use std::collections::BTreeSet;

use tests::stage;

/// One test for every story, named like its file.
macro_rules! stories {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            stage::check(stringify!($name));
        })*

        pub(crate) const NAMES: &[&str] = &[$(stringify!($name)),*];
    };
}

stories! {
    a_card_edited_on_day_20_can_be_clicked_on_day_40
    a_card_whose_redraw_failed_is_redrawn_by_the_next_click
    a_click_on_an_earlier_message_is_out_of_date
    a_click_on_nothing_of_ours_is_acknowledged
    a_close_that_the_platform_limits_comes_when_it_may
    a_conversation_whose_hosts_both_die_goes_on
    a_crash_after_a_slow_click_was_acknowledged_loses_nothing
    a_crash_after_settled_closes_again
    a_crash_after_updated_leaves_a_twin_that_is_closed_with_the_rest
    a_crash_before_a_post_posts_it_later
    a_crash_before_a_reply_is_posted_posts_it_later
    a_crash_before_the_answer_is_written_leaves_the_question_open
    a_crash_before_updated_posts_the_next_question_later
    a_crash_between_a_post_and_its_record_leaves_a_twin_that_is_closed_with_the_rest
    a_crash_between_answer_and_continuation_loses_nothing
    a_crash_during_the_models_step_is_made_up_by_the_next_attempt
    a_crash_while_the_next_sender_is_checked_loses_nobody
    a_denial_asks_afresh
    a_direct_message_needs_no_mention
    a_dismissal_ends_the_turn_and_closes_the_sibling_cards
    a_redraw_that_its_end_overtook_is_closed_over
    a_dismissal_of_the_first_of_several_calls_leaves_nothing_unasked
    a_failed_turn_leaves_no_tool_call_without_a_result
    a_form_from_an_earlier_message_is_out_of_date
    a_form_that_names_its_message_needs_no_locator
    a_form_whose_locator_was_changed_leads_nowhere
    a_full_queue_says_so
    a_hook_ends_before_its_attempt_counts_as_lost
    a_hook_has_its_whole_time_after_a_slow_identity
    a_host_that_is_alone_goes_on_at_once_after_a_crash
    a_host_that_is_alone_makes_an_interrupted_step_again
    a_host_that_is_alone_posts_and_redraws_at_once_after_a_crash
    a_late_click_is_told_for_a_day_and_then_nothing
    a_late_result_of_a_lost_attempt_decides_nothing
    a_lease_that_cannot_be_renewed_once_loses_nothing
    a_long_step_keeps_its_lease_among_two_hosts
    a_lost_lease_is_noticed_and_its_work_dropped
    a_lost_reply_of_a_post_is_a_twin_too
    a_message_nobody_can_vouch_for_is_given_up_and_its_sender_told
    a_message_that_came_before_the_first_step_is_seen_after_its_answer
    a_message_that_cannot_be_written_is_taken_later
    a_message_that_waits_for_a_retry_does_not_hold_up_the_others
    a_message_whose_sender_cannot_be_resolved_is_tried_again
    a_model_is_not_offered_the_tool_where_controls_cannot_be_shown
    a_model_that_is_unavailable_is_asked_again
    a_model_that_stays_unavailable_fails_the_turn
    a_notice_that_fails_does_not_fail_the_interaction
    a_parse_that_traps_counts_as_ignore
    a_piece_that_cannot_read_its_state_posts_the_question_again
    a_piece_without_questions_never_asks
    a_piece_without_updated_gets_the_saved_state_and_nothing_else
    a_plain_message_to_a_piece_that_cannot_read_its_state_still_reaches_the_agent
    a_platform_that_recognises_repeats_shows_no_twin
    a_posted_question_that_cannot_be_recorded_leaves_a_twin
    a_promoted_sender_who_cannot_be_resolved_is_asked_for_again
    a_promoted_sender_without_access_is_passed_over
    a_question_longer_than_its_turn_runs_out_of_steps
    a_question_that_cannot_be_shown_comes_back_to_the_model
    a_question_that_could_not_be_posted_comes_with_the_next_message
    a_question_whose_card_is_gone_is_closed_without_it
    a_redelivered_message_changes_nothing
    a_redelivered_winning_click_is_still_a_success
    a_redraw_that_the_platform_limits_comes_later
    a_render_that_fails_is_made_again
    a_render_without_a_message_has_failed
    a_reply_is_posted_part_by_part_and_a_step_before_its_question
    a_reply_sent_before_the_question_is_out_of_date_and_consumed
    a_reply_that_is_refused_stays_in_the_chat
    a_response_that_comes_too_late_is_given_in_another_way
    a_result_that_cannot_be_written_for_long_is_made_again
    a_result_that_cannot_be_written_is_written_a_moment_later
    a_second_tap_waits_for_the_redraw
    a_settled_that_fails_is_tried_again
    a_slow_click_is_acknowledged_in_time_and_handled_afterwards
    a_slow_click_of_a_stranger_is_denied_afterwards
    a_slow_close_does_not_hold_up_its_sibling
    a_slow_close_holds_up_nothing_else
    a_slow_identity_asks_to_press_again
    a_store_that_cannot_be_read_is_asked_again
    a_storm_of_limits_in_one_thread_delays_it_and_no_other
    a_tap_whose_redraw_takes_too_long_is_told_so
    a_tool_that_is_unavailable_is_run_again
    a_turn_that_fails_says_so_once
    a_twin_that_shows_several_calls_is_closed_for_each_of_them
    an_accepted_message_survives_a_crash
    an_agent_without_the_tool_never_asks
    an_answer_and_a_dismissal_at_once_leave_one_outcome
    an_answer_counts_only_in_its_conversation
    an_answer_is_recorded_and_the_agent_goes_on
    an_answer_that_fails_validation_is_rejected_with_the_reason
    an_answered_question_that_was_not_closed_is_closed_by_the_next_interaction
    an_empty_selection_is_rejected
    an_expired_record_is_posted_again_with_the_next_message
    an_identity_that_fails_denies_nobody
    an_identity_that_keeps_failing_asks_to_try_again
    an_invalid_question_comes_back_to_the_model
    an_unavailable_store_refuses_events_and_loses_none
    an_unknown_commit_that_was_applied_is_found_by_reading
    an_unknown_commit_that_was_lost_performs_nothing
    an_updated_that_cannot_read_its_state_posts_the_question_again
    an_updated_that_fails_is_called_again_without_the_interaction
    anybody_who_passes_the_access_rule_may_answer
    fifty_people_click_and_one_answers
    hooks_that_fail_for_good_end_their_series
    messages_are_taken_in_their_order
    messages_wait_while_a_question_waits
    notices_of_a_piece_without_the_hook_are_not_told
    one_message_covers_several_calls
    public_stale_notices_come_once_a_minute
    server_tools_do_not_run_in_a_step_that_asks
    several_calls_are_asked_one_after_another
    several_questions_are_posted_step_by_step
    several_selections_are_marked_on_the_card
    somebody_without_access_is_denied_and_the_question_stays_open
    strangers_start_nothing
    supports_that_throws_offers_no_questions_for_that_turn
    the_continuation_runs_as_who_started_the_turn
    two_answers_to_two_calls_at_once_continue_once
    two_hosts_post_once_after_a_crash
    two_hosts_share_one_conversation
    updated_gives_up_after_ten_retries_and_the_next_interaction_begins_anew
    while_the_question_is_still_posting_everything_is_held
}

#[test]
fn every_story_is_played() {
    let files = std::fs::read_dir(stage::folder("stories")).unwrap();
    let names = files.filter_map(|file| {
        let name = file.unwrap().file_name().into_string().unwrap();
        name.strip_suffix(".story").map(str::to_owned)
    });
    let played = NAMES.iter().map(|name| (*name).to_owned());
    assert_eq!(names.collect::<BTreeSet<_>>(), played.collect::<BTreeSet<_>>());
}
