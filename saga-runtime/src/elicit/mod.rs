//! Forms: what the user is asked to fill in, as data. `#[derive(Elicit)]` makes one of a struct.

pub(crate) mod check;
mod field;
mod pattern;
#[doc(hidden)]
pub mod refuse;
mod schema;

use serde::de::DeserializeOwned;
use serde_json::Value;

pub use self::field::{FormChoice, FormField, Shape, Takes};
pub use self::pattern::Pattern;
pub use self::schema::choice_schema;

/// A form that the user can fill in; derived.
///
/// The specification allows a flat object of strings, numbers, integers, booleans, and choices of one or
/// several among named options (MCP 2026-07-28, client/elicitation, "Requested Schema"). Anything else is
/// a compile error on the field.
///
/// | attribute | on | says |
/// |---|---|---|
/// | doc comment, `#[elicit(description = "..")]` | all | the description |
/// | `#[elicit(title = "..")]` | all, and variants of a choice | what is shown in place of the name |
/// | `#[elicit(default = ..)]` | fields | what the form is filled in with |
/// | `#[elicit(min = .., max = ..)]` | numbers | the range, inclusive |
/// | `#[elicit(min_length = .., max_length = ..)]` | strings | length in characters |
/// | `#[elicit(format = "email")]` | strings | `email`, `uri`, `date` or `date-time` |
/// | `#[elicit(pattern = "..")]` | strings | a regular expression that is found in it; `^` and `$` for the whole |
/// | `#[elicit(min_items = .., max_items = ..)]` | choices of several | how many |
///
/// A pattern is checked in the answers to `cx.elicit`, and is not sent: the specification's schema has none. Say in the
/// description what is asked for. It is in the part of regular expressions that JSON Schema (ECMA-262) has, too; `\d`, `\w` and
/// `\b` are of ASCII, and matching takes time in proportion to the text.
///
/// `#[serde(rename, rename_all, default, skip)]` and the same words of `#[schemars(..)]` (`title`,
/// `description`, `range`, `length`, `email`, `url`) are read too. `Option<T>` and fields with
/// `#[serde(default)]` may be left empty. An enum without data is a choice; `Vec` of one, of several.
/// The doc comment of an option is its title.
///
/// The derive also implements `schemars::JsonSchema`, so that `peer.elicit::<T>(..)` asks with the same
/// form: leave `JsonSchema` out of the list of derives.
///
/// Fields are sent in the order of the struct. On the saga methods a form passes through a
/// `serde_json::Value`, whose maps sort their keys: there the order is kept with the crate's feature
/// `preserve_order`.
///
/// A type of your own is a field where it says what it takes:
/// `impl FormField for Port { const SHAPE: Shape = u16::SHAPE; }`.
///
/// ```
/// use saga_runtime::Elicit;
/// use serde::Deserialize;
///
/// #[derive(Deserialize, Elicit)]
/// enum Environment {
///     /// The staging servers
///     Staging,
///     #[elicit(title = "The real thing")]
///     Production,
/// }
///
/// /// Where to deploy.
/// #[derive(Deserialize, Elicit)]
/// #[serde(rename_all = "camelCase")]
/// struct Target {
///     environment: Environment,
///     /// How many replicas.
///     #[elicit(min = 1, max = 9, default = 3)]
///     replica_count: u8,
///     #[elicit(format = "email")]
///     notify: Option<String>,
/// }
///
/// let form = Target::form();
/// assert!(form.check(&serde_json::json!({ "environment": "Staging", "replicaCount": 2 })).is_ok());
/// let problem = form.check(&serde_json::json!({ "environment": "Staging", "replicaCount": 20 }));
/// assert_eq!(problem.unwrap_err(), "`replicaCount` must be at most 9");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a form that the user can fill in",
    label = "not a form",
    note = "`#[derive(Deserialize, Elicit)]` on a struct of strings, numbers, booleans and choices",
    note = "`!` or `_` stands where no type is said: `cx.elicit::<Form>(..)`",
    note = "one value alone, or an enum, is a field of such a struct; among values that are known at run time the user chooses with `cx.choose(..)`"
)]
pub trait Elicit: DeserializeOwned {
    /// The form.
    fn form() -> &'static Form;
}

/// A form: fields in order.
#[derive(Debug, Clone, PartialEq)]
pub struct Form {
    pub(crate) title: Option<&'static str>,
    pub(crate) description: Option<&'static str>,
    pub(crate) fields: Vec<Field>,
}

/// One field of a form.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    pub(crate) name: &'static str,
    pub(crate) title: Option<&'static str>,
    pub(crate) description: Option<&'static str>,
    pub(crate) required: bool,
    pub(crate) default: Option<Value>,
    pub(crate) kind: Kind,
}

/// What a field takes.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// Text.
    Text {
        /// At least so many characters.
        min_length: Option<u32>,
        /// At most so many characters.
        max_length: Option<u32>,
        /// Of this form.
        format: Option<Format>,
        /// With this pattern.
        pattern: Option<Pattern>,
    },
    /// A number.
    Number {
        /// At least this.
        min: Option<f64>,
        /// At most this.
        max: Option<f64>,
    },
    /// A whole number.
    Integer {
        /// At least this.
        min: Option<i64>,
        /// At most this.
        max: Option<i64>,
    },
    /// Yes or no.
    Boolean,
    /// One of several options.
    Choice(&'static [Choice]),
    /// Some of several options.
    Choices {
        /// What there is.
        options: &'static [Choice],
        /// At least so many.
        min_items: Option<u32>,
        /// At most so many.
        max_items: Option<u32>,
    },
}

/// One option of a choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// The value, as it is sent.
    pub value: &'static str,
    /// What the user reads in its place.
    pub title: Option<&'static str>,
}

/// The forms of text that the specification knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// An address of e-mail.
    Email,
    /// An absolute URI.
    Uri,
    /// A date: `2026-07-28`.
    Date,
    /// A time with its offset (RFC 3339).
    DateTime,
}

impl Form {
    /// A form of these fields.
    pub fn new(
        title: Option<&'static str>,
        description: Option<&'static str>,
        fields: Vec<Field>,
    ) -> Self {
        Self {
            title,
            description,
            fields,
        }
    }

    /// The fields in order.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }
}

impl Field {
    /// A field for values of a type with this shape: `<T as FormField>::SHAPE`.
    pub fn of(name: &'static str, shape: Shape) -> Self {
        Self {
            name,
            title: None,
            description: None,
            required: shape.required,
            default: None,
            kind: shape.takes.into(),
        }
    }

    /// The name, as it is sent.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// What it takes.
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// Whether it must be filled in.
    pub fn is_required(&self) -> bool {
        self.required
    }

    /// Sets what is shown in place of the name.
    #[must_use]
    pub fn title(mut self, title: &'static str) -> Self {
        self.title = Some(title);
        self
    }

    /// Sets the description.
    #[must_use]
    pub fn description(mut self, description: &'static str) -> Self {
        self.description = Some(description);
        self
    }

    /// Lets the field be left empty.
    #[must_use]
    pub fn optional(mut self) -> Self {
        self.required = false;
        self
    }

    /// Sets what the form is filled in with.
    #[must_use]
    pub fn default_value(mut self, value: impl Into<Value>) -> Self {
        let value = value.into();
        self.default = Some(match (&self.kind, value.as_f64()) {
            (Kind::Number { .. }, Some(number)) => number.into(),
            _ => value,
        });
        self
    }

    /// Limits a string's length, in characters.
    #[must_use]
    pub fn length(mut self, min: Option<u32>, max: Option<u32>) -> Self {
        if let Kind::Text {
            min_length,
            max_length,
            ..
        } = &mut self.kind
        {
            (*min_length, *max_length) = (min, max);
        }
        self
    }

    /// Sets a string's form.
    #[must_use]
    pub fn format(mut self, of: Format) -> Self {
        if let Kind::Text { format, .. } = &mut self.kind {
            *format = Some(of);
        }
        self
    }

    /// Sets a string's pattern, which the client is not told.
    #[must_use]
    pub fn pattern(mut self, of: &'static str) -> Self {
        if let Kind::Text { pattern, .. } = &mut self.kind {
            *pattern = Some(Pattern::new(of));
        }
        self
    }

    /// Limits an integer; what is not given stays as the type has it.
    #[must_use]
    pub fn range(mut self, at_least: Option<i64>, at_most: Option<i64>) -> Self {
        match &mut self.kind {
            Kind::Integer { min, max } => {
                (*min, *max) = (at_least.or(*min), at_most.or(*max));
            }
            Kind::Number { min, max } => {
                #[allow(clippy::cast_precision_loss, reason = "the schema has numbers in f64")]
                let float = |value: i64| value as f64;
                (*min, *max) = (at_least.map(float).or(*min), at_most.map(float).or(*max));
            }
            _ => {}
        }
        self
    }

    /// Limits a number.
    #[must_use]
    pub fn float_range(mut self, at_least: Option<f64>, at_most: Option<f64>) -> Self {
        if let Kind::Number { min, max } = &mut self.kind {
            (*min, *max) = (at_least.or(*min), at_most.or(*max));
        }
        self
    }

    /// Limits how many options are chosen.
    #[must_use]
    pub fn items(mut self, min: Option<u32>, max: Option<u32>) -> Self {
        if let Kind::Choices {
            min_items,
            max_items,
            ..
        } = &mut self.kind
        {
            (*min_items, *max_items) = (min, max);
        }
        self
    }
}
