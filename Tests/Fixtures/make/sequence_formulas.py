"""The formulas of Core ML's recurrent layers in NumPy, in double precision, for the fixtures in `sequences/`.

Unidirectional LSTM, GRU with `reset_after`, and simple layers are also compared with torch, which has the same formulas.
"""
import numpy as np
import torch


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


FUNCTIONS = {
    "sigmoid": sigmoid, "tanh": np.tanh, "relu": lambda x: np.maximum(x, 0), "linear": lambda x: x,
    "hard_sigmoid": lambda x: np.clip(0.2 * x + 0.5, 0, 1), "sigmoid_hard": lambda x: np.clip(0.2 * x + 0.5, 0, 1),
}


def steps_of(kind, x, h, c, weights, suffix, functions, clips, reset_after=False, coupled=False):
    """The hidden states of all steps in the order of computation, and the final states.

    `clips` are the greatest magnitudes of the gates' sums and of an LSTM's memory.
    """
    gates = {"lstm": 4, "gru": 3, "rnn": 1}[kind]
    units = weights["weight_hh" + suffix].shape[1]
    wide = {key: value.astype("f8") for key, value in weights.items()}
    zeros = np.zeros(gates * units)
    wx, wh = wide["weight_ih" + suffix], wide["weight_hh" + suffix]
    bx, bh = wide.get("input_bias" + suffix, zeros), wide.get("bias" + suffix, zeros)
    peepholes = np.split(wide.get("peephole" + suffix, np.zeros(3 * units)), 3)
    inner, candidate, output = functions
    h, c, result = h.astype("f8"), None if c is None else c.astype("f8"), []

    def clipped(value, clip=clips[0]):
        return np.clip(value, -clip, clip)

    for value in x.astype("f8"):
        sums = np.split(value @ wx.T + bx, gates, axis=1)
        states = np.split(h @ wh.T + bh, gates, axis=1)
        if kind == "rnn":
            h = candidate(clipped(sums[0] + states[0]))
        elif kind == "gru":
            reset, update = (inner(clipped(sums[gate] + states[gate])) for gate in (0, 2))
            middle = slice(units, 2 * units)
            product = reset * states[1] if reset_after else (reset * h) @ wh[middle].T + bh[middle]
            h = (1 - update) * candidate(clipped(sums[1] + product)) + update * h
        else:
            i = inner(clipped(sums[0] + states[0] + peepholes[0] * c))
            f = 1 - i if coupled else inner(clipped(sums[1] + states[1] + peepholes[1] * c))
            c = clipped(f * c + i * candidate(clipped(sums[3] + states[3])), clips[1])
            h = inner(clipped(sums[2] + states[2] + peepholes[2] * c)) * output(c)
        result.append(h)
    return np.stack(result), h, c


def both(kind, x, hs, cs, weights, functions, clips, is_reversed, sequence, **options):
    """The sequence or its last step, and the final states of each direction."""
    parts = []
    for index, (h, c) in enumerate(zip(hs, cs)):
        backward = is_reversed or index == 1
        y, h, c = steps_of(kind, x[::-1] if backward else x, h, c, weights, "_back" if index else "", functions, clips,
                           **options)
        # Only the backward half of a bidirectional layer returns to the order of the input.
        parts.append((y[::-1] if index and sequence else y, h, c))
    y = np.concatenate([part[0] if sequence else part[0][-1:] for part in parts], axis=2)
    return y, [part[1] for part in parts], [part[2] for part in parts]


def recurrent(kind, inputs, weights, options):
    """The outputs of an operation of a program."""
    direction = options.get("direction", "forward")
    count = 2 if direction == "bidirectional" else 1
    functions = [FUNCTIONS[options.get(key, default)] for key, default in
                 (("recurrent_activation", "sigmoid"),
                  ("cell_activation" if kind == "lstm" else "activation", "tanh"), ("activation", "tanh"))]
    hs = np.split(inputs["h"], count, axis=1)
    cs = np.split(inputs["c"], count, axis=1) if "c" in inputs else [None] * count
    extra = dict(reset_after=options.get("reset_after", False)) if kind == "gru" else {}
    y, hs, cs = both(kind, inputs["x"], hs, cs, weights, functions, (np.inf, options.get("clip", np.inf)),
                     direction == "reverse", options["output_sequence"], **extra)
    results = [y, np.concatenate(hs, axis=1)] + ([np.concatenate(cs, axis=1)] if kind == "lstm" else [])
    compare_with_torch(kind, inputs, weights, options, results)
    return [result.astype("f4") for result in results]


def network(kind, inputs, weights, options, units, back):
    """The outputs of a layer of a neural network; blobs have axes sequence, batch, vector, 1, 1."""
    x = inputs["x"].reshape(-1, inputs["x"].shape[1] if inputs["x"].ndim > 1 else 1, weights["weight_ih"].shape[1])
    batch = x.shape[1]
    names = [("h", "c"), ("h_back", "c_back")][:2 if back else 1]
    hs, cs = ([inputs[pair[index]].reshape(batch, units) if pair[index] in inputs else np.zeros((batch, units))
               for pair in names] for index in (0, 1))
    # The candidate of a GRU or a simple layer has the only other activation.
    keys = (("inner_activation", "sigmoid"), ("cell_state_update_activation", "tanh"), ("output_activation", "tanh"))
    if kind != "lstm":
        keys = (("inner_activation", "sigmoid_hard"), ("activation", "tanh"), ("activation", "tanh"))
    functions = [FUNCTIONS[options.get(key, default).lower()] for key, default in keys]
    weights = dict(weights)
    if options.get("forget_bias"):
        weights["bias"] = weights["bias"] + np.repeat([0, 1, 0, 0], units).astype("f4")
    y, hs, cs = both(kind, x, hs, cs, weights, functions, (50.0, options.get("cell_clip_threshold", 50000.0)),
                     options.get("reverse_input", False), options["output_all"],
                     coupled=options.get("coupled_input_forget_gate", False))
    finals = [state for pair in zip(hs, cs) for state in (pair if kind == "lstm" else pair[:1])]
    return [result.astype("f4").reshape(*result.shape, 1, 1) if result.ndim == 3 else
            result.astype("f4").reshape(1, *result.shape, 1, 1) for result in [y] + finals]


def compare_with_torch(kind, inputs, weights, options, results):
    """Stops if torch has a layer of the same kind and gives another output."""
    units = weights["weight_hh"].shape[1]
    standard = not ({"clip", "recurrent_activation", "cell_activation"} & set(options)) and "peephole" not in weights
    usual = {"lstm": "tanh", "gru": "tanh", "rnn": options.get("activation", "tanh")}[kind]
    if not standard or options.get("activation", "tanh") != usual or usual not in ("tanh", "relu"):
        return
    if kind == "gru" and not options.get("reset_after"):
        return
    order = {"lstm": [0, 1, 3, 2], "gru": [0, 2, 1], "rnn": [0]}[kind]
    back = options.get("direction") == "bidirectional"
    layer = {"lstm": torch.nn.LSTM, "gru": torch.nn.GRU, "rnn": torch.nn.RNN}[kind]
    extra = {"nonlinearity": usual} if kind == "rnn" else {}
    layer = layer(weights["weight_ih"].shape[1], units, bidirectional=back, **extra).eval()

    def reordered(value):
        parts = np.split(value, len(order))
        return torch.from_numpy(np.concatenate([parts[gate] for gate in order]))

    zeros = np.zeros(len(order) * units, "f4")
    for suffix, ending in (("", "_l0"), ("_back", "_l0_reverse"))[:2 if back else 1]:
        for key, name, default in (("weight_ih", "weight_ih", None), ("weight_hh", "weight_hh", None),
                                   ("input_bias", "bias_ih", zeros), ("bias", "bias_hh", zeros)):
            getattr(layer, name + ending).data = reordered(weights.get(key + suffix, default))
    x = inputs["x"][::-1] if options.get("direction") == "reverse" else inputs["x"]
    states = [torch.from_numpy(np.stack(np.split(inputs[key], 2 if back else 1, axis=1))) for key in ("h", "c")
              if key in inputs]
    with torch.no_grad():
        y, finals = layer(torch.from_numpy(x.copy()), tuple(states) if kind == "lstm" else states[0])
    finals = finals if kind == "lstm" else (finals,)
    finals = [np.concatenate(list(final.numpy()), axis=1) for final in finals]
    if options["output_sequence"]:
        expected = y.numpy()
    else:
        expected = finals[0][None]
    for ours, theirs in zip(results, [expected] + finals):
        if np.abs(ours - theirs).max() > 1e-5:
            raise ValueError(f"{kind} {options}: torch differs by {np.abs(ours - theirs).max()}")
