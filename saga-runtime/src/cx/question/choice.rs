//! `cx.choose(..)` and `cx.choose_many(..)`: choices that are known when they are put.

use std::{collections::HashSet, fmt::Display, marker::PhantomData, time::Duration};

use base64::{Engine as _, engine::general_purpose::STANDARD_NO_PAD};
use rmcp::{
    ErrorData,
    model::{
        ClientCapabilities, ElicitRequest, ElicitRequestParams, ElicitationCapability,
        ElicitationSchema, InputRequest, ProtocolVersion,
    },
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_bytes::ByteBuf;
use serde_json::{Value, json};

use super::{AskError, Common, common, form::TRIES};
use crate::{
    ask::{
        Ask, Judged,
        answer::Answer,
        client::{Client, Need},
    },
    codec,
    cx::Cx,
    persist::faithful,
};

/// The most options that a choice may have: more of them nobody reads, and all of them ride in the token.
pub(crate) const MAX_OPTIONS: usize = 256;

/// What can be chosen: it waits in the token for the answer.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an option of a choice",
    label = "it cannot wait for the answer",
    note = "the options are stored while the user thinks: `#[derive(Serialize, Deserialize)]` for an owned type, `String` for text",
    note = "or choose among names or numbers, and look up by the answer what they stand for"
)]
pub trait Choosable: Serialize + DeserializeOwned + Send {}

#[diagnostic::do_not_recommend]
impl<T: Serialize + DeserializeOwned + Send> Choosable for T {}

/// A choice of one; made by [`Cx::choose`](crate::Cx::choose).
#[derive(Debug)]
#[must_use = "a question is asked when it is awaited"]
pub struct ChoiceQuestion<T> {
    common: Common,
    memo: Options,
    answer: PhantomData<fn() -> T>,
}

/// A choice of several; made by [`Cx::choose_many`](crate::Cx::choose_many).
#[derive(Debug)]
#[must_use = "a question is asked when it is awaited"]
pub struct ManyQuestion<T> {
    common: Common,
    memo: Options,
    answer: PhantomData<fn() -> T>,
}

/// The options, and how many of them are chosen.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Options {
    message: String,
    /// What the user reads, and the client answers with; no two are the same.
    shown: Vec<String>,
    /// What they stand for, encoded.
    values: Vec<ByteBuf>,
    /// At least and at most so many; one, where there is nothing.
    many: Option<(u32, u32)>,
    tries: u32,
    problem: Option<String>,
    /// Why it cannot be put.
    failure: Option<String>,
}

impl Options {
    fn of<T: Choosable>(
        message: String,
        options: impl IntoIterator<Item = T>,
        shown: impl Fn(&T) -> String,
        several: bool,
    ) -> Self {
        let mut all = Self {
            message,
            shown: Vec::new(),
            values: Vec::new(),
            many: None,
            tries: TRIES,
            problem: None,
            failure: None,
        };
        // One more than there may be shows that there are too many, however many there are.
        for option in options.into_iter().take(MAX_OPTIONS + 1) {
            all.shown.push(shown(&option));
            match encoded(&option) {
                Ok(value) => all.values.push(ByteBuf::from(value)),
                Err(detail) => {
                    all.failure = Some(format!("an option cannot be stored: {detail}"));
                }
            }
        }
        tell_apart(&mut all.shown);
        if several {
            all.many = Some((0, u32::try_from(all.shown.len()).unwrap_or(u32::MAX)));
        }
        all
    }

    /// Why nobody can be asked this.
    fn failure(&self) -> Option<String> {
        let count = self.shown.len();
        let (least, most) = self.many.unwrap_or((1, 1));
        let nothing = (count == 0).then(|| "there is nothing to choose from".to_owned());
        let too_many = || {
            (count > MAX_OPTIONS).then(|| {
                format!("there are more than {MAX_OPTIONS} options: ask for a part of the name first, and choose among what has it")
            })
        };
        let impossible = || {
            let possible =
                least <= most && usize::try_from(least).is_ok_and(|least| least <= count);
            (!possible).then(|| format!("nobody can choose {least} to {most} of {count} options"))
        };
        nothing
            .or_else(too_many)
            .or_else(impossible)
            .or_else(|| self.failure.clone())
    }

    fn field(&self) -> &'static str {
        match self.many {
            None => "choice",
            Some(_) => "choices",
        }
    }

    fn request(self, version: Option<&ProtocolVersion>) -> Result<InputRequest, ErrorData> {
        let several = self.many.is_some();
        if several && version.is_some_and(|version| *version < ProtocolVersion::V_2025_11_25) {
            let why = "a choice of several, which clients have from 2025-11-25";
            return Err(ErrorData::internal_error(why, None));
        }
        let field = match self.many {
            None => json!({ "type": "string", "enum": self.shown }),
            Some((least, most)) => json!({
                "type": "array",
                "minItems": least,
                "maxItems": most,
                "items": { "type": "string", "enum": self.shown },
            }),
        };
        let schema = json!({
            "type": "object",
            "properties": { self.field(): field },
            "required": [self.field()],
        });
        let schema = ElicitationSchema::from_json_schema(rmcp::model::object(schema));
        let requested_schema =
            schema.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        let message = match self.problem {
            Some(problem) => format!("{}\n({problem})", self.message),
            None => self.message,
        };
        Ok(InputRequest::Elicitation(ElicitRequest::new(
            ElicitRequestParams::FormElicitationParams {
                meta: None,
                message,
                requested_schema,
            },
        )))
    }

    /// The values that a result chooses, in the order of the options, or what is wrong with it.
    fn chosen(&self, result: &Value) -> Result<Vec<&ByteBuf>, String> {
        let answer = result
            .get("content")
            .and_then(|content| content.get(self.field()));
        let texts = match (self.many, answer) {
            (None, Some(Value::String(one))) => vec![one.as_str()],
            (Some(_), Some(Value::Array(items))) => {
                let texts: Option<Vec<_>> = items.iter().map(Value::as_str).collect();
                texts.ok_or("choose among the options")?
            }
            (None, _) => return Err("choose one of the options".to_owned()),
            (Some(_), _) => return Err("choose among the options".to_owned()),
        };
        let chosen: HashSet<_> = texts.iter().copied().collect();
        if chosen.len() < texts.len() {
            return Err("choose each option once".to_owned());
        }
        let options = self.shown.iter().zip(&self.values);
        let values: Vec<_> = options
            .filter(|(shown, _)| chosen.contains(shown.as_str()))
            .map(|(_, value)| value)
            .collect();
        if values.len() < chosen.len() {
            return Err("that is not one of the options".to_owned());
        }
        let count = u32::try_from(values.len()).unwrap_or(u32::MAX);
        match self.many {
            Some((least, _)) if count < least => Err(format!("choose at least {least}")),
            Some((_, most)) if count > most => Err(format!("choose at most {most}")),
            _ => Ok(values),
        }
    }

    /// Puts what was chosen in the place of how the client called it: nothing else counts later.
    fn judged(self, result: Value) -> Judged<Self> {
        if result.get("action").and_then(Value::as_str) != Some("accept") {
            return Judged::Settled(result);
        }
        match self.chosen(&result) {
            Ok(values) => {
                let values = values
                    .into_iter()
                    .map(|value| STANDARD_NO_PAD.encode(value));
                let values: Vec<_> = values.collect();
                Judged::Settled(json!({ "action": "accept", "values": values }))
            }
            Err(problem) if self.tries > 1 => Judged::Again(Self {
                tries: self.tries - 1,
                problem: Some(problem),
                ..self
            }),
            Err(problem) => Judged::Settled(json!({ "action": "accept", "problem": problem })),
        }
    }
}

/// Encodes an option; an error where it would not come back as it is.
fn encoded<T: Choosable>(option: &T) -> Result<Vec<u8>, String> {
    let (mut first, mut second) = (Vec::new(), Vec::new());
    codec::encode(option, &mut first)?;
    codec::encode(&codec::decode::<T>(&first)?, &mut second)?;
    // A hash table may have another order each time.
    faithful::compare(&first, &second)
        .map_err(|_| "it is read back as another value".to_owned())?;
    Ok(first)
}

/// Numbers what is shown alike: `Emma`, `Emma (2)`.
fn tell_apart(shown: &mut [String]) {
    let mut taken: HashSet<String> = shown.iter().cloned().collect();
    let mut seen = HashSet::new();
    for text in shown {
        if seen.insert(text.clone()) {
            continue;
        }
        let numbered = (2..).map(|number: u32| format!("{text} ({number})"));
        if let Some(free) = numbered.into_iter().find(|free| !taken.contains(free)) {
            taken.insert(free.clone());
            seen.insert(free.clone());
            *text = free;
        }
    }
}

/// What was chosen, out of the record of an answer.
fn outcome<T: Choosable>(answer: &Answer) -> Result<Vec<T>, AskError> {
    let Answer::Result(result) = answer else {
        let mut required = ClientCapabilities::default();
        required.elicitation = Some(ElicitationCapability::default());
        return Err(AskError::of(answer, required));
    };
    match result.get("action").and_then(Value::as_str) {
        Some("decline") => return Err(AskError::Declined),
        Some("cancel") => return Err(AskError::Dismissed),
        _ => {}
    }
    let unread = || AskError::Invalid("what was chosen cannot be read".to_owned());
    let Some(values) = result.get("values").and_then(Value::as_array) else {
        let problem = result.get("problem").and_then(Value::as_str);
        return Err(problem.map_or_else(unread, |problem| AskError::Invalid(problem.to_owned())));
    };
    let values = values.iter().map(|value| {
        let bytes = STANDARD_NO_PAD.decode(value.as_str()?).ok()?;
        codec::decode(&bytes).ok()
    });
    values.collect::<Option<_>>().ok_or_else(unread)
}

macro_rules! choices {
    ($($question:ident, $several:literal, $output:ty, $take:expr;)*) => {
        $(
            impl<T: Choosable> $question<T> {
                pub(crate) fn new(
                    cx: Cx,
                    message: String,
                    options: impl IntoIterator<Item = T>,
                    shown: impl Fn(&T) -> String,
                ) -> Self {
                    Self {
                        common: Common::new(cx),
                        memo: Options::of(message, options, shown, $several),
                        answer: PhantomData,
                    }
                }

                /// How often the choice is shown at most, including the first time: 3 by default. After that, an
                /// answer that is not one of the options is [`AskError::Invalid`].
                pub fn tries(mut self, tries: u32) -> Self {
                    self.memo.tries = tries.max(1);
                    self
                }
            }

            common!($question<T: Choosable>);

            impl<T: Choosable> Ask for $question<T> {
                type Output = Result<$output, AskError>;
                type Memo = Options;

                const CHECKS: bool = true;

                fn memo(&mut self) -> Options {
                    self.memo.clone()
                }

                fn key(&self) -> Option<&str> {
                    self.common.key.as_deref()
                }

                fn timeout(&self) -> Option<Duration> {
                    self.common.timeout
                }

                fn refusal(&self, client: &Client) -> Option<Answer> {
                    if !client.can_elicit() {
                        return Some(Answer::Unsupported);
                    }
                    let failure = self.memo.failure()?;
                    Some(Answer::error(&ErrorData::internal_error(failure, None)))
                }

                fn need(&self) -> Need {
                    Need::Form
                }

                fn undeclared(_: Need, _: &Client) -> Answer {
                    Answer::Unsupported
                }

                fn request(memo: Options, client: &Client) -> Result<InputRequest, ErrorData> {
                    memo.request(client.version())
                }

                fn judge(memo: Options, result: Value) -> Judged<Options> {
                    memo.judged(result)
                }

                fn output(answer: &Answer) -> Self::Output {
                    outcome::<T>(answer).and_then($take)
                }
            }

            impl<T: Choosable> crate::ask::pause::Question for $question<T> {}
        )*
    };
}

choices! {
    ChoiceQuestion, false, T, |values: Vec<T>| {
        let unread = || AskError::Invalid("what was chosen cannot be read".to_owned());
        values.into_iter().next().ok_or_else(unread)
    };
    ManyQuestion, true, Vec<T>, Ok;
}

impl<T: Choosable> ManyQuestion<T> {
    /// At least so many are chosen; where nothing is said, none will do.
    pub fn at_least(mut self, least: u32) -> Self {
        if let Some((min, _)) = &mut self.memo.many {
            *min = least;
        }
        self
    }

    /// At most so many are chosen.
    pub fn at_most(mut self, most: u32) -> Self {
        if let Some((_, max)) = &mut self.memo.many {
            *max = most;
        }
        self
    }
}

/// An option as it shows itself.
pub(crate) fn by_display<T: Display>(option: &T) -> String {
    option.to_string()
}

#[cfg(test)]
mod tests {
    use super::{MAX_OPTIONS, Options, tell_apart};

    fn failure(count: usize) -> Option<String> {
        Options::of("?".to_owned(), 0..count, ToString::to_string, false).failure()
    }

    #[test]
    fn what_is_shown_alike_is_numbered() {
        let mut shown = ["a", "b", "a", "a (2)", "a", "a (2)"].map(str::to_owned);
        tell_apart(&mut shown);
        assert_eq!(shown, ["a", "b", "a (3)", "a (2)", "a (4)", "a (2) (2)"]);
    }

    #[test]
    fn no_options_and_too_many_are_no_question() {
        assert!(failure(0).is_some_and(|why| why.contains("nothing")));
        assert_eq!(failure(1), None);
        assert_eq!(failure(MAX_OPTIONS), None);
        assert!(failure(MAX_OPTIONS + 1).is_some_and(|why| why.contains("more than")));
    }

    #[test]
    fn an_option_with_a_hash_table_comes_back_whatever_its_order() {
        let table: std::collections::HashMap<u32, u32> = (0..50).map(|n| (n, n * 2)).collect();
        let options = Options::of("?".to_owned(), [table], |_| String::new(), false);
        assert_eq!(options.failure(), None);
    }

    #[test]
    fn an_option_that_would_come_back_as_another_is_none() {
        #[derive(serde::Serialize, serde::Deserialize)]
        struct Shrinking(#[serde(deserialize_with = "less")] u8);
        fn less<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<u8, D::Error> {
            <u8 as serde::Deserialize>::deserialize(deserializer).map(|n| n / 2)
        }
        let less = Options::of("?".to_owned(), [Shrinking(8)], |_| String::new(), false);
        assert!(
            less.failure()
                .is_some_and(|why| why.contains("another value"))
        );
    }
}
