"""The ways of freezing graphs: `ways/NAME.pb`, a tiny network each, with TensorFlow's outputs for two images.

If a graph was frozen in training mode, the outputs are those of the same network built for inference.
"""
import tensorflow as tf

import ways_functions
import ways_inputs
import ways_optimized
import ways_phases
from common import expected_outputs, graph_bytes, graph_of, require_telling, save_array, save_bytes, save_table
from tiny import sample_images, tiny


class Ways:
    """Writes graphs and collects the rows of their index."""

    def __init__(self):
        self.rows = []

    def add(self, name, build, note, reference=None, shape=(1, 8, 8, 3), dtype=tf.float32, declared="fixed", feed="input",
            options="-", kind="color", fed=None, edit=None, named=False):
        """Writes one graph.

        build(x) returns the result, or a list of them, for the placeholder x. `reference` builds the graph for
        TensorFlow's output, if that is another graph. Of a batch, only the first output is kept. `declared` is the
        placeholder's shape if it differs from the images'; `feed` is the tensor that gets the input, None if `build`
        creates its input itself and returns (fed, results). `options` are command-line arguments. `fed` reshapes an
        image for the graph. `named` writes the outputs' names into the options.
        """
        def whole(construct, into):
            def construction():
                if feed is None:
                    source, results = construct()
                    into.append(source.name)
                else:
                    x = tf.compat.v1.placeholder(dtype, shape if declared == "fixed" else declared, name=feed)
                    results = construct(x)
                    into.append(x.name)
                into.extend(result.name for result in (results if isinstance(results, list) else [results]))
            return construction

        names, reference_names = [], []
        definition = graph_of(whole(build, names), library=True)
        expected_graph = graph_of(whole(reference, reference_names), library=True) if reference else definition
        if edit:
            edit(definition)
            definition = tf.compat.v1.graph_util.extract_sub_graph(definition, [name.split(":")[0] for name in names[1:]])
        inputs = [(fed or (lambda x: x))(image) for image in sample_images(kind)]
        source, *fetches = reference_names or names
        for place, fetch in enumerate(fetches):
            results = expected_outputs(expected_graph, inputs, source, fetch)
            require_telling(results, name)
            for index in range(2):
                save_array(f"ways/{name}.output{index}{'.%d' % place if place else ''}.npy", results[index][:1])
        save_bytes(f"ways/{name}.pb", graph_bytes(definition))
        words = [] if options == "-" else [options]
        if named or len(fetches) > 1:
            words += ["--output " + fetch.removesuffix(":0") for fetch in names[1:]]
        self.rows.append((name, " ".join(words) or "-", kind, note))

    def save_index(self):
        save_table("ways/ways.tsv", ("way", "options", "pictures", "note"), self.rows)


def write():
    for kind in ("color", "pixels"):
        for index, image in enumerate(sample_images(kind)):
            save_array(f"ways/{kind}{index}.npy", image)
    ways = Ways()
    for module in (ways_functions, ways_inputs, ways_phases, ways_optimized):
        module.write(ways)
    ways.save_index()
