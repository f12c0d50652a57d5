//! The scopes of Python: which names a function, a class or a module binds, and how.

use std::collections::{HashMap, HashSet};

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{
    Alias, ExceptHandler, Expr, Identifier, Parameters, Pattern, Stmt, StmtClassDef,
    StmtFunctionDef,
};
use ruff_text_size::TextRange;

/// What opens a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Module,
    Class,
    Function { is_async: bool },
    Lambda,
    Comprehension { is_generator: bool },
}

/// A scope, with what its own statements say of names. The scopes inside it are not part of that.
#[derive(Debug)]
pub(super) struct Scope<'a> {
    pub(super) kind: Kind,
    pub(super) parameters: HashSet<&'a str>,
    /// The names that are declared global, and where.
    pub(super) globals: HashMap<&'a str, TextRange>,
    /// The names that are declared nonlocal, and where.
    pub(super) nonlocals: HashMap<&'a str, TextRange>,
    /// The names that are given a value.
    bindings: HashSet<&'a str>,
}

impl<'a> Scope<'a> {
    /// The scope of a function, a class or a module.
    pub(super) fn of_body(
        kind: Kind,
        parameters: Option<&'a Parameters>,
        body: &'a [Stmt],
    ) -> Self {
        let mut names = Names { scope: Self::of_expression(kind, parameters), comprehensions: 0 };
        names.visit_body(body);
        names.scope
    }

    /// The scope of a lambda or a comprehension. What is bound in it concerns no other scope.
    pub(super) fn of_expression(kind: Kind, parameters: Option<&'a Parameters>) -> Self {
        let parameters = parameters.into_iter().flat_map(|parameters| parameters.iter());
        Self {
            kind,
            parameters: parameters.map(|parameter| parameter.name().as_str()).collect(),
            globals: HashMap::new(),
            nonlocals: HashMap::new(),
            bindings: HashSet::new(),
        }
    }

    /// Whether a nonlocal declaration further in may mean the name of this scope.
    pub(super) fn lends(&self, name: &str) -> bool {
        match self.kind {
            Kind::Function { .. } => {
                !self.globals.contains_key(name)
                    && (self.bindings.contains(name)
                        || self.parameters.contains(name)
                        || self.nonlocals.contains_key(name))
            }
            // Methods may mean the class that they are of.
            Kind::Class => name == "__class__",
            Kind::Module | Kind::Lambda | Kind::Comprehension { .. } => false,
        }
    }
}

/// The name that an import binds.
pub(super) fn imported(alias: &Alias) -> &str {
    match &alias.asname {
        Some(name) => name.as_str(),
        None => alias.name.split('.').next().unwrap_or_default(),
    }
}

/// The names that a pattern itself binds, not those inside it.
pub(super) fn captured(pattern: &Pattern) -> Option<&Identifier> {
    match pattern {
        Pattern::MatchAs(pattern) => pattern.name.as_ref(),
        Pattern::MatchStar(pattern) => pattern.name.as_ref(),
        Pattern::MatchMapping(pattern) => pattern.rest.as_ref(),
        _ => None,
    }
}

/// The walk over a scope's own statements.
struct Names<'a> {
    scope: Scope<'a>,
    /// How many comprehensions are open. Their variables are theirs, except for those that `:=`
    /// binds.
    comprehensions: usize,
}

impl<'a> Visitor<'a> for Names<'a> {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::FunctionDef(function) => {
                self.scope.bindings.insert(function.name.as_str());
                visit_outside_of_function(self, function);
            }
            Stmt::ClassDef(class) => {
                self.scope.bindings.insert(class.name.as_str());
                visit_outside_of_class(self, class);
            }
            Stmt::Global(declared) => {
                for name in &declared.names {
                    self.scope.globals.entry(name.as_str()).or_insert(name.range);
                }
            }
            Stmt::Nonlocal(declared) => {
                for name in &declared.names {
                    self.scope.nonlocals.entry(name.as_str()).or_insert(name.range);
                }
            }
            _ => visitor::walk_stmt(self, stmt),
        }
    }

    fn visit_alias(&mut self, alias: &'a Alias) {
        self.scope.bindings.insert(imported(alias));
    }

    fn visit_except_handler(&mut self, handler: &'a ExceptHandler) {
        let ExceptHandler::ExceptHandler(named) = handler;
        self.scope.bindings.extend(named.name.as_ref().map(Identifier::as_str));
        visitor::walk_except_handler(self, handler);
    }

    fn visit_pattern(&mut self, pattern: &'a Pattern) {
        self.scope.bindings.extend(captured(pattern).map(Identifier::as_str));
        visitor::walk_pattern(self, pattern);
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Name(name) => {
                if !name.ctx.is_load() && self.comprehensions == 0 {
                    self.scope.bindings.insert(name.id.as_str());
                }
            }
            Expr::Named(named) => {
                if let Expr::Name(name) = &*named.target {
                    self.scope.bindings.insert(name.id.as_str());
                }
                self.visit_expr(&named.value);
            }
            Expr::Lambda(lambda) => {
                if let Some(parameters) = &lambda.parameters {
                    self.visit_parameters(parameters);
                }
            }
            Expr::ListComp(_) | Expr::SetComp(_) | Expr::DictComp(_) | Expr::Generator(_) => {
                self.comprehensions += 1;
                visitor::walk_expr(self, expr);
                self.comprehensions -= 1;
            }
            _ => visitor::walk_expr(self, expr),
        }
    }
}

/// Visits the parts of a function that belong to the scope around it.
pub(super) fn visit_outside_of_function<'a>(
    visitor: &mut impl Visitor<'a>,
    function: &'a StmtFunctionDef,
) {
    for decorator in &function.decorator_list {
        visitor.visit_decorator(decorator);
    }
    if let Some(type_params) = &function.type_params {
        visitor.visit_type_params(type_params);
    }
    visitor.visit_parameters(&function.parameters);
    if let Some(returns) = &function.returns {
        visitor.visit_annotation(returns);
    }
}

/// Visits the parts of a class that belong to the scope around it.
pub(super) fn visit_outside_of_class<'a>(visitor: &mut impl Visitor<'a>, class: &'a StmtClassDef) {
    for decorator in &class.decorator_list {
        visitor.visit_decorator(decorator);
    }
    if let Some(type_params) = &class.type_params {
        visitor.visit_type_params(type_params);
    }
    if let Some(arguments) = &class.arguments {
        visitor.visit_arguments(arguments);
    }
}
