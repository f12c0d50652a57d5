//! What CPython refuses when it compiles what it has parsed: `return` outside a function, a repeated
//! parameter, a nonlocal name that no function around binds.
//!
//! Most of it is what the semantic checker of Ruff's parser finds, which asks this walk where it is.
//! The walk adds what that checker leaves to others: declarations that contradict each other or come
//! too late, and jumps out of `except*`.

use std::cell::RefCell;

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{
    Alias, Comprehension, ExceptHandler, Expr, Identifier, Pattern, PythonVersion, Stmt, TypeParams,
};
use ruff_python_parser::semantic_errors::{
    LazyImportContext, SemanticSyntaxChecker, SemanticSyntaxContext, SemanticSyntaxError,
};
use ruff_text_size::{Ranged, TextRange, TextSize};

use super::scope::{self, Kind, Scope};

/// With more type parameters than these a definition is not checked: the checker compares each with
/// all others.
const TYPE_PARAMS_MAX: usize = 500;

/// The errors of a module that was parsed without one, each at its byte offset, in their order.
pub(super) fn errors(text: &str, body: &[Stmt], version: PythonVersion) -> Vec<(usize, String)> {
    let mut walk = Walk {
        text,
        version,
        scopes: vec![Scope::of_body(Kind::Module, None, body)],
        loops: 0,
        star_handler: None,
        has_future_annotations: body.iter().any(imports_annotations),
        checker: SemanticSyntaxChecker::new(),
        errors: RefCell::default(),
    };
    walk.visit_body(body);
    let mut errors = walk.errors.into_inner();
    errors.sort_by_key(|(at, _)| *at);
    // One mistake, such as `await` at the top, may break two rules.
    errors.dedup_by_key(|(at, _)| *at);
    errors.into_iter().map(|(at, message)| (at.to_usize(), message)).collect()
}

fn imports_annotations(stmt: &Stmt) -> bool {
    let Stmt::ImportFrom(import) = stmt else { return false };
    import.module.as_ref().is_some_and(|module| module == "__future__")
        && import.names.iter().any(|alias| &alias.name == "annotations")
}

struct Walk<'a> {
    text: &'a str,
    version: PythonVersion,
    /// The open scopes, the module's first.
    scopes: Vec<Scope<'a>>,
    /// How many loops are open in this scope.
    loops: usize,
    /// How many loops were open where the innermost `except*` of this scope began.
    star_handler: Option<usize>,
    has_future_annotations: bool,
    checker: SemanticSyntaxChecker,
    errors: RefCell<Vec<(TextSize, String)>>,
}

impl<'a> Walk<'a> {
    fn error(&self, at: TextSize, message: String) {
        self.errors.borrow_mut().push((at, message));
    }

    /// Walks what is inside a scope.
    fn inside(&mut self, scope: Scope<'a>, walk: impl FnOnce(&mut Self)) {
        let (loops, star_handler) = (self.loops, self.star_handler);
        if !matches!(scope.kind, Kind::Comprehension { .. }) {
            (self.loops, self.star_handler) = (0, None);
        }
        self.scopes.push(scope);
        walk(self);
        self.scopes.pop();
        (self.loops, self.star_handler) = (loops, star_handler);
    }

    fn scope(&self) -> Option<&Scope<'a>> {
        self.scopes.last()
    }

    fn kind(&self) -> Kind {
        self.scope().map_or(Kind::Module, |scope| scope.kind)
    }

    /// The kinds of the open scopes, the innermost first.
    fn kinds(&self) -> impl Iterator<Item = Kind> {
        self.scopes.iter().rev().map(|scope| scope.kind)
    }

    /// The innermost scope that is no comprehension.
    fn around_comprehensions(&self) -> Kind {
        let mut kinds = self.kinds();
        kinds.find(|kind| !matches!(kind, Kind::Comprehension { .. })).unwrap_or(Kind::Module)
    }

    /// Refuses a name that is used before a declaration says whose it is.
    fn is_before_declaration(&self, name: &str, at: TextSize) {
        let Some(scope) = self.scope() else { return };
        let is_before = |declared: Option<&TextRange>| declared.is_some_and(|it| at < it.start());
        if is_before(scope.nonlocals.get(name)) {
            self.error(at, format!("name `{name}` is used prior to nonlocal declaration"));
        } else if is_before(scope.globals.get(name)) {
            self.error(at, format!("name `{name}` is used prior to global declaration"));
        }
    }

    fn binds(&self, name: &Identifier) {
        self.is_before_declaration(name.as_str(), name.start());
    }

    fn check(&self, stmt: &Stmt) {
        let Some(scope) = self.scope() else { return };
        match stmt {
            Stmt::FunctionDef(function) => self.binds(&function.name),
            Stmt::ClassDef(class) => self.binds(&class.name),
            Stmt::Nonlocal(declared) => {
                for name in &declared.names {
                    let (at, text) = (name.start(), name.as_str());
                    if scope.parameters.contains(text) {
                        self.error(at, format!("name `{name}` is parameter and nonlocal"));
                    } else if scope.globals.contains_key(text) {
                        self.error(at, format!("name `{name}` is nonlocal and global"));
                    }
                }
            }
            Stmt::AnnAssign(annotated) => {
                if let Expr::Name(name) = &*annotated.target
                    && annotated.simple
                    && scope.nonlocals.contains_key(name.id.as_str())
                {
                    let message = format!("annotated name `{}` can't be nonlocal", name.id);
                    self.error(name.start(), message);
                }
            }
            Stmt::Break(_) | Stmt::Continue(_) if self.star_handler == Some(self.loops) => {
                self.error(stmt.start(), OUT_OF_STAR_HANDLER.to_owned());
            }
            Stmt::Return(_) if self.star_handler.is_some() => {
                self.error(stmt.start(), OUT_OF_STAR_HANDLER.to_owned());
            }
            _ => {}
        }
    }

    fn visit_loop(&mut self, body: &'a [Stmt], orelse: &'a [Stmt]) {
        self.loops += 1;
        self.visit_body(body);
        self.loops -= 1;
        self.visit_body(orelse);
    }

    /// Visits a comprehension, whose first iterable belongs to the scope around it.
    fn visit_comprehensions(
        &mut self,
        is_generator: bool,
        generators: &'a [Comprehension],
        values: [Option<&'a Expr>; 2],
    ) {
        if let Some(first) = generators.first() {
            self.visit_expr(&first.iter);
        }
        let scope = Scope::of_expression(Kind::Comprehension { is_generator }, None);
        self.inside(scope, |walk| {
            for (index, generator) in generators.iter().enumerate() {
                if index > 0 {
                    walk.visit_expr(&generator.iter);
                }
                walk.visit_expr(&generator.target);
                for condition in &generator.ifs {
                    walk.visit_expr(condition);
                }
            }
            for value in values.into_iter().flatten() {
                walk.visit_expr(value);
            }
        });
    }
}

const OUT_OF_STAR_HANDLER: &str =
    "`break`, `continue` and `return` cannot appear in an `except*` block";

impl<'a> Visitor<'a> for Walk<'a> {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        self.check(stmt);
        if type_params(stmt).is_none_or(|params| params.len() <= TYPE_PARAMS_MAX) {
            let mut checker = std::mem::take(&mut self.checker);
            checker.visit_stmt(stmt, self);
            self.checker = checker;
        }
        match stmt {
            Stmt::FunctionDef(function) => {
                scope::visit_outside_of_function(self, function);
                let kind = Kind::Function { is_async: function.is_async };
                let inner = Scope::of_body(kind, Some(&function.parameters), &function.body);
                self.inside(inner, |walk| walk.visit_body(&function.body));
            }
            Stmt::ClassDef(class) => {
                scope::visit_outside_of_class(self, class);
                let inner = Scope::of_body(Kind::Class, None, &class.body);
                self.inside(inner, |walk| walk.visit_body(&class.body));
            }
            Stmt::For(repeated) => {
                self.visit_expr(&repeated.iter);
                self.visit_expr(&repeated.target);
                self.visit_loop(&repeated.body, &repeated.orelse);
            }
            Stmt::While(repeated) => {
                self.visit_expr(&repeated.test);
                self.visit_loop(&repeated.body, &repeated.orelse);
            }
            Stmt::Try(tried) if tried.is_star => {
                self.visit_body(&tried.body);
                let before = self.star_handler.replace(self.loops);
                for handler in &tried.handlers {
                    self.visit_except_handler(handler);
                }
                self.star_handler = before;
                self.visit_body(&tried.orelse);
                self.visit_body(&tried.finalbody);
            }
            _ => visitor::walk_stmt(self, stmt),
        }
    }

    fn visit_alias(&mut self, alias: &'a Alias) {
        self.is_before_declaration(scope::imported(alias), alias.start());
    }

    fn visit_except_handler(&mut self, handler: &'a ExceptHandler) {
        let ExceptHandler::ExceptHandler(named) = handler;
        if let Some(name) = &named.name {
            self.binds(name);
        }
        visitor::walk_except_handler(self, handler);
    }

    fn visit_pattern(&mut self, pattern: &'a Pattern) {
        if let Some(name) = scope::captured(pattern) {
            self.binds(name);
        }
        visitor::walk_pattern(self, pattern);
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        let mut checker = std::mem::take(&mut self.checker);
        checker.visit_expr(expr, self);
        self.checker = checker;
        match expr {
            Expr::Name(name) => self.is_before_declaration(name.id.as_str(), name.start()),
            Expr::Lambda(lambda) => {
                if let Some(parameters) = &lambda.parameters {
                    self.visit_parameters(parameters);
                }
                let inner = Scope::of_expression(Kind::Lambda, lambda.parameters.as_deref());
                self.inside(inner, |walk| walk.visit_expr(&lambda.body));
            }
            Expr::ListComp(list) => {
                self.visit_comprehensions(false, &list.generators, [Some(&list.elt), None]);
            }
            Expr::SetComp(set) => {
                self.visit_comprehensions(false, &set.generators, [Some(&set.elt), None]);
            }
            Expr::Generator(generator) => {
                let values = [Some(&*generator.elt), None];
                self.visit_comprehensions(true, &generator.generators, values);
            }
            Expr::DictComp(dict) => {
                let values = [dict.key.as_deref(), Some(&*dict.value)];
                self.visit_comprehensions(false, &dict.generators, values);
            }
            _ => visitor::walk_expr(self, expr),
        }
    }
}

fn type_params(stmt: &Stmt) -> Option<&TypeParams> {
    match stmt {
        Stmt::FunctionDef(function) => function.type_params.as_deref(),
        Stmt::ClassDef(class) => class.type_params.as_deref(),
        Stmt::TypeAlias(alias) => alias.type_params.as_deref(),
        _ => None,
    }
}

impl SemanticSyntaxContext for Walk<'_> {
    fn future_annotations_or_stub(&self) -> bool {
        self.has_future_annotations
    }

    fn lazy_import_context(&self) -> Option<LazyImportContext> {
        match self.around_comprehensions() {
            Kind::Function { .. } => Some(LazyImportContext::Function),
            Kind::Class => Some(LazyImportContext::Class),
            _ => None,
        }
    }

    fn python_version(&self) -> PythonVersion {
        self.version
    }

    fn source(&self) -> &str {
        self.text
    }

    fn global(&self, name: &str) -> Option<TextRange> {
        self.scope()?.globals.get(name).copied()
    }

    fn has_nonlocal_binding(&self, name: &str) -> bool {
        self.scopes.iter().rev().skip(1).any(|scope| scope.lends(name))
    }

    fn in_async_context(&self) -> bool {
        self.around_comprehensions() == Kind::Function { is_async: true }
    }

    fn in_await_allowed_context(&self) -> bool {
        self.in_generator_context()
            || matches!(self.around_comprehensions(), Kind::Function { .. } | Kind::Lambda)
    }

    fn in_yield_allowed_context(&self) -> bool {
        self.in_function_scope()
    }

    fn in_sync_comprehension(&self) -> bool {
        matches!(self.kind(), Kind::Comprehension { .. })
    }

    fn in_class_body_comprehension(&self) -> bool {
        self.around_comprehensions() == Kind::Class
    }

    fn in_module_scope(&self) -> bool {
        self.kind() == Kind::Module
    }

    fn in_function_scope(&self) -> bool {
        matches!(self.kind(), Kind::Function { .. } | Kind::Lambda)
    }

    fn in_generator_context(&self) -> bool {
        self.kinds()
            .take_while(|kind| matches!(kind, Kind::Comprehension { .. }))
            .any(|kind| kind == Kind::Comprehension { is_generator: true })
    }

    fn in_notebook(&self) -> bool {
        false
    }

    fn report_semantic_error(&self, error: SemanticSyntaxError) {
        self.error(error.range.start(), error.to_string());
    }

    fn in_loop_context(&self) -> bool {
        self.loops > 0
    }

    fn is_bound_parameter(&self, name: &str) -> bool {
        self.scope().is_some_and(|scope| scope.parameters.contains(name))
    }
}
