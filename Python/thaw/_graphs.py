"""TensorFlow's graphs and functions, with the values of their variables."""

from __future__ import annotations

import gc
from typing import Any

from ._errors import InvalidTypeError, InvalidValueError, UnsupportedError
from ._sources import Source

_VARIABLES = ("VariableV2", "Variable", "VarHandleOp")


def only_function(function: Any) -> Any:
    """The concrete function of a tf.function that has an input signature, or was called with one."""
    try:
        return function.get_concrete_function()
    except Exception as failure:
        raise InvalidTypeError(
            "a tf.function without an input signature is not a single graph; convert "
            f"function.get_concrete_function(...) instead: {failure}",
            "wrongType",
        ) from failure


# MARK: Graphs of sessions


def of_graph(graph: Any, session: Any = None) -> Source:
    """A tf.Graph. Variables get the values that they have in `session`, or in the session that is found."""
    definition = graph.as_graph_def()
    names = [node.name for node in definition.node if node.op in _VARIABLES]
    data = definition.SerializeToString()
    if not names:
        return Source(graph=data)
    if session is None:
        session = _session(graph)
    elif getattr(session, "graph", None) is not graph:
        raise InvalidValueError("session= is a session of another graph")
    elif getattr(session, "_closed", False):
        raise InvalidValueError("session= is closed", "missingVariables")
    return Source(graph=data, variables=_values(graph, names, session))


def _session(graph: Any) -> Any:
    """The default session, or the only live open session of the graph."""
    import tensorflow as tf

    compat = getattr(tf, "compat", tf)
    v1 = getattr(compat, "v1", tf)
    default = v1.get_default_session()
    if default is not None and default.graph is graph:
        return default
    sessions = []
    for candidate in gc.get_objects():
        # Other objects may answer to isinstance in odd ways, so only the class is asked.
        if issubclass(type(candidate), (v1.Session, v1.InteractiveSession)):
            if candidate.graph is graph and not candidate._closed:
                sessions.append(candidate)
    if len(sessions) == 1:
        return sessions[0]
    count = "no open session has" if not sessions else f"{len(sessions)} open sessions have"
    raise InvalidValueError(
        f"the graph has variables, and {count} their values; choose one with session=", "missingVariables"
    )


def _values(graph: Any, names: list[str], session: Any) -> dict[str, Any]:
    """The values of variables, except those that were never initialized."""
    fetches = {name: _fetch(graph, name) for name in names}
    fetches = {name: fetch for name, fetch in fetches.items() if fetch is not None}
    try:
        return session.run(fetches)
    except Exception as failure:
        if type(failure).__name__ != "FailedPreconditionError":
            raise
    values = {}
    for name, fetch in fetches.items():
        try:
            values[name] = session.run(fetch)
        except Exception as failure:
            # The library names the variable if the conversion needs it.
            if type(failure).__name__ != "FailedPreconditionError":
                raise
    return values


def _fetch(graph: Any, name: str) -> Any:
    """The tensor that holds a variable's value; None if nothing in the graph reads it outside of functions."""
    operation = graph.get_operation_by_name(name)
    if operation.type != "VarHandleOp":
        return operation.outputs[0]
    for consumer in operation.outputs[0].consumers():
        # A read that waits for something may wait for a training step.
        if consumer.type == "ReadVariableOp" and not consumer.control_inputs:
            return consumer.outputs[0]
    return None


# MARK: Functions


def of_function(function: Any) -> Source:
    """A ConcreteFunction. What it captures becomes a variable or a constant of its graph."""
    definition = function.graph.as_graph_def()
    nodes = {node.name: node for node in definition.node}
    try:
        handles = {id(variable.handle): variable for variable in function.graph.variables}
    except AssertionError as failure:
        message = "the variables of the function no longer exist; keep a reference to the model that has them"
        raise UnsupportedError(message, "incomplete") from failure
    variables = {}
    for outer, inner in _captures(function):
        name = inner.op.name
        node = nodes[name]
        variable = handles.get(id(outer))
        if variable is not None:
            value = variable.numpy()
            _make_variable(node, variable)
            variables[name] = value
        elif outer.dtype.name != "resource" and hasattr(outer, "numpy"):
            _make_constant(node, outer.numpy())
    return Source(
        graph=definition.SerializeToString(),
        variables=variables,
        outputs=[_node_output(tensor.name) for tensor in function.outputs],
    )


def _captures(function: Any) -> list[tuple[Any, Any]]:
    captures = function.graph.captures
    # A list of pairs, or in older versions a dictionary of them.
    return list(captures.values()) if isinstance(captures, dict) else [tuple(pair) for pair in captures]


def _node_output(name: str) -> str:
    return name[:-2] if name.endswith(":0") else name


def _make_variable(node: Any, variable: Any) -> None:
    node.op = "VarHandleOp"
    node.attr.clear()
    node.attr["dtype"].type = variable.dtype.as_datatype_enum
    node.attr["shape"].shape.CopyFrom(variable.shape.as_proto())
    node.attr["shared_name"].s = node.name.encode()


def _make_constant(node: Any, value: Any) -> None:
    import tensorflow as tf

    node.op = "Const"
    tensor = tf.make_tensor_proto(value)
    node.attr.clear()
    node.attr["dtype"].type = tensor.dtype
    node.attr["value"].tensor.CopyFrom(tensor)
