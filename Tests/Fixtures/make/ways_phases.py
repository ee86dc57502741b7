"""Graphs frozen between training and inference: learning phases, all forms of dropout, conditions."""
import tensorflow as tf

from tiny import GAMMA, tiny

op = tf.raw_ops


def phase(name="keras_learning_phase", default=None):
    if default is None:
        return tf.compat.v1.placeholder(tf.bool, [], name=name)
    return op.PlaceholderWithDefault(input=tf.constant(default, name=name + "/input"), shape=[], name=name)


def random(x, generator="RandomUniform"):
    shape = op.Shape(input=x, name="dropout/Shape")
    if generator == "StatelessRandomUniformV2":
        return op.StatelessRandomUniformV2(shape=shape, key=tf.constant([1], tf.uint64), counter=tf.constant([1, 2], tf.uint64),
                                           alg=1, name="dropout/random_uniform/StatelessRandomUniformV2")
    if generator == "StatelessRandomUniform":
        return op.StatelessRandomUniform(shape=shape, seed=[1, 2], name="dropout/random_uniform/StatelessRandomUniform")
    return op.RandomUniform(shape=shape, dtype=tf.float32, seed=1, seed2=2, name="dropout/random_uniform/RandomUniform")


def floored(x, keep):
    """x / keep * floor(keep + random), up to TensorFlow 1.12."""
    low, high = tf.constant(0.0), tf.constant(1.0)
    drawn = op.Add(x=op.Mul(x=random(x), y=op.Sub(x=high, y=low)), y=low)
    kept = op.Floor(x=op.Add(x=keep, y=drawn), name="dropout/Floor")
    return op.Mul(x=op.RealDiv(x=x, y=keep, name="dropout/div"), y=kept, name="dropout/mul")


def compared(x, rate):
    """x * 1/(1 - rate) * cast(random >= rate), from TensorFlow 1.13 on."""
    scale = op.RealDiv(x=tf.constant(1.0), y=op.Sub(x=tf.constant(1.0), y=rate))
    kept = op.Cast(x=op.GreaterEqual(x=random(x), y=rate, name="dropout/GreaterEqual"), DstT=tf.float32)
    return op.Mul(x=op.Mul(x=x, y=scale), y=kept, name="dropout/mul_1")


def chosen(x, generator="RandomUniform"):
    """select(random >= rate, x * 1/(1 - rate), 0), from TensorFlow 2.12 on."""
    kept = op.GreaterEqual(x=random(x, generator), y=tf.constant(0.3, name="dropout/rate"), name="dropout/GreaterEqual")
    return op.SelectV2(condition=kept, t=op.Mul(x=x, y=1 / 0.7), e=0.0, name="dropout/SelectV2")


def chosen_elsewise(x):
    """The same reversed, with the older Select: zero if random < rate."""
    dropped = op.Less(x=random(x), y=tf.constant(0.3))
    return op.Select(condition=dropped, x=op.ZerosLike(x=x), y=op.RealDiv(x=x, y=0.7), name="dropout/Select")


def scaled_behind(x):
    kept = op.Cast(x=op.Less(x=tf.constant(0.4), y=random(x)), DstT=tf.float32)
    return op.Mul(x=op.Mul(x=x, y=kept, name="dropout/mask"), y=1 / 0.6, name="dropout/mul")


def halved_before(x):
    return floored(op.Mul(x=x, y=0.5, name="half"), tf.constant(0.8))


def halved_unscaled(x):
    """A mask without rescaling: the preceding factor of a half belongs to the network."""
    kept = op.Floor(x=op.Add(x=0.8, y=random(x)))
    return op.Mul(x=op.Mul(x=x, y=0.5, name="half"), y=kept)


def switched(predicate, on, off=lambda x: x):
    def middle(x):
        pred = op.Identity(input=predicate(), name="cond/pred_id")
        true = op.Switch(data=x, pred=pred, name="cond/Switch").output_true
        false = op.Switch(data=x, pred=pred, name="cond/Switch_1").output_false
        return op.Merge(inputs=[off(false), on(true)], name="cond/Merge").output
    return middle


def conditional(kind, predicate, on, off=lambda x: x):
    def middle(x):
        branches = [tf.function(branch, input_signature=[tf.TensorSpec(x.shape)]).get_concrete_function() for branch in (on, off)]
        return getattr(op, kind)(cond=predicate(), input=[x], Tout=[tf.float32], then_branch=branches[0], else_branch=branches[1],
                                 output_shapes=[x.shape], name="phase")[0]
    return middle


def dropping(x):
    return op.Mul(x=x, y=op.Cast(x=op.GreaterEqual(x=op.RandomUniform(shape=op.Shape(input=x), dtype=tf.float32), y=0.5),
                                 DstT=tf.float32))


def scaled(x):
    return op.Mul(x=x, y=GAMMA)


def write(ways):
    def rate():
        return tf.compat.v1.placeholder(tf.float32, [], name="rate")

    def keep():
        return tf.compat.v1.placeholder(tf.float32, None, name="keep_prob")

    def negated():
        return op.LogicalNot(x=phase("inference_mode"))

    plain = tiny
    for name, middle, expected, note in [
            ("dropout_select", chosen, plain, "SelectV2 by GreaterEqual"),
            ("dropout_select_stateless", lambda x: chosen(x, "StatelessRandomUniformV2"), plain, "StatelessRandomUniformV2"),
            ("dropout_stateless", lambda x: chosen(x, "StatelessRandomUniform"), plain, "StatelessRandomUniform"),
            ("dropout_select_zeros_first", chosen_elsewise, plain, "Select by Less, zeros where it holds"),
            ("dropout_keep_half", lambda x: floored(x, tf.constant(0.5)), plain, "RandomUniform, Floor, keep 0.5"),
            ("dropout_rate_half", lambda x: compared(x, tf.constant(0.5)), plain, "GreaterEqual, Cast, rate 0.5"),
            ("dropout_keep_placeholder", lambda x: floored(x, keep()), plain, "keep_prob is a placeholder of its own"),
            ("dropout_rate_placeholder", lambda x: compared(x, rate()), plain, "rate is a placeholder of its own"),
            ("dropout_scaled_behind", scaled_behind, plain, "the factor stands behind the mask"),
            ("dropout_halved_before", halved_before, lambda x: tiny(x, lambda x: op.Mul(x=x, y=0.5)),
             "a factor of the network before the one of the dropout"),
            ("dropout_unscaled", halved_unscaled, lambda x: tiny(x, lambda x: op.Mul(x=x, y=0.5)),
             "a factor of the network, and a mask without one"),
            ("phase_placeholder", switched(phase, chosen), plain, "Switch and Merge on a bool placeholder without default"),
            ("phase_default_true", switched(lambda: phase("is_training", True), chosen, scaled), lambda x: tiny(x, scaled),
             "is_training is true by default"),
            ("phase_inference_mode", switched(negated, chosen, scaled), lambda x: tiny(x, scaled), "LogicalNot of inference_mode"),
            ("phase_if", conditional("If", phase, dropping, scaled), lambda x: tiny(x, scaled), "If"),
            ("phase_stateless_if", conditional("StatelessIf", lambda: phase(default=False), dropping, scaled),
             lambda x: tiny(x, scaled), "StatelessIf on a PlaceholderWithDefault"),
            ("phase_if_nested", conditional("If", phase, dropping, conditional("If", lambda: tf.constant(True), scaled, dropping)),
             lambda x: tiny(x, scaled), "an If in a branch of another")]:
        ways.add(name, lambda x, middle=middle: tiny(x, middle), note, reference=expected)
    ways.add("phase_set", lambda x: tiny(x, switched(phase, scaled)), "--set says that it is training",
             reference=lambda x: tiny(x, scaled), options="--set keras_learning_phase=true")
    ways.add("phase_of_any_name", lambda x: tiny(x, switched(lambda: phase("x7"), chosen)), "the bool placeholder is called x7",
             reference=plain, options="--set x7=false")
