"""Follows names through a source without running it: what row, df_train and the tables are called, and what is read."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from assay.insight.leakage.static.calls import MOST_PARTS, ROW, Calls, TooLong
from assay.insight.leakage.static.reads import Reads
from assay.insight.leakage.static.values import (
    OTHER,
    Function,
    Scope,
    Value,
    fold_binary,
    holding,
    imported_names,
    join,
    mix,
    of_row,
    texts_of,
)

__all__ = ["Flow"]

_DEEPEST = 90
_FRAMES = {"df", "data", "dataframe", "frame", "table", "df_rows", "X"}
_TRAINS = {"df_train", "train", "train_df", "df", "training", "training_df", "df_training", "train_data", "data"}
_TABLES = {"tables", "dataframes", "data_frames", "dfs", "other_tables"}
_FRAME = of_row("frame")


class Flow(Calls):
    """Reads a module's statements in order, then the feature function and whatever it calls."""

    def __init__(self, reads: Reads) -> None:
        super().__init__(reads)
        self._depth = 0
        self._again = False  # in the second round of a loop

    def follow(self, tree: ast.Module, name: str) -> bool:
        """False when the module gives no function of this name."""
        module = Scope()
        self.body(tree.body, module)
        entry = module.names.get(name)
        if entry is None:
            return False
        for value in (entry, *entry.parts):
            if value.function is not None:
                self._enter(value.function)
        if entry.kind == "class":
            self.call(entry, [ROW], {}, tree)
        return True

    def _enter(self, function: Function) -> None:
        arguments = function.node.args
        parameters = [*arguments.posonlyargs, *arguments.args][len(function.bound) :]
        required = len(parameters) - len(arguments.defaults)
        values: list[Value] = []
        for place, parameter in enumerate(parameters):
            name = parameter.arg
            if place == 0:
                if name == self.reads.target:
                    values.append(self.reads.item(ROW, Value(consts=(name,)), function.node))
                else:
                    values.append(_FRAME if name in _FRAMES or _annotated(parameter, "DataFrame") else ROW)
            elif name.lower() in _TRAINS or name.lower().startswith(("df_train", "train_")):
                values.append(Value(kind="train", origins=frozenset({"train"})))
            elif name.lower().startswith("aux") or name.lower() in _TABLES or place < required:
                values.append(Value(kind="tables"))
            else:
                break
        self.apply(function, values, {})

    # statements

    def body(self, statements: Sequence[ast.stmt], scope: Scope) -> None:
        """Follow statements in order."""
        for statement in statements:
            self._statement(statement, scope)

    def _statement(self, node: ast.stmt, scope: Scope) -> None:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                plain = Value(kind="function", function=Function(node, scope))
                value = plain
                for decorator in reversed(node.decorator_list):
                    wrapped = self.call(self.value(decorator, scope), [value], {}, decorator)
                    value = replace(wrapped, parts=(plain,)) if wrapped.function is not None else value
                self._bind(node.name, value, scope)
            case ast.ClassDef(name=name):
                inner = Scope(scope)
                self.body(node.body, inner)
                for method, value in inner.names.items():
                    if value.function is not None:
                        self.methods[method] = value.function
                    else:
                        self.attributes[method] = value
                self._bind(name, Value(kind="class", name=name, function=self.methods.get("__init__")), scope)
            case ast.Return(value=ast.expr() as expression):
                scope.returned = join((scope.returned, self.value(expression, scope)))
            case ast.Assign(targets=targets, value=expression):
                value = self.value(expression, scope)
                for target in targets:
                    self._assign(target, value, scope)
            case ast.AnnAssign(target=target, value=ast.expr() as expression):
                self._assign(target, self.value(expression, scope), scope)
            case ast.AugAssign(target=target, op=operator, value=expression):
                left = scope.find(target.id) if isinstance(target, ast.Name) else OTHER
                right = self.value(expression, scope)
                consts = fold_binary(left, operator, right)
                self._assign(target, replace(mix((left, right)), consts=consts), scope)
            case ast.For() | ast.AsyncFor():
                self._loop(node, scope)
            case ast.If(test=test) | ast.While(test=test):
                self.value(test, scope)
                self._branch(node.body, scope)
                self._branch(node.orelse, scope)
            case ast.With(items=items) | ast.AsyncWith(items=items):
                for item in items:
                    value = self.value(item.context_expr, scope)
                    if item.optional_vars is not None:
                        self._assign(item.optional_vars, value, scope)
                self.body(node.body, scope)
            case ast.Try() | ast.TryStar():
                self._branch(node.body, scope)
                for handler in node.handlers:
                    self._branch(handler.body, scope)
                self._branch([*node.orelse, *node.finalbody], scope)
            case ast.Import() | ast.ImportFrom():
                for local, full in imported_names(node):
                    self._bind(local, Value(kind="module", name=full), scope)
            case ast.Match(subject=subject, cases=cases):
                self._match(self.value(subject, scope), cases, scope)
            case _:
                for child in ast.iter_child_nodes(node):
                    if isinstance(child, ast.expr):
                        self.value(child, scope)

    def _branch(self, statements: Sequence[ast.stmt], scope: Scope) -> None:
        self.branches += 1
        self.body(statements, scope)
        self.branches -= 1

    def _loop(self, node: ast.For | ast.AsyncFor, scope: Scope) -> None:
        over = self.value(node.iter, scope)
        if over.kind in ("items", "keys", "mapping") and self._excludes(node.body, scope):
            self._assign(node.target, _without_target(over), scope)
        else:
            self._assign(node.target, self.reads.element(over, node), scope)
        self._branch(node.body, scope)
        if not self._again:  # once more, for names that the first round has bound
            self._again = True
            self._branch(node.body, scope)
            self._again = False
        self._branch(node.orelse, scope)

    def _excludes(self, nodes: Sequence[ast.AST], scope: Scope) -> bool:
        """Whether the target is compared away: ``if key == target: continue`` or ``if key != target``."""
        for node in nodes:
            skips = isinstance(node, ast.If) and isinstance(node.body[0], ast.Continue)
            for test in ast.walk(node.test if isinstance(node, ast.If) else node):
                if isinstance(test, ast.Compare):
                    comparing = ast.Eq | ast.In if skips else ast.NotEq | ast.NotIn
                    sides = [texts_of(self.value(side, scope)) for side in (test.left, *test.comparators)]
                    if isinstance(test.ops[0], comparing) and any(self.reads.target in texts for texts in sides):
                        return True
        return False

    def _match(self, subject: Value, cases: Sequence[ast.match_case], scope: Scope) -> None:
        for case in cases:
            for pattern in ast.walk(case.pattern):
                if isinstance(pattern, ast.MatchMapping):
                    for key in pattern.keys:
                        self.reads.item(subject, self.value(key, scope), key)
                elif isinstance(pattern, ast.MatchSequence) and subject.kind in ("row", "values"):
                    self.reads.item(replace(subject, kind="values"), OTHER, pattern)
            if case.guard is not None:
                self.value(case.guard, scope)
            self._branch(case.body, scope)

    def _bind(self, name: str, value: Value, scope: Scope) -> None:
        if self.branches and name in scope.names:
            value = join((scope.names[name], value))
        scope.names[name] = value

    def _assign(self, target: ast.expr, value: Value, scope: Scope) -> None:
        match target:
            case ast.Name(id=name):
                self._bind(name, value, scope)
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                if value.kind in ("row", "values"):
                    self.reads.item(replace(value, kind="values"), OTHER, target)
                fits = len(value.parts) == len(targets) and not any(isinstance(t, ast.Starred) for t in targets)
                any_part = join(value.parts) if value.parts else mix((value,))
                for place, inner in enumerate(targets):
                    each = value.parts[place] if fits else any_part
                    self._assign(inner.value if isinstance(inner, ast.Starred) else inner, each, scope)
            case ast.Attribute(attr=name, value=owner):
                self.value(owner, scope)
                self.attributes[name] = join((self.attributes.get(name, OTHER), value))
            case ast.Subscript(value=ast.Name(id=name) as holder, slice=key):
                self.value(key, scope)
                current = self.value(holder, scope)
                if current.kind == "other":
                    scope.names[name] = holding(*current.parts[: MOST_PARTS - 1], value, Value(origins=current.origins))
            case _:
                pass

    # expressions

    def value(self, node: ast.expr, scope: Scope) -> Value:
        """What an expression may stand for; reads in it are written down."""
        self.steps -= 1
        if self.steps <= 0:
            raise TooLong
        if self._depth >= _DEEPEST:
            return OTHER
        self._depth += 1
        try:
            return self._expression(node, scope)
        finally:
            self._depth -= 1

    def _expression(self, node: ast.expr, scope: Scope) -> Value:
        match node:
            case ast.Constant(value=str() | bytes() | int() as const):
                return Value(consts=(const,)) if isinstance(const, int) or len(const) <= 400 else OTHER
            case ast.Name(id=name):
                return scope.find(name)
            case ast.Attribute(value=base, attr=attribute):
                owner = self.value(base, scope)
                if owner.kind in ("other", "module") and attribute in self.attributes:
                    return self.attributes[attribute]
                return self.reads.attribute(owner, attribute, node)
            case ast.Subscript(value=base, slice=key):
                return self._subscript(self.value(base, scope), key, node, scope)
            case ast.Call():
                return self.called(node, scope)
            case ast.BinOp():
                return self._binary(node, scope)
            case ast.JoinedStr(values=pieces):
                whole = Value(consts=("",))
                values = [self.value(p.value if isinstance(p, ast.FormattedValue) else p, scope) for p in pieces[:64]]
                for piece in values:
                    whole = Value(consts=fold_binary(whole, ast.Add(), piece))
                return replace(mix(values), consts=whole.consts)
            case ast.Compare(left=left, ops=operators, comparators=others):
                result, before = OTHER, self.value(left, scope)
                for operator, other in zip(operators, others, strict=True):
                    after = self.value(other, scope)
                    result = join((result, self.reads.compare(before, operator, after, node)))
                    before = after
                return result
            case ast.BoolOp(values=values):
                return join([self.value(each, scope) for each in values[:64]])
            case ast.IfExp(test=test, body=body, orelse=orelse):
                self.value(test, scope)
                return join((self.value(body, scope), self.value(orelse, scope)))
            case ast.List(elts=elements) | ast.Tuple(elts=elements) | ast.Set(elts=elements):
                return holding(*self.elements(elements[:MOST_PARTS], scope))
            case ast.Dict(keys=keys, values=values):
                for each_key in keys[:MOST_PARTS]:
                    if each_key is not None:
                        self.value(each_key, scope)
                return holding(*(self.value(each, scope) for each in values[:MOST_PARTS]))
            case ast.ListComp(elt=element) | ast.SetComp(elt=element) | ast.GeneratorExp(elt=element):
                return self._comprehension(node.generators, [element], scope)
            case ast.DictComp(key=key, value=element, generators=generators):
                return self._comprehension(generators, [key, element], scope)
            case ast.Lambda():
                return Value(kind="function", function=Function(node, scope))
            case ast.NamedExpr(target=target, value=expression):
                value = self.value(expression, scope)
                self._assign(target, value, scope)
                return value
            case ast.Yield() | ast.YieldFrom():
                value = OTHER if node.value is None else self.value(node.value, scope)
                scope.returned = join((scope.returned, holding(value)))
                return OTHER
            case ast.UnaryOp(op=operator, operand=operand):
                value = self.value(operand, scope)
                if isinstance(operator, ast.USub):
                    return replace(mix((value,)), consts=tuple(-c for c in value.consts if isinstance(c, int)))
                inverted = isinstance(operator, ast.Invert) and value.kind == "own"
                return replace(value, name="" if value.name else "rest") if inverted else replace(value, consts=())
            case _:
                children = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
                return mix([self.value(child, scope) for child in children[:MOST_PARTS]])

    def _binary(self, node: ast.BinOp, scope: Scope) -> Value:
        """A chain of operators, left to right; long chains must not nest."""
        chain: list[tuple[ast.operator, ast.expr]] = []
        left: ast.expr = node
        while isinstance(left, ast.BinOp):
            chain.append((left.op, left.right))
            left = left.left
        result = self.value(left, scope)
        for operator, right in reversed(chain):
            other = self.value(right, scope)
            if isinstance(operator, ast.BitAnd | ast.BitOr):
                rest = next((side for side in (result, other) if side.kind == "own" and side.name == "rest"), None)
                result = rest or join((result, other))
            else:
                parts = (*result.parts, *other.parts)[:MOST_PARTS] if isinstance(operator, ast.Add) else ()
                result = replace(mix((result, other)), consts=fold_binary(result, operator, other), parts=parts)
        return result

    def _subscript(self, base: Value, key: ast.expr, node: ast.expr, scope: Scope) -> Value:
        if isinstance(key, ast.Slice):
            for bound in (key.lower, key.upper, key.step):
                if bound is not None:
                    self.value(bound, scope)
            backwards = isinstance(key.step, ast.UnaryOp) and key.lower is None and key.upper is None
            texts = tuple(const[::-1] for const in base.consts if isinstance(const, str)) if backwards else ()
            if base.kind == "keys":  # some of the keys
                return holding(Value(kind="key", origins=base.origins))
            return replace(base, consts=texts)
        return self.reads.item(base, self.value(key, scope), node)

    def _comprehension(
        self, generators: Sequence[ast.comprehension], results: Sequence[ast.expr], scope: Scope
    ) -> Value:
        inner = Scope(scope)
        first = generators[0]
        over = self.value(first.iter, inner)
        if len(generators) == 1 and over.parts and len(over.parts) <= 16:  # spelled out: one step per part
            steps = over.parts
        elif over.kind in ("items", "keys", "mapping") and self._excludes(first.ifs, inner):
            steps = (_without_target(over),)
        else:
            steps = (self.reads.element(over, first.iter),)
        values: list[Value] = []
        for step in steps:
            self._assign(first.target, step, inner)
            for generator in generators[1:]:
                each = self.reads.element(self.value(generator.iter, inner), generator.iter)
                self._assign(generator.target, each, inner)
            for test in [test for generator in generators for test in generator.ifs]:
                self.value(test, inner)
            values.append([self.value(result, inner) for result in results][-1])
        scope.names.update({name: value for name, value in inner.names.items() if name in scope.names})
        return holding(*values)


def _without_target(over: Value) -> Value:
    """What a loop over the row's columns sees when it leaves the target out."""
    key = of_row(name="not the target")
    return holding(key, of_row()) if over.kind == "items" else key


def _annotated(parameter: ast.arg, word: str) -> bool:
    note = parameter.annotation
    name = note.attr if isinstance(note, ast.Attribute) else note.id if isinstance(note, ast.Name) else None
    return name == word or (isinstance(note, ast.Constant) and str(note.value).rsplit(".", 1)[-1] == word)
