//! References: those that `#[saga]` makes again after an ask.

use super::{Gen, scope::VarId};
use crate::program::{Answer, Node, Type};

impl Gen {
    /// Ways to borrow: from a type, by a template, and whether what it borrows from may be `mut`.
    fn borrow_forms(ty: Type) -> &'static [(Type, &'static str, bool)] {
        match ty {
            Type::RefStr => &[
                (Type::Str, "@.as_str()", false),
                (Type::Str, "&@[..]", true),
                (Type::Host, "@.name.as_str()", false),
                (Type::Host, "&@.name[..]", true),
                (Type::Pair, "@.1.as_str()", false),
                (Type::Answer(Answer::Text), "@.text.as_str()", false),
                (Type::Answer(Answer::Text), "@.text.trim()", false),
                (Type::MaybeStr, "@.as_deref().unwrap_or(\"none\")", false),
                (Type::RefStr, "@.trim()", false),
                (Type::RefString, "@.as_str()", false),
                (Type::RefHost, "@.name.as_str()", false),
                (Type::Str, "@.trim()", false),
            ],
            Type::RefString => &[
                (Type::Str, "&@", true),
                (Type::Host, "&@.name", true),
                (Type::Pair, "&@.1", true),
                (Type::RefHost, "&@.name", false),
                (Type::Answer(Answer::Text), "&@.text", false),
            ],
            Type::RefList => &[
                (Type::List, "&@[..]", true),
                (Type::List, "@.as_slice()", false),
                (Type::Host, "&@.tags[..]", true),
                (Type::Array, "&@[1..]", false),
                (Type::RefHost, "@.tags.as_slice()", false),
                (Type::RefList, "@", false),
            ],
            Type::RefHost => &[(Type::Host, "&@", true), (Type::RefHost, "@", false)],
            _ => &[],
        }
    }

    fn borrowed(&mut self, ty: Type) -> Option<(Node, VarId)> {
        let forms = Self::borrow_forms(ty);
        for _ in 0..4 {
            let (from, template, may_be_mut) = forms[self.below(forms.len())];
            if let Some(id) = self.find(|var| var.ty == from && (may_be_mut || !var.mutable)) {
                return Some((self.leaf_of(id, ty, template), id));
            }
        }
        None
    }

    /// An argument of a reference type; what it borrows stays as it is until the call's end.
    pub(super) fn reference(&mut self, ty: Type, last: bool) -> (Node, Option<VarId>) {
        match self.borrowed(ty) {
            Some((node, id)) if !self.one_in(5) => (node, Some(id)),
            _ => {
                let text = match ty {
                    Type::RefStr => self.word(),
                    // A temporary is not held over the asks of later arguments.
                    Type::RefList if last => "&[4, 2]".to_owned(),
                    Type::RefList => "&NUMBERS".to_owned(),
                    _ => "&HOST".to_owned(),
                };
                (Node::leaf(ty, text), None)
            }
        }
    }

    /// `let r = &place;`
    pub(super) fn let_borrow(&mut self) -> Option<Node> {
        let ty = [
            Type::RefStr,
            Type::RefStr,
            Type::RefString,
            Type::RefList,
            Type::RefHost,
        ][self.below(5)];
        let (value, from) = self.borrowed(ty)?;
        let name = self.name();
        self.declare_borrow(&name, ty, from);
        let annotated = self.one_in(6);
        let template = if annotated {
            format!("let {name}: {} = $;", ty.name())
        } else {
            format!("let {name} = $;")
        };
        Some(Node::stmt(&template, vec![value]))
    }
}
