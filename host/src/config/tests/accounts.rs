//! What is told of a channel with several accounts: whose secret is missing, and whom a platform id means.

use super::Case;

/// Where the channel of `MINIMAL` ends.
const SLOT: &str = "slots.api = { grant = \"https://forum.example\" }";

pub(super) const CASES: &[Case] = &[
    (
        "token = { env = \"TOKEN\" } }",
        "}\naccounts.T1.secrets.token = { env = \"TOKEN\" }\naccounts.T2 = {}\naccounts.T3 = {}",
        "frogbot.toml:10: channels.forum.accounts.T2.secrets.token: `forum` needs it for each account (posts), and this one \
            has none; set `{ env = \"NAME\" }` or `{ file = \"path\" }`\n\
            frogbot.toml:10: channels.forum.accounts.T3.secrets.token: `forum` needs it for each account (posts), and this one \
            has none; set `{ env = \"NAME\" }` or `{ file = \"path\" }`",
    ),
    (
        "token = { env = \"TOKEN\" } }",
        "}\naccounts = [\"T1\", \"T2\"]",
        "frogbot.toml:10: channels.forum.secrets.token: `forum` needs it (posts); set `{ env = \"NAME\" }` or \
            `{ file = \"path\" }`, or one for each account below `channels.forum.accounts.<account>.secrets`",
    ),
    (
        SLOT,
        "slots.api = { grant = \"https://forum.example\" }\naccounts.T1.secrets.tokn = { file = \"signing\" }",
        "frogbot.toml:16: channels.forum.secrets.tokn: `forum` has no such secret; did you mean `token`",
    ),
    (
        SLOT,
        "slots.api = { grant = \"https://forum.example\" }\naccounts.T1.secrets.token = { file = \"empty\" }",
        "frogbot.toml:16: channels.forum.accounts.T1.secrets.token: the secret's file empty is empty; write the secret into it",
    ),
    (
        SLOT,
        "slots.api = { grant = \"https://forum.example\" }\naccounts = [\"T1\", \"T2\"]\n\
            [[users]]\nid = \"ada\"\nplatform_ids = [\"forum:U1\", \"forum:T2/U1\", \"forum:T4/U1\", \"forum:/U1\"]",
        "frogbot.toml:19: users: platform_ids: `forum:U1` does not say which account it is of, and `channels.forum` has 2; \
            write `forum:T1/U1` if it is of that one\n\
            frogbot.toml:19: users: platform_ids: there is no account \"T4\" in `channels.forum.accounts`; known: `T1`, `T2`\n\
            frogbot.toml:19: users: platform_ids: expected `forum:<account>/<id>`, found `forum:/U1`",
    ),
    (
        SLOT,
        "slots.api = { grant = \"https://forum.example\" }\n\
            [[users]]\nid = \"ada\"\nplatform_ids = [\"forum:U1\", \"forum:T2/U1\"]",
        "frogbot.toml:18: users: platform_ids: `forum:U1` does not say which account it is of, and `channels.forum` names \
            none; write `forum:<account>/U1`, or name the one account as `channels.forum.accounts`",
    ),
    (
        SLOT,
        "slots.api = { grant = \"https://forum.example\" }\naccounts = [\"T1\"]\n\
            [[users]]\nid = \"ada\"\nplatform_ids = [\"forum:U1\"]\n\
            [[users]]\nid = \"bob\"\nplatform_ids = [\"forum:T1/U1\"]",
        "frogbot.toml:20: users: the platform id \"forum:T1/U1\" of \"bob\" belongs to \"ada\" already; keep it in one entry",
    ),
    (
        SLOT,
        "slots.api = { grant = \"https://forum.example\" }\naccounts = [\"T1\", \"T2\"]\n\
            [[users]]\nid = \"ada\"\nplatform_ids = [\"forum:T1/U1\"]\n\
            [[users]]\nid = \"bob\"\nplatform_ids = [\"forum:T2/U1\"]",
        "",
    ),
];
