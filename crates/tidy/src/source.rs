//! One source file as the rules see it: its modules, its items, and the paths that it names.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result};
use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};

/// The names of a path, in order.
pub type Names = Vec<String>;

/// A module as it stands in one file: the file's own, or one in braces inside of it.
#[derive(Debug, Default)]
pub struct Scope {
    /// The modules in braces that enclose it; empty for the file's own.
    pub within: Names,
    /// Whether it is `#[cfg(test)]`, or inside of such a module.
    pub is_test: bool,
    /// The modules that it declares and that are files.
    pub files: Vec<FileModule>,
    /// The names of its items: functions, types, constants, traits, macros.
    pub items: BTreeSet<String>,
    /// What its items have: methods, constants, variants, as `Type` and `name`.
    pub parts: BTreeSet<(String, String)>,
    /// Its `use` declarations, one for each name.
    pub imports: Vec<Import>,
    /// The other paths of two names or more, in code and in the arguments of macros.
    pub paths: Vec<Names>,
}

/// `mod name;`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileModule {
    /// The name of the module.
    pub name: String,
    /// What a `path` attribute says.
    pub path: Option<String>,
    /// Whether it is `#[cfg(test)]`.
    pub is_test: bool,
}

/// One name that a `use` declaration brings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// What is imported; for `a::*` it is `a`.
    pub path: Names,
    /// The name that it has here; none for `a::*`.
    pub name: Option<String>,
    /// Whether others can name it here: a re-export.
    pub is_public: bool,
}

/// Reads a file.
///
/// # Errors
/// The file cannot be read, or it is not Rust.
pub fn read(file: &Path) -> Result<Vec<Scope>> {
    let text = std::fs::read_to_string(file).with_context(|| format!("{}", file.display()))?;
    parse(&text).with_context(|| format!("{}", file.display()))
}

/// Reads a text: the file's own scope first, then those in braces.
///
/// # Errors
/// The text is not Rust.
pub fn parse(text: &str) -> Result<Vec<Scope>> {
    let mut reader = Reader { open: vec![Scope::default()], done: Vec::new() };
    reader.visit_file(&syn::parse_file(text)?);
    let mut scopes = reader.open;
    scopes.append(&mut reader.done);
    Ok(scopes)
}

struct Reader {
    /// The scopes around the present place, the innermost last; never empty.
    open: Vec<Scope>,
    done: Vec<Scope>,
}

impl Reader {
    fn scope(&mut self) -> Option<&mut Scope> {
        self.open.last_mut()
    }

    fn item(&mut self, name: &syn::Ident) {
        let name = name.to_string();
        self.scope().map(|scope| scope.items.insert(name));
    }

    fn part(&mut self, of: &str, name: &syn::Ident) {
        let part = (of.to_owned(), name.to_string());
        self.scope().map(|scope| scope.parts.insert(part));
    }

    fn path(&mut self, names: Names) {
        if names.len() > 1 {
            self.scope().into_iter().for_each(|scope| scope.paths.push(names.clone()));
        }
    }

    fn import(&mut self, tree: &syn::UseTree, mut before: Names, is_public: bool) {
        match tree {
            syn::UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.import(&path.tree, before, is_public);
            }
            syn::UseTree::Group(group) => {
                let items = group.items.iter();
                items.for_each(|tree| self.import(tree, before.clone(), is_public));
            }
            syn::UseTree::Glob(_) => self.take(Import { path: before, name: None, is_public }),
            syn::UseTree::Name(name) => self.named(before, &name.ident, None, is_public),
            syn::UseTree::Rename(name) => {
                self.named(before, &name.ident, Some(&name.rename), is_public);
            }
        }
    }

    fn named(
        &mut self,
        mut path: Names,
        last: &syn::Ident,
        rename: Option<&syn::Ident>,
        is_public: bool,
    ) {
        if last != "self" {
            path.push(last.to_string());
        }
        let name = rename.map(ToString::to_string).or_else(|| path.last().cloned());
        self.take(Import { path, name, is_public });
    }

    fn take(&mut self, import: Import) {
        self.scope().into_iter().for_each(|scope| scope.imports.push(import.clone()));
    }

    /// Finds the paths among the arguments of a macro.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut names = Names::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Punct(mark) if mark.as_char() == ':' => {
                    colons += 1;
                    continue;
                }
                TokenTree::Ident(name) => {
                    if colons != 2 {
                        self.path(std::mem::take(&mut names));
                    }
                    names.push(name.to_string());
                }
                TokenTree::Group(group) => {
                    self.path(std::mem::take(&mut names));
                    self.tokens(group.stream());
                }
                TokenTree::Punct(_) | TokenTree::Literal(_) => {
                    self.path(std::mem::take(&mut names));
                }
            }
            colons = 0;
        }
        self.path(names);
    }
}

/// What the `path` attribute of a module says.
fn path_attribute(attributes: &[syn::Attribute]) -> Option<String> {
    attributes.iter().find_map(|attribute| match &attribute.meta {
        syn::Meta::NameValue(pair) if pair.path.is_ident("path") => match &pair.value {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    })
}

/// Whether an item is `#[cfg(test)]`.
fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        syn::Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string() == "test",
        _ => false,
    })
}

impl<'a> Visit<'a> for Reader {
    fn visit_item_mod(&mut self, module: &'a syn::ItemMod) {
        let name = module.ident.to_string();
        let is_test = is_test(&module.attrs);
        let Some(around) = self.open.last_mut() else { return };
        if module.content.is_none() {
            let path = path_attribute(&module.attrs);
            around.files.push(FileModule { name, path, is_test });
            return;
        }
        let mut within = around.within.clone();
        within.push(name);
        let is_test = is_test || around.is_test;
        self.open.push(Scope { within, is_test, ..Scope::default() });
        visit::visit_item_mod(self, module);
        self.done.extend(self.open.pop());
    }

    fn visit_item_use(&mut self, item: &'a syn::ItemUse) {
        // `use ::a` names another crate.
        if item.leading_colon.is_none() && !is_test(&item.attrs) {
            let is_public = !matches!(item.vis, syn::Visibility::Inherited);
            self.import(&item.tree, Names::new(), is_public);
        }
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        if path.leading_colon.is_none() {
            self.path(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        }
        visit::visit_path(self, path);
    }

    /// `pub(crate)` and `pub(in path)` use nothing.
    fn visit_vis_restricted(&mut self, _: &'a syn::VisRestricted) {}

    fn visit_macro(&mut self, mac: &'a syn::Macro) {
        self.tokens(mac.tokens.clone());
        visit::visit_macro(self, mac);
    }

    fn visit_item_fn(&mut self, item: &'a syn::ItemFn) {
        self.item(&item.sig.ident);
        visit::visit_item_fn(self, item);
    }

    fn visit_item_struct(&mut self, item: &'a syn::ItemStruct) {
        self.item(&item.ident);
        let of = item.ident.to_string();
        item.fields.iter().filter_map(|field| field.ident.as_ref()).for_each(|name| {
            self.part(&of, name);
        });
        visit::visit_item_struct(self, item);
    }

    fn visit_item_enum(&mut self, item: &'a syn::ItemEnum) {
        self.item(&item.ident);
        let of = item.ident.to_string();
        item.variants.iter().for_each(|variant| self.part(&of, &variant.ident));
        visit::visit_item_enum(self, item);
    }

    fn visit_item_const(&mut self, item: &'a syn::ItemConst) {
        self.item(&item.ident);
        visit::visit_item_const(self, item);
    }

    fn visit_item_static(&mut self, item: &'a syn::ItemStatic) {
        self.item(&item.ident);
        visit::visit_item_static(self, item);
    }

    fn visit_item_type(&mut self, item: &'a syn::ItemType) {
        self.item(&item.ident);
        visit::visit_item_type(self, item);
    }

    fn visit_item_macro(&mut self, item: &'a syn::ItemMacro) {
        item.ident.iter().for_each(|name| self.item(name));
        visit::visit_item_macro(self, item);
    }

    fn visit_item_trait(&mut self, item: &'a syn::ItemTrait) {
        self.item(&item.ident);
        let of = item.ident.to_string();
        for part in &item.items {
            match part {
                syn::TraitItem::Fn(part) => self.part(&of, &part.sig.ident),
                syn::TraitItem::Const(part) => self.part(&of, &part.ident),
                syn::TraitItem::Type(part) => self.part(&of, &part.ident),
                _ => {}
            }
        }
        visit::visit_item_trait(self, item);
    }

    fn visit_item_impl(&mut self, item: &'a syn::ItemImpl) {
        if let syn::Type::Path(of) = &*item.self_ty
            && let Some(of) = of.path.segments.last()
        {
            let of = of.ident.to_string();
            for part in &item.items {
                match part {
                    syn::ImplItem::Fn(part) => self.part(&of, &part.sig.ident),
                    syn::ImplItem::Const(part) => self.part(&of, &part.ident),
                    syn::ImplItem::Type(part) => self.part(&of, &part.ident),
                    _ => {}
                }
            }
        }
        visit::visit_item_impl(self, item);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(path: &str) -> Names {
        path.split("::").map(str::to_owned).collect()
    }

    #[test]
    fn imports_are_taken_apart() {
        let scopes = parse("use crate::a::{self, B, c::*, d as e};\nuse ::other::X;").unwrap();
        let found: Vec<_> = scopes[0]
            .imports
            .iter()
            .map(|import| (import.path.join("::"), import.name.as_deref()))
            .collect();
        assert_eq!(
            found,
            [
                ("crate::a".to_owned(), Some("a")),
                ("crate::a::B".to_owned(), Some("B")),
                ("crate::a::c".to_owned(), None),
                ("crate::a::d".to_owned(), Some("e")),
            ]
        );
    }

    #[test]
    fn paths_are_found_in_code_and_in_macros_but_not_in_comments_or_texts() {
        let text = "
            // crate::comment::X
            pub(in crate::seen) fn f(x: crate::types::T) -> Vec<super::inner::U> {
                println!(\"{} crate::text\", crate::in_macro::g(a, self::nested::H));
                crate::call::f::<crate::generic::V>(x)
            }";
        let scopes = parse(text).unwrap();
        for path in [
            "crate::types::T",
            "super::inner::U",
            "crate::in_macro::g",
            "self::nested::H",
            "crate::call::f",
            "crate::generic::V",
        ] {
            assert!(scopes[0].paths.contains(&names(path)), "{path}: {:?}", scopes[0].paths);
        }
        let all = format!("{:?}", scopes[0].paths);
        for absent in ["comment", "text", "seen"] {
            assert!(!all.contains(&format!("{absent:?}")), "{absent}");
        }
    }

    #[test]
    fn what_is_in_tests_only_is_marked() {
        let text = "#[cfg(test)] use crate::a::B; #[cfg(test)] mod t { mod u {} } mod v {}";
        let scopes = parse(text).unwrap();
        assert!(scopes[0].imports.is_empty());
        for scope in scopes {
            let expected = scope.within.first().is_some_and(|name| name == "t");
            assert_eq!(scope.is_test, expected, "{:?}", scope.within);
        }
    }

    #[test]
    fn modules_and_items_are_found_where_they_stand() {
        let text = "
            mod a;
            #[cfg(test)] #[path = \"other.rs\"] mod b;
            mod c { mod d; struct S; fn f() {} }
            enum E { V } impl E { const K: u8 = 1; fn m() {} }
            trait T { fn p(); }";
        let scopes = parse(text).unwrap();
        assert_eq!(
            scopes[0].files,
            [
                FileModule { name: "a".to_owned(), path: None, is_test: false },
                FileModule {
                    name: "b".to_owned(),
                    path: Some("other.rs".to_owned()),
                    is_test: true
                },
            ]
        );
        assert_eq!(scopes[1].within, names("c"));
        assert_eq!(scopes[1].files[0].name, "d");
        assert!(scopes[1].items.contains("S") && scopes[1].items.contains("f"));
        for (of, part) in [("E", "V"), ("E", "K"), ("E", "m"), ("T", "p")] {
            assert!(scopes[0].parts.contains(&(of.to_owned(), part.to_owned())), "{of}::{part}");
        }
    }
}
