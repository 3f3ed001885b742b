//! The generator's own syntax tree: text with holes, and enough kinds to shrink it.

/// An answer type of [`tests::answers`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    Confirm,
    Count,
    Text,
}

impl Answer {
    pub(crate) const ALL: [Self; 3] = [Self::Confirm, Self::Count, Self::Text];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Confirm => "Confirm",
            Self::Count => "Count",
            Self::Text => "Text",
        }
    }
}

/// The types of generated values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Type {
    Int,
    Bool,
    Char,
    Str,
    List,
    Names,
    Maybe,
    MaybeStr,
    Pair,
    Array,
    Host,
    Level,
    /// `&str`
    RefStr,
    /// `&String`
    RefString,
    /// `&[i64]`
    RefList,
    /// `&Host`
    RefHost,
    /// `&mut Vec<i64>`, only as a helper's parameter.
    MutList,
    /// An answer, and what is around it before it is unwrapped.
    Answer(Answer),
    Opt(Answer),
    Res(Answer),
    /// The same within a `timeout`, and of each item of a `join_all`.
    Limited(Answer),
    All(Answer),
    /// What a helper that fails with `Trouble` gives in a `join!`.
    TriedInt,
    TriedStr,
    TriedBool,
    /// `ElicitationError`
    Error,
}

impl Type {
    /// What a variable of any kind can be, and a block or a branch can give.
    pub(crate) const VALUES: [Self; 11] = [
        Self::Int,
        Self::Bool,
        Self::Str,
        Self::List,
        Self::Names,
        Self::Maybe,
        Self::MaybeStr,
        Self::Pair,
        Self::Array,
        Self::Host,
        Self::Level,
    ];

    pub(crate) fn is_copy(self) -> bool {
        matches!(
            self,
            Self::Int
                | Self::Bool
                | Self::Char
                | Self::Maybe
                | Self::Array
                | Self::RefStr
                | Self::RefString
                | Self::RefList
                | Self::RefHost
        )
    }

    pub(crate) fn is_reference(self) -> bool {
        matches!(
            self,
            Self::RefStr | Self::RefString | Self::RefList | Self::RefHost
        )
    }

    /// In the `Result` of a helper that can fail.
    pub(crate) fn tried(self) -> Self {
        match self {
            Self::Int => Self::TriedInt,
            Self::Bool => Self::TriedBool,
            _ => Self::TriedStr,
        }
    }

    /// Its name in signatures and annotations, where it has one there.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Int => "i64",
            Self::Bool => "bool",
            Self::Char => "char",
            Self::Str => "String",
            Self::List => "Vec<i64>",
            Self::Names => "Vec<String>",
            Self::Maybe => "Option<i64>",
            Self::MaybeStr => "Option<String>",
            Self::Pair => "(i64, String)",
            Self::Array => "[i64; 3]",
            Self::Host => "Host",
            Self::Level => "Level",
            Self::RefStr => "&str",
            Self::RefString => "&String",
            Self::RefList => "&[i64]",
            Self::RefHost => "&Host",
            Self::MutList => "&mut Vec<i64>",
            Self::Answer(answer) => answer.name(),
            Self::TriedInt => "Result<i64, Trouble>",
            Self::TriedStr => "Result<String, Trouble>",
            Self::TriedBool => "Result<bool, Trouble>",
            Self::Opt(_) | Self::Res(_) | Self::Limited(_) | Self::All(_) | Self::Error => "_",
        }
    }

    /// The smallest expression of the type, for shrinking.
    pub(crate) fn smallest(self) -> Option<&'static str> {
        Some(match self {
            Self::Int => "1i64",
            Self::Bool => "true",
            Self::Char => "'c'",
            Self::Str => "String::from(\"s\")",
            Self::List => "vec![1i64]",
            Self::Names => "vec![String::from(\"s\")]",
            Self::Maybe => "Some(1i64)",
            Self::MaybeStr => "Some(String::from(\"s\"))",
            Self::Pair => "(1i64, String::from(\"s\"))",
            Self::Array => "[1i64; 3]",
            Self::Host => "host()",
            Self::Level => "Level::Low",
            Self::RefStr => "\"s\"",
            Self::RefList => "&[1i64][..]",
            _ => return None,
        })
    }
}

/// What a node is to the shrinker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Expr(Type),
    Stmt,
    /// Statements and perhaps a value, in braces.
    Block,
    /// A part that only its parent understands.
    Part,
}

/// Text with nodes in its holes.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    /// One more than `children`; empty for a block.
    pub(crate) text: Vec<String>,
    pub(crate) children: Vec<Node>,
}

impl Node {
    /// A node of `template`, where each `$` is a hole.
    pub(crate) fn new(kind: Kind, template: &str, children: Vec<Self>) -> Self {
        let text: Vec<String> = template.split('$').map(str::to_owned).collect();
        debug_assert_eq!(text.len(), children.len() + 1, "{template}");
        Self {
            kind,
            text,
            children,
        }
    }

    pub(crate) fn expr(ty: Type, template: &str, children: Vec<Self>) -> Self {
        Self::new(Kind::Expr(ty), template, children)
    }

    /// An expression without holes, which may contain `$`.
    pub(crate) fn leaf(ty: Type, text: impl Into<String>) -> Self {
        Self {
            kind: Kind::Expr(ty),
            text: vec![text.into()],
            children: Vec::new(),
        }
    }

    pub(crate) fn stmt(template: &str, children: Vec<Self>) -> Self {
        Self::new(Kind::Stmt, template, children)
    }

    pub(crate) fn block(children: Vec<Self>) -> Self {
        Self {
            kind: Kind::Block,
            text: Vec::new(),
            children,
        }
    }

    /// Whether its text has `word` in it.
    pub(crate) fn mentions(&self, word: &str) -> bool {
        self.text.iter().any(|text| text.contains(word))
            || self.children.iter().any(|child| child.mentions(word))
    }

    /// How many nodes it has.
    pub(crate) fn size(&self) -> usize {
        1 + self.children.iter().map(Self::size).sum::<usize>()
    }
}

/// An `async fn` that asks.
#[derive(Debug, Clone)]
pub(crate) struct Function {
    /// `name(parameters) -> Type`
    pub(crate) signature: String,
    pub(crate) body: Node,
}

/// Helpers, and the case that is checked, which is the last.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    /// Its number under its seed, or in its shrinking.
    pub(crate) index: usize,
    pub(crate) functions: Vec<Function>,
    /// What it may become at a deploy.
    pub(crate) edits: Vec<Program>,
}

impl Program {
    pub(crate) fn size(&self) -> usize {
        self.functions.iter().map(|f| f.body.size()).sum()
    }
}
