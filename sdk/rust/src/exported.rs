//! Between the exports of the component, which own their arguments, and the traits of this crate, which borrow them.

use std::marker::PhantomData;

use crate::bindings::questions::exports::frogbot::piece::{channel, channel_questions};
use crate::{
    Author, Call, Channel, Connected, Context, Conversation, Done, Failure, InboundRequest, Interaction,
    Offer, Outcome, Parsed, Posted, Profile, QuestionChange, QuestionRecord, Questions, Received, Rendering,
    Settings, Shared,
};

/// The component's exports for a piece; made by [`export!`](crate::export) and [`export_channel!`](crate::export_channel).
pub struct Exported<P>(PhantomData<P>);

impl<P: Channel> channel::Guest for Exported<P> {
    fn connect(context: Context, account: String) -> Result<Connected, Failure> {
        P::connect(&context, &account)
    }

    fn receive(settings: Settings, request: InboundRequest) -> Result<Received, String> {
        P::receive(&settings, &request)
    }

    fn identity(context: Context, conversation: Conversation, author: Author) -> Result<Profile, Failure> {
        P::identity(&context, &conversation, &author)
    }

    fn started(
        context: Context,
        conversation: Conversation,
        message_id: Option<String>,
    ) -> Result<Done, Failure> {
        P::started(&context, &conversation, message_id.as_deref())
    }

    fn split(settings: Settings, text: String) -> Vec<String> {
        P::split(&settings, &text)
    }

    fn post(context: Context, conversation: Conversation, part: String) -> Result<Posted, Failure> {
        P::post(&context, &conversation, &part)
    }

    fn edit(
        context: Context,
        conversation: Conversation,
        message_id: String,
        part: String,
    ) -> Result<Done, Failure> {
        P::edit(&context, &conversation, &message_id, &part)
    }

    fn remove(context: Context, conversation: Conversation, message_id: String) -> Result<Done, Failure> {
        P::remove(&context, &conversation, &message_id)
    }
}

impl<P: Questions> channel_questions::Guest for Exported<P> {
    fn supports(settings: Settings, conversation: Conversation) -> bool {
        P::supports(&settings, &conversation)
    }

    fn render(context: Context, conversation: Conversation, calls: Vec<Call>) -> Result<Rendering, Failure> {
        P::render(&context, &conversation, &calls)
    }

    fn parse(
        settings: Settings,
        conversation: Conversation,
        call: Call,
        question: QuestionRecord,
        interaction: Interaction,
        settled: bool,
    ) -> Parsed {
        let offer = Offer {
            settings,
            conversation,
            call,
            question,
            interaction,
            settled,
        };
        P::parse(&offer).unwrap_or_else(|unreadable| {
            crate::log::warn(unreadable.to_string());
            Parsed::StateUnreadable
        })
    }

    fn updated(shared: Shared, interaction: Option<Interaction>) -> Result<QuestionChange, Failure> {
        P::updated(&shared, interaction.as_ref())
    }

    fn settled(shared: Shared, outcome: Outcome) -> Result<QuestionChange, Failure> {
        P::settled(&shared, &outcome)
    }

    fn rejected(shared: Shared, interaction: Interaction, reason: String) -> Result<Done, Failure> {
        P::rejected(&shared, &interaction, &reason)
    }

    fn denied(shared: Shared, interaction: Interaction) -> Result<Done, Failure> {
        P::denied(&shared, &interaction)
    }

    fn stale(shared: Shared, interaction: Interaction) -> Result<Done, Failure> {
        P::stale(&shared, &interaction)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;
    use crate::{Unreadable, log::Level};

    /// Every hook that may be left out is.
    struct Forgetful;

    impl Channel for Forgetful {
        fn receive(_: &Settings, _: &InboundRequest) -> Result<Received, String> {
            Ok(Received::nothing())
        }

        fn post(_: &Context, _: &Conversation, _: &str) -> Result<Posted, Failure> {
            Err(Failure::refused("nothing is posted here"))
        }
    }

    impl Questions for Forgetful {
        fn render(_: &Context, _: &Conversation, _: &[Call]) -> Result<Rendering, Failure> {
            Err(Failure::refused("nothing is posted here"))
        }

        fn parse(_: &Offer) -> Result<Parsed, Unreadable> {
            Err(Unreadable::new("written by another version"))
        }

        fn settled(_: &Shared, _: &Outcome) -> Result<QuestionChange, Failure> {
            Ok(QuestionChange::default())
        }
    }

    crate::export!(Forgetful);

    #[test]
    fn an_unreadable_state_reaches_the_host_as_such_and_the_operator_as_a_line() {
        let host = testing::FakeHost::answering(|_| Err(crate::http::Error::Unreachable));
        let Offer {
            settings,
            conversation,
            call,
            question,
            interaction,
            settled,
        } = testing::offer(
            testing::conversation("a", "r", "t"),
            testing::call("c1", Vec::new()),
            testing::record(&[("p1", 1)], None),
            testing::reply("hello", 2),
        );
        let parsed = <Exported<Forgetful> as channel_questions::Guest>::parse(
            settings,
            conversation,
            call,
            question,
            interaction,
            settled,
        );
        assert_eq!(parsed, Parsed::StateUnreadable);
        assert_eq!(
            host.lines(),
            [(Level::Warn, "written by another version".to_owned())]
        );
    }

    #[test]
    fn hooks_that_are_left_out_do_no_harm() {
        let settings = testing::settings(&serde_json::json!({}), "a", &serde_json::Value::Null);
        let conversation = testing::conversation("a", "r", "t");
        let context = testing::context(settings.clone());
        let author = Author {
            external: true,
            ..testing::person("U1")
        };
        assert!(<Exported<Forgetful> as channel_questions::Guest>::supports(
            settings.clone(),
            conversation.clone()
        ));
        let parts = <Exported<Forgetful> as channel::Guest>::split(settings, "one\n\ntwo".to_owned());
        assert_eq!(parts, ["one\n\ntwo"]);
        let profile =
            <Exported<Forgetful> as channel::Guest>::identity(context, conversation, author).unwrap();
        assert_eq!((profile.email, profile.external), (None, true));
    }
}
