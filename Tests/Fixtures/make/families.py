"""Small versions of the Keras architectures, made of Keras' own blocks if those can be narrow: every kind of
block in the large network, once or twice, for 32 x 32 images and ten classes, frozen as by TensorFlow 2.

Functions that Keras spells out in its own way (swish with IdentityN, hard-swish, GELU, layer normalization,
squeeze and excitation) appear here as in real graphs.
"""
import tf_keras
from tf_keras.src.applications import (convnext, densenet, efficientnet, efficientnet_v2, inception_resnet_v2, inception_v3,
                                       mobilenet, mobilenet_v2, mobilenet_v3, nasnet, resnet)

from common import strip_defaults
from keras_graphs import frozen, frozen_with_learning_phase, settle
from sample_images import inputs_of

L = tf_keras.layers
for module in (mobilenet, mobilenet_v2, inception_resnet_v2, resnet):
    module.layers = L  # otherwise set by the function that builds the whole network
SIZE, CLASSES = 32, 10


def network(body, top=True, image=None):
    """A model of these blocks. `body` computes from the image the features to pool or, without `top`, the probabilities."""
    image = tf_keras.Input((SIZE, SIZE, 3), tensor=image)
    x = body(image)
    if top:
        x = L.GlobalAveragePooling2D()(x)
        x = L.Dense(CLASSES, activation="softmax", name="predictions")(x)
    return tf_keras.Model(image, x)


def mobilenet_v1(image=None):
    def body(x):
        x = mobilenet._conv_block(x, 8, 1.0, strides=(2, 2))
        x = mobilenet._depthwise_conv_block(x, 12, 1.0, block_id=1)
        x = mobilenet._depthwise_conv_block(x, 16, 1.0, strides=(2, 2), block_id=2)
        x = L.GlobalAveragePooling2D(keepdims=True)(x)
        x = L.Conv2D(CLASSES, (1, 1), padding="same", name="conv_preds")(L.Dropout(1e-3)(x))
        return L.Activation("softmax", name="predictions")(L.Reshape((CLASSES,))(x))
    return network(body, top=False, image=image)


def mobilenet_v2_small():
    def body(x):
        x = L.ReLU(6.0)(L.BatchNormalization()(L.Conv2D(8, 3, 2, "same", use_bias=False)(x)))
        x = mobilenet_v2._inverted_res_block(x, 1, 1, 1.0, 8, 0)
        x = mobilenet_v2._inverted_res_block(x, 2, 2, 1.0, 8, 1)
        x = mobilenet_v2._inverted_res_block(x, 2, 1, 1.0, 8, 2)
        return L.ReLU(6.0)(L.BatchNormalization()(L.Conv2D(24, 1, use_bias=False)(x)))
    return network(body)


def mobilenet_v3_small():
    def stack(x, kernel, activation, se_ratio):
        x = mobilenet_v3._inverted_res_block(x, 1, 8, 3, 2, se_ratio, mobilenet_v3.relu, 0)
        x = mobilenet_v3._inverted_res_block(x, 2, 8, 3, 1, None, mobilenet_v3.relu, 1)
        return mobilenet_v3._inverted_res_block(x, 2, 16, kernel, 2, se_ratio, activation, 2)
    return mobilenet_v3.MobileNetV3(stack, 24, input_shape=(SIZE, SIZE, 3), classes=CLASSES, weights=None)


def inception_v3_small():
    conv = inception_v3.conv2d_bn

    def pooled(x, filters):
        return conv(L.AveragePooling2D((3, 3), (1, 1), "same")(x), filters, 1, 1)

    def body(x):
        x = conv(x, 8, 3, 3, strides=(2, 2), padding="valid")
        a = [conv(x, 6, 1, 1), conv(conv(x, 4, 1, 1), 6, 5, 5), conv(conv(conv(x, 4, 1, 1), 6, 3, 3), 6, 3, 3), pooled(x, 4)]
        x = L.Concatenate()(a)
        b = [conv(x, 8, 3, 3, strides=(2, 2), padding="valid"),
             conv(conv(conv(x, 4, 1, 1), 6, 3, 3), 6, 3, 3, strides=(2, 2), padding="valid"), L.MaxPooling2D((3, 3), (2, 2))(x)]
        x = L.Concatenate()(b)
        c = [conv(x, 6, 1, 1), conv(conv(conv(x, 4, 1, 1), 4, 1, 7), 6, 7, 1), pooled(x, 6)]
        x = L.Concatenate()(c)
        split = conv(x, 6, 1, 1)
        e = [conv(x, 6, 1, 1), L.Concatenate()([conv(split, 6, 1, 3), conv(split, 6, 3, 1)]), pooled(x, 6)]
        return L.Concatenate()(e)
    return network(body)


def inception_resnet_v2_small():
    whole = inception_resnet_v2.conv2d_bn

    def narrow(x, filters, *arguments, name=None, **options):
        # The layer before the residual addition keeps its width.
        return whole(x, filters if (name or "").endswith("_conv") else max(3, filters // 24), *arguments, name=name, **options)

    def body(x):
        x = whole(x, 10, 3, strides=2, padding="valid")
        inception_resnet_v2.conv2d_bn = narrow
        try:
            for index, (kind, scale) in enumerate([("block35", 0.17), ("block17", 0.1), ("block8", 0.2)], 1):
                x = inception_resnet_v2.inception_resnet_block(x, scale, kind, index)
        finally:
            inception_resnet_v2.conv2d_bn = whole
        return whole(x, 16, 1)
    return network(body)


def resnet50():
    def body(x):
        x = L.ReLU()(L.BatchNormalization(epsilon=1.001e-5)(L.Conv2D(8, 7, 2)(L.ZeroPadding2D(3)(x))))
        x = L.MaxPooling2D(3, 2)(L.ZeroPadding2D(1)(x))
        return resnet.stack1(resnet.stack1(x, 4, 2, stride1=1, name="conv2"), 6, 1, name="conv3")
    return network(body)


def resnet50_v2():
    def body(x):
        x = L.MaxPooling2D(3, 2)(L.ZeroPadding2D(1)(L.Conv2D(8, 7, 2)(L.ZeroPadding2D(3)(x))))
        x = resnet.stack2(resnet.stack2(x, 4, 2, name="conv2"), 6, 2, name="conv3")
        return L.ReLU()(L.BatchNormalization(epsilon=1.001e-5)(x))
    return network(body)


def densenet_small():
    def body(x):
        x = L.ZeroPadding2D(((3, 3), (3, 3)))(x)
        x = L.ReLU()(L.BatchNormalization(epsilon=1.001e-5)(L.Conv2D(8, 7, 2, use_bias=False)(x)))
        x = L.MaxPooling2D(3, 2)(L.ZeroPadding2D(((1, 1), (1, 1)))(x))
        x = densenet.conv_block(densenet.conv_block(x, 4, "conv2_block1"), 4, "conv2_block2")
        x = densenet.conv_block(densenet.transition_block(x, 0.5, "pool2"), 4, "conv3_block1")
        return L.ReLU()(L.BatchNormalization(epsilon=1.001e-5)(x))
    return network(body)


def xception_small():
    def separable(x, filters, name):
        return L.BatchNormalization()(L.SeparableConv2D(filters, 3, padding="same", use_bias=False, name=name)(x))

    def body(x):
        x = L.ReLU()(L.BatchNormalization()(L.Conv2D(8, 3, 2, use_bias=False)(x)))
        shortcut = L.BatchNormalization()(L.Conv2D(12, 1, 2, "same", use_bias=False)(x))
        x = separable(L.ReLU()(separable(x, 12, "block2_sepconv1")), 12, "block2_sepconv2")
        x = L.Add()([L.MaxPooling2D(3, 2, "same")(x), shortcut])
        x = L.Add()([separable(L.ReLU()(separable(L.ReLU()(x), 12, "block5_sepconv1")), 12, "block5_sepconv2"), x])
        return L.ReLU()(separable(x, 20, "block14_sepconv1"))
    return network(body)


def nasnet_small():
    def body(x):
        x = L.BatchNormalization(epsilon=1e-3)(L.Conv2D(6, 3, 2, use_bias=False)(x))
        x, previous = nasnet._reduction_a_cell(x, None, 6, "stem_1")
        x, previous = nasnet._normal_a_cell(x, previous, 6, "0")
        return L.ReLU()(x)
    return network(body)


def efficientnet_b0():
    blocks = [{"kernel_size": 3, "repeats": 1, "filters_in": 32, "filters_out": 16, "expand_ratio": 1, "id_skip": True,
               "strides": 1, "se_ratio": 0.25},
              {"kernel_size": 5, "repeats": 2, "filters_in": 16, "filters_out": 24, "expand_ratio": 3, "id_skip": True,
               "strides": 2, "se_ratio": 0.25}]
    return efficientnet.EfficientNet(0.1, 1.0, SIZE, dropout_rate=0, drop_connect_rate=0, blocks_args=blocks, weights=None,
                                     input_shape=(SIZE, SIZE, 3), classes=CLASSES)


def efficientnet_v2_b0():
    blocks = [{"kernel_size": 3, "num_repeat": repeat, "input_filters": 8, "output_filters": 8, "expand_ratio": expansion,
               "se_ratio": ratio, "strides": stride, "conv_type": kind}
              for repeat, expansion, ratio, stride, kind in [(1, 1, 0, 1, 1), (2, 2, 0, 2, 1), (2, 3, 0.25, 2, 0)]]
    return efficientnet_v2.EfficientNetV2(0.1, 1.0, SIZE, dropout_rate=0, drop_connect_rate=0, blocks_args=blocks, weights=None,
                                          input_shape=(SIZE, SIZE, 3), classes=CLASSES)


def vgg16():
    def body(x):
        for filters in (6, 8, 12):
            for _ in range(2):
                x = L.Conv2D(filters, 3, padding="same", activation="relu")(x)
            x = L.MaxPooling2D(2, 2)(x)
        x = L.Dense(16, activation="relu", name="fc1")(L.Flatten()(x))
        return L.Dense(CLASSES, activation="softmax", name="predictions")(x)
    return network(body, top=False)


def convnext_tiny():
    return convnext.ConvNeXt([1, 1, 1, 1], [6, 8, 12, 16], default_size=SIZE, weights=None, input_shape=(SIZE, SIZE, 3),
                             classes=CLASSES)


# Their inputs: values from -1 to 1, or pixels from 0 to 255.
FAMILIES = {"mobilenet_v1": (mobilenet_v1, "color"), "mobilenet_v2": (mobilenet_v2_small, "color"),
            "mobilenet_v3": (mobilenet_v3_small, "pixels"), "inception_v3": (inception_v3_small, "color"),
            "inception_resnet_v2": (inception_resnet_v2_small, "color"), "resnet50": (resnet50, "color"),
            "resnet50_v2": (resnet50_v2, "color"), "densenet121": (densenet_small, "color"), "xception": (xception_small, "color"),
            "nasnet_mobile": (nasnet_small, "color"), "efficientnet_b0": (efficientnet_b0, "pixels"),
            "efficientnet_v2_b0": (efficientnet_v2_b0, "pixels"), "vgg16": (vgg16, "color"), "convnext": (convnext_tiny, "pixels")}


def shared_names(definition):
    """Names functions by their order: TensorFlow numbers all functions of a process."""
    ordered = sorted(definition.library.function, key=lambda function: int(function.signature.name.split("_")[-1]))
    names = {function.signature.name: f"convolution_{place}" for place, function in enumerate(ordered)}
    for node in definition.node:
        if "f" in node.attr:
            node.attr["f"].func.name = names[node.attr["f"].func.name]
        for name in ("config_proto", "config", "executor_type", "_collective_manager_ids", "_read_only_resource_inputs"):
            node.attr.pop(name, None)
    for function in ordered:
        function.signature.name = names[function.signature.name]
    definition.library.function.sort(key=lambda function: function.signature.name)


def families(networks):
    for name, (build, kind) in FAMILIES.items():
        tf_keras.backend.clear_session()  # layers without a name are numbered
        model = build()
        # Without batch norm, differences between images shrink from layer to layer.
        settle(model, inputs_of(kind)[1], 0.5 if name == "vgg16" else 2.0)
        definition = frozen(model)
        shared_names(definition)
        strip_defaults(definition)
        networks.save("keras_" + name, definition, "Identity", "as Keras builds it and TensorFlow 2 freezes it", kind)
    tf_keras.backend.clear_session()
    model = mobilenet_v1()
    settle(model, inputs_of("color")[1])
    definition, output = frozen_with_learning_phase(mobilenet_v1, model)
    strip_defaults(definition)
    networks.save("keras_learning_phase", definition, output,
                  "as Keras built it under TensorFlow 1: batch norm and dropout switch on the learning phase")
