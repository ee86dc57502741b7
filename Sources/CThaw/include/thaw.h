/// Thaw's C interface: converts TensorFlow graphs to Core ML models, and runs Core ML models on x86-64 and arm64 CPUs.
///
///     thaw_model *model;
///     thaw_error *error;
///     if (thaw_model_load("MobileNet.mlmodel", &model, &error) != THAW_OK) {
///         fprintf(stderr, "%s\n", thaw_error_message(error));
///         thaw_error_free(error);
///     }
///
/// Status. Functions that can fail return a `thaw_status`: 0 on success. On failure they set `*error` to a new error,
/// to be freed by the caller with `thaw_error_free`, and their results to NULL. `error` may be NULL. On success
/// `*error` is set to NULL.
///
/// Handles. Models, states, classifiers, detectors, batches, results and errors are opaque handles, each freed by the function
/// named `…_free`. They are never dereferenced: a handle that was freed, or is of another type, is detected, and gives
/// THAW_INVALID_ARGUMENT with the code `invalidHandle`; for NULL the code is `invalidArgument`. Freeing NULL, or a handle a
/// second time, does nothing. A handle may be freed while another thread uses it: that call completes.
///
/// Memory. Arguments need only be valid during the call: whatever is needed later is copied. Memory that a
/// function returns through a handle is owned by that handle, and is valid until the handle is freed. Memory that
/// is returned as `char **` or as a `thaw_buffer` is owned by the caller, who frees it with `thaw_free`.
///
/// Threads. Every function may be called on any thread at any time, with shared handles too. Results do not depend on
/// the number of threads.
///
/// Structures. The first member of each structure, `size`, is set to `sizeof` by the caller. It identifies the
/// version of the structure, because members may be added at the end. A size that the library does not know is refused.
/// All elements of an array of structures have the same size. A structure that is otherwise zero has all default values.
/// Structures without this member never change. Strings are UTF-8 and zero-terminated; file names may be any bytes. NULL
/// means "not given".
///
/// Fork. After `fork`, the child may use all handles, with threads of its own, if no call and no batch was active in
/// another thread of the parent at that moment. Otherwise every function fails in the child with THAW_FORKED.
#ifndef THAW_H
#define THAW_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct thaw_model thaw_model;
typedef struct thaw_state thaw_state;
typedef struct thaw_classifier thaw_classifier;
typedef struct thaw_detector thaw_detector;
typedef struct thaw_batch thaw_batch;
typedef struct thaw_result thaw_result;
typedef struct thaw_error thaw_error;

enum {
    THAW_OK = 0,
    /// The input is at fault: a file, a model, an image, an option. The error's code identifies the problem.
    THAW_FAILED = 1,
    /// The call is at fault: a required argument is NULL, a handle is invalid, or a structure has an unknown size.
    THAW_INVALID_ARGUMENT = 2,
    /// The batch was canceled.
    THAW_CANCELED = 3,
    /// No result was ready before the timeout. This is not a failure: there is no error.
    THAW_TIMED_OUT = 4,
    /// The process was forked while the library was working. The child process cannot use the library.
    THAW_FORKED = 5
};
/// One of the values above.
typedef int thaw_status;

/// The library's version: "0.1.0". It is never freed.
const char *thaw_version(void);

/// Frees memory that a function returned as `char **` or as a `thaw_buffer`.
void thaw_free(void *memory);

// MARK: Errors

/// The kind of failure, such as "noSuchFile" or "unsupportedOperations", for programs. Codes are stable; see
/// docs/failure-codes.md. NULL for an invalid handle.
const char *thaw_error_code(const thaw_error *error);

/// The problem, its location, and the remedy, for users. NULL for an invalid handle.
const char *thaw_error_message(const thaw_error *error);

/// The details, as a JSON object: `code`, `message`, `file`, `location`, `problem`, `remedy`, `hint` (strings or null),
/// `nodes` (a list of objects with `name` and `op`), `names` (a list of strings), and `parts`. NULL for an invalid handle.
///
/// Messages refer to options by the names of members, such as `batch_norm`, and to tasks by functions. For bindings that name
/// them differently, `parts` is the message in parts: strings, and objects with an `option` (the Swift library's name in
/// snake case, such as `batch_norm`) or a `task` (`convert`, `quantize`, `classify`, `detect`, `evaluate_detector`, `apply`, `run`,
/// `run_with_state` or `run_pipeline`). Later versions may add names.
const char *thaw_error_details(const thaw_error *error);

void thaw_error_free(thaw_error *error);

// MARK: Tensors

/// Element types.
enum {
    THAW_FLOAT32 = 1,
    THAW_FLOAT16 = 2,
    THAW_FLOAT64 = 3,
    THAW_BFLOAT16 = 4,
    THAW_INT8 = 5,
    THAW_UINT8 = 6,
    THAW_INT16 = 7,
    THAW_UINT16 = 8,
    THAW_INT32 = 9,
    THAW_UINT32 = 10,
    THAW_INT64 = 11,
    THAW_UINT64 = 12,
    /// One byte: 0 or 1.
    THAW_BOOL = 13
};

/// A named tensor: elements in row-major order without gaps.
typedef struct thaw_tensor {
    size_t size;
    const char *name;
    const void *data;
    /// The size of `data` in bytes. It must match the type and the shape.
    size_t byte_count;
    /// The element type: THAW_FLOAT32, …
    int32_t type;
    /// The number of axes. A scalar has none.
    int32_t rank;
    const int64_t *shape;
} thaw_tensor;

/// Memory that a function returns. Freed by the caller: `thaw_free(buffer.data)`.
typedef struct thaw_buffer {
    void *data;
    size_t count;
} thaw_buffer;

// MARK: Loading

/// Loads a Core ML model (`.mlmodel`, `.mlpackage`): a network, a pipeline, or a model of another kind, which is a pipeline
/// of one stage. A TensorFlow graph (frozen graph, SavedModel, checkpoint) is converted with default options.
thaw_status thaw_model_load(const char *path, thaw_model **model, thaw_error **error);

/// Loads one of the functions of an ML Program that has several.
///
/// - `function`: NULL selects the default function, which `thaw_model_load` loads.
thaw_status thaw_model_load_function(
    const char *path, const char *function, thaw_model **model, thaw_error **error);

/// Loads a Core ML model from the bytes of its `.mlmodel` file.
///
/// An ML Program keeps its weights in a second file: `weights` is the content of a package's `weights/weight.bin`. It must
/// be NULL for a model without ML Programs.
thaw_status thaw_model_load_bytes(
    const void *bytes, size_t count, const void *weights, size_t weight_count, thaw_model **model, thaw_error **error);

/// The same for one of the functions of an ML Program that has several.
///
/// - `function`: NULL selects the default function, which `thaw_model_load_bytes` loads.
thaw_status thaw_model_load_function_bytes(
    const void *bytes, size_t count, const void *weights, size_t weight_count, const char *function, thaw_model **model,
    thaw_error **error);

void thaw_model_free(thaw_model *model);

// MARK: Converting

/// Options for one input of a graph.
typedef struct thaw_input_options {
    size_t size;
    /// The name of the input. NULL: applies to every image without separate options.
    const char *name;
    /// Width and height of the image in pixels, if the graph leaves them open; with flexible sizes, the default, which must be
    /// one of them. 0: not given.
    int32_t width, height;
    /// "rgb", "bgr" or "gray".
    const char *color;
    /// y = scale * x + bias for pixels x from 0 to 255: none, one, or one per channel in the order of `color`.
    const double *scale;
    size_t scale_count;
    const double *bias;
    size_t bias_count;
    /// Flexible sizes: pairs of width and height. The default is the first, unless `width` and `height` are given. Only for a
    /// model's only image.
    const int32_t *sizes;
    size_t size_count;
    /// Flexible sizes: the bounds of a range. 0: not given. The default is the size nearest to 224x224, unless `width` and
    /// `height` are given.
    int32_t minimum_width, maximum_width, minimum_height, maximum_height;
    /// The shape of a tensor input, if the graph leaves it open.
    const int64_t *shape;
    int32_t rank;
    /// Not 0: a multi-array of the graph's own shape, even if it could be an image.
    int32_t is_tensor;
    /// Not 0: a multi-array of int32, if the graph's input has integers of 32 or 64 bits. Otherwise it is one of float32, unless
    /// the graph computes with the integers or selects by them.
    int32_t keeps_integers;
} thaw_input_options;

/// A pair of strings: a name and its replacement or description.
typedef struct thaw_pair {
    const char *key;
    const char *value;
} thaw_pair;

/// A value for a placeholder that is not an input: one number, or several in row-major order. A Boolean is 0 or 1.
typedef struct thaw_setting {
    const char *name;
    const double *values;
    size_t count;
} thaw_setting;

/// Options for converting a graph. Each member corresponds to an option of `thaw convert`; see `thaw convert --help`.
typedef struct thaw_convert_options {
    size_t size;
    /// The node that the image replaces, if the graph has several candidates.
    const char *input;
    const thaw_input_options *inputs;
    size_t input_count;
    /// The nodes to compute. None: the graph's outputs are found.
    const char *const *outputs;
    size_t output_count;
    /// The class labels: as strings, as integers, or in a text file with one per line. At most one of the three is
    /// given. Without labels the model is not a classifier.
    const char *const *labels;
    size_t label_count;
    const int64_t *integer_labels;
    size_t integer_label_count;
    const char *label_file;
    /// Not 0: the labels of the file are integers.
    int32_t file_has_integers;
    /// -1: no output becomes an image. 1: the output becomes an image. 0: only if its value range is known.
    int32_t image_output;
    /// The names of a classifier's outputs. NULL: "classLabel", and the graph's own name.
    const char *class_label;
    const char *probabilities;
    /// "first" or "last": the layout of the graph's own image input. NULL: inferred.
    const char *channels;
    /// "inception", "caffe", "torch", "unit", "none" or "auto". NULL: auto.
    const char *preprocessing;
    /// "graph" or "inference". NULL: graph.
    const char *batch_norm;
    /// The tags and the signature of a SavedModel.
    const char *tag;
    const char *signature;
    const thaw_setting *settings;
    size_t setting_count;
    /// pixel = scale * y + bias of an image output, and its color: "rgb", "bgr" or "gray".
    const double *output_scale;
    size_t output_scale_count;
    const double *output_bias;
    size_t output_bias_count;
    const char *output_color;
    /// Other names for inputs and outputs: key is the old name, value the new one.
    const thaw_pair *renamings;
    size_t renaming_count;
    /// The output that becomes the image. NULL: the first with the shape of an image.
    const char *image_output_name;
    /// Not 0: moving averages of variables, which training may have stored in a checkpoint, replace their values.
    int32_t uses_moving_averages;
} thaw_convert_options;

/// Converts the frozen graph, SavedModel or checkpoint at `path`.
///
/// - `options`: may be NULL.
/// - `model`: the model. `thaw_model_describe` returns the notes and warnings of the conversion.
thaw_status thaw_convert(
    const char *path, const thaw_convert_options *options, thaw_model **model, thaw_error **error);

/// Converts a graph in memory: a serialized `GraphDef`.
///
/// - `variables`: the values of the graph's variables by their names. NULL if it has none.
/// - `options`: may be NULL.
thaw_status thaw_convert_bytes(
    const void *graph, size_t count, const thaw_tensor *variables, size_t variable_count,
    const thaw_convert_options *options, thaw_model **model, thaw_error **error);

// MARK: Describing

/// Describes a model, as a JSON object. The caller frees it.
///
///     kind            "neuralNetwork", "mlProgram", "pipeline" for all other Core ML models, or "graph" for a converted graph
///     version         the version of Core ML's format; null for a converted graph
///     systems         the oldest systems that load it, such as "iOS 13 and macOS 10.15"; null for a converted graph
///     inputs          a list of features, in the model's order
///     outputs         a list of features; a classifier's first two are its dictionary and its label
///     classifier      null, or: count, labels (a list of strings), hasIntegerLabels, predictedFeatureName,
///                     predictedProbabilitiesName, areIndependent (whether probabilities need not add up to 1)
///     preprocessing   a list of formulas, one per channel: "red: y = 0.0078 x - 1"
///     metadata        shortDescription, author, license, versionString, userDefined (an object)
///     parameters      the number of parameters
///     multiplyAdds    the number of multiply-adds of a run
///     hasShortWeights whether weights are stored in 16 bits or less, or the model computes in float16
///     states          the names of a stateful model's state tensors: a list of strings
///     isPackage       whether the model is a package
///     stages          of a pipeline: a list of objects with `position` ("1", or "2.1" for the first stage of a pipeline that
///                     is the second stage), `kind`, and the names of `inputs` and `outputs`; null otherwise
///     detector        null, or of a pipeline that detects objects: labels (a list of strings or null),
///                     confidenceThreshold, iouThreshold
///     notes           inferences made when a graph was converted: a list of objects with a stable `code`, the
///                     `message`, and its `parts` (see thaw_error_details)
///     warnings        possible problems: a list of such objects
///
/// A feature has `name`, `description`, `isOptional` (whether an input may be omitted) and `type`:
///
///     "image"         width, height, color ("rgb", "bgr", "gray"), isFloat16 (grayscale of 16 bits),
///                     sizes: null, {"enumerated": [[w, h], …]}, or {"width": [least, most], "height": [least, most]};
///                     an input of a network has scale and bias: lists of one number per channel, in the order of `color`
///     "multiArray"    shape (null if a pipeline leaves it open), dataType ("float32", "float16", "float64", "int32", …),
///                     shapes: null, {"enumerated": [[1, 10], …]}, or {"ranges": [[least, most], …]} with a range for each
///                     axis; most is -1 if unbounded
///     "dictionary"    keyType ("string" or "int64"): a classifier's probabilities, or an input of a pipeline
///     "string", "int64"   a classifier's label, or an input or output of a pipeline
///     "double"        a number of a pipeline
thaw_status thaw_model_describe(const thaw_model *model, char **json, thaw_error **error);

/// Describes a file as far as possible even if it can be neither converted nor run, as `thaw inspect` does. The
/// caller frees the JSON object: `format` ("frozenGraph", "savedModel", "checkpoint", "coreML", "coreMLPackage"),
/// `byteCount`, `version`, `systems`, `parts` (operations or layers: a list of objects with `kind` and `count`),
/// `weights` (objects with `type`, `count` and `byteCount`), `signatures` (strings), `variableCount`, `placeholders`
/// (objects with `name` and `type`).
///
/// - `tag`: the tags of a SavedModel's graph. May be NULL.
thaw_status thaw_inspect(const char *path, const char *tag, char **json, thaw_error **error);

/// The class labels, in the order of the probabilities. They are owned by the model. Without labels, `*count` is 0.
thaw_status thaw_model_labels(
    const thaw_model *model, const char *const **labels, size_t *count, thaw_error **error);

/// Sets metadata.
///
/// - `field`: "shortDescription", "author", "license", "versionString"; "userDefined", whose `key` is a key; or
///   "feature", whose `key` is the name of an input or output, to set its description.
/// - `key`: NULL for the first four.
/// - `value`: NULL removes it.
thaw_status thaw_model_set_metadata(
    thaw_model *model, const char *field, const char *key, const char *value, thaw_error **error);

// MARK: Writing

/// Options for writing a model. Each member corresponds to an option of `thaw convert`.
typedef struct thaw_save_options {
    size_t size;
    /// "neuralNetwork" or "mlProgram". NULL: by the extension of the path, `.mlmodel` or `.mlpackage`. A neural network may be
    /// in a package, too.
    const char *kind;
    /// The oldest system that must load the model: "iOS15", "macOS12", …
    const char *target;
    /// "float32", "float16", "int8", "palette8", "palette6" or "palette4". NULL: as they are in a loaded model that is
    /// written in its own kind; otherwise float32 in a neural network, float16 in an ML Program.
    const char *weights;
    /// Weight tensors of fewer elements are not compressed. 0: 2048.
    size_t minimum_count;
    /// Not 0: the filters of depthwise convolutions are compressed too.
    int32_t includes_depthwise;
    /// Not 0: existing files are not replaced.
    int32_t keeps_existing;
    /// For an ML Program: "float32" or "float16". NULL: computes in float16 (in float32 with weights in float32), with
    /// inputs and outputs in float32.
    const char *compute_precision;
    const char *input_type;
    const char *output_type;
} thaw_save_options;

/// Writes a model to a file or a package, completely or not at all.
///
/// A loaded model that is written in its own kind, without other options, is unchanged except for its
/// metadata. Pipelines can only be written like this.
///
/// - `options`: may be NULL.
/// - `report`: NULL, or receives a JSON object, which the caller frees: `byteCount`, `version`, `systems`,
///   `compressedLayers` (a number), and `atEightBits` (the names of layers kept at 8 bits).
thaw_status thaw_model_save(
    const thaw_model *model, const char *path, const thaw_save_options *options, char **report, thaw_error **error);

/// Writes a model to memory. The caller frees both buffers.
///
/// - `options`: `kind` is required for a converted graph. May be NULL for a loaded model.
/// - `bytes`: receives the content of the `.mlmodel` file, or of that inside a package.
/// - `weights`: receives the content of a package's `weights/weight.bin`; NULL and 0 for a model without ML Programs. If it is
///   NULL, the weights of an ML Program are left out, and `bytes` alone only describes the model.
thaw_status thaw_model_serialize(
    const thaw_model *model, const thaw_save_options *options, thaw_buffer *bytes, thaw_buffer *weights,
    thaw_error **error);

/// A new model with compressed weights, as written by `thaw compress`. It computes with the compressed weights.
///
/// - `options`: `weights` is required; `kind` is required for a converted graph.
/// - `report`: as for `thaw_model_save`.
thaw_status thaw_model_compress(
    const thaw_model *model, const thaw_save_options *options, thaw_model **compressed, char **report,
    thaw_error **error);

// MARK: Running

/// The precision that `thaw_model_run`, `thaw_state_run` and `thaw_model_predict` compute networks in, from now on:
/// "float32", "bf16", "int8" or "auto". NULL: float32, as before the first call. A model without ranges cannot be run in
/// int8. If bf16 is not faster on this machine, float32 is used.
thaw_status thaw_model_set_precision(thaw_model *model, const char *precision, thaw_error **error);

/// What this machine does instead if it lacks the instructions for a precision, or gains nothing from them.
///
/// - `note`: a sentence, to be freed with `thaw_free`, or NULL if the machine supports the precision.
thaw_status thaw_precision_note(const char *precision, char **note, thaw_error **error);

/// Computes a network's outputs for tensors, as Core ML's `prediction` does. A pipeline is run by `thaw_model_predict`.
///
/// - `inputs`: one tensor for each input of the model that is not optional, in any order. `name` may be NULL if there is one
///   input. An image is THAW_UINT8 of shape [height, width, 3] in the order red, green, blue, or with a fourth channel, which
///   is ignored; or [height, width] for a gray image. A grayscale image of 16 bits is THAW_FLOAT16. Its size must be one of
///   the model's. A multi-array is of any type and has the shape, or one of the shapes, that `thaw_model_describe` shows; a
///   batch axis of 1 may be missing or added.
/// - `threads`: the threads that share the work. 0: one per core.
/// - `result`: the outputs: `thaw_result_output`, and for a classifier `thaw_result_top`.
thaw_status thaw_model_run(
    const thaw_model *model, const thaw_tensor *inputs, size_t input_count, int32_t threads, thaw_result **result,
    thaw_error **error);

/// The state of a stateful model, for a new sequence of runs. It begins as zeros.
thaw_status thaw_state_create(const thaw_model *model, thaw_state **state, thaw_error **error);

void thaw_state_free(thaw_state *state);

/// Runs a stateful model, like `thaw_model_run`, and updates its state. Threads that share a state wait for each
/// other.
thaw_status thaw_state_run(
    thaw_state *state, const thaw_tensor *inputs, size_t input_count, int32_t threads, thaw_result **result,
    thaw_error **error);

/// A copy of one of a state's arrays, as the only output of `result`. Its name is one of those that `thaw_model_describe`
/// lists as `states`.
thaw_status thaw_state_read(const thaw_state *state, const char *name, thaw_result **result, thaw_error **error);

/// Replaces one of a state's arrays with a copy of `value`, which has its name and shape, and any type.
thaw_status thaw_state_write(thaw_state *state, const thaw_tensor *value, thaw_error **error);

/// The kinds of values.
enum {
    THAW_VALUE_INTEGER = 1,
    THAW_VALUE_NUMBER = 2,
    THAW_VALUE_STRING = 3,
    THAW_VALUE_ARRAY = 4,
    THAW_VALUE_DICTIONARY = 5,
    THAW_VALUE_IMAGE = 6
};

/// An entry of a dictionary.
typedef struct thaw_entry {
    /// The key. NULL: the key is `integer`.
    const char *string;
    int64_t integer;
    double value;
} thaw_entry;

/// An image: a file, the content of one, or pixels.
typedef struct thaw_image {
    size_t size;
    /// The path of the file. With `bytes` or `pixels`: the name of the image in results and messages; may be NULL.
    const char *path;
    /// The content of an image file: JPEG, PNG, WebP, GIF, BMP, PNM or PAM.
    const void *bytes;
    size_t byte_count;
    /// Pixels of 1 channel (gray), 3 (red, green, blue) or 4 (with alpha), one byte each. At most one of `bytes` and
    /// `pixels` is given.
    const uint8_t *pixels;
    int32_t width, height, channels;
    /// The bytes from one row of pixels to the next. 0: width * channels.
    size_t row_stride;
} thaw_image;

/// The value of an input or output. `kind` selects which of the members after it applies.
typedef struct thaw_value {
    size_t size;
    /// The name of the input or output.
    const char *name;
    /// THAW_VALUE_INTEGER, …
    int32_t kind;
    int64_t integer;
    /// NaN is a missing number.
    double number;
    const char *string;
    /// The name of the array is ignored.
    const thaw_tensor *array;
    /// A dictionary, whose keys are all strings or all integers.
    const thaw_entry *entries;
    size_t entry_count;
    const thaw_image *image;
} thaw_value;

/// Computes the outputs of a model of any kind for named values, as Core ML's `prediction` does.
///
/// - `inputs`: one value for each input that is not optional, in any order. `name` may be NULL if there is one input. An
///   integer is also accepted as a number, and a number as an integer if it is one. An image whose size the
///   model does not support is resized to the model's default size. A 16-bit grayscale image is an array of THAW_FLOAT16 of
///   shape [height, width].
/// - `threads`: the threads that share the work of a network. 0: one per core.
/// - `result`: the outputs: `thaw_result_value`.
thaw_status thaw_model_predict(
    const thaw_model *model, const thaw_value *inputs, size_t input_count, int32_t threads, thaw_result **result,
    thaw_error **error);

// MARK: Classifying

/// Options for decoding images and fitting them to the model's size. Each member corresponds to an option of `thaw classify`.
typedef struct thaw_classifier_options {
    size_t size;
    /// "fill", "center" for the central square, "center:F" for one whose side is F times the shorter side, or "fit". NULL:
    /// fill.
    const char *crop;
    /// "pillow", "bicubic", "tensorflow", "tensorflow:align-corners", "tensorflow:half-pixel" or "area". NULL: pillow.
    const char *resize;
    /// "#RRGGBB": the background of `fit` and of transparent pixels. NULL: black, and alpha is ignored.
    const char *background;
    /// Images of more pixels are refused. 0: 200,000,000.
    uint64_t maximum_pixels;
    /// Not 0: truncated images and wrong checksums are refused.
    int32_t is_strict;
    /// Not 0: JPEGs are decoded at reduced scale if they are at least twice as large as needed.
    int32_t is_fast;
    /// The threads that share the work on a single image. 0: one.
    int32_t threads;
    /// "float32", "bf16", "int8" or "auto". NULL: float32.
    const char *precision;
} thaw_classifier_options;

/// Prepares a model that takes an image and returns a row of values for classifying: a network, or a pipeline that begins with
/// one and ends in a classifier.
///
/// - `options`: may be NULL.
thaw_status thaw_classifier_create(
    const thaw_model *model, const thaw_classifier_options *options, thaw_classifier **classifier, thaw_error **error);

void thaw_classifier_free(thaw_classifier *classifier);

/// Classifies an image of any size.
thaw_status thaw_classifier_run(
    const thaw_classifier *classifier, const thaw_image *image, thaw_result **result, thaw_error **error);

// MARK: Detecting

/// How images are decoded and fitted to the model's size, and which boxes are kept. Each member corresponds to an option of
/// `thaw detect`.
typedef struct thaw_detector_options {
    size_t size;
    /// As for a classifier.
    const char *crop;
    const char *resize;
    const char *background;
    uint64_t maximum_pixels;
    int32_t is_strict;
    /// The threads that share the work on a single image. 0: one.
    int32_t threads;
    /// Boxes with a lower confidence are dropped. NULL: the model's own threshold.
    const double *confidence;
    /// If the intersection over union of two boxes is higher, the less confident one is dropped. NULL: the model's
    /// own threshold.
    const double *iou;
    /// "float32", "bf16", "int8" or "auto". NULL: float32.
    const char *precision;
} thaw_detector_options;

/// Prepares a pipeline that takes an image and has a stage of non-maximum suppression for detecting objects.
///
/// - `options`: may be NULL.
thaw_status thaw_detector_create(
    const thaw_model *model, const thaw_detector_options *options, thaw_detector **detector, thaw_error **error);

void thaw_detector_free(thaw_detector *detector);

/// Detects objects in an image of any size. The result is read by `thaw_result_detection`.
thaw_status thaw_detector_run(
    const thaw_detector *detector, const thaw_image *image, thaw_result **result, thaw_error **error);

// MARK: Results

void thaw_result_free(thaw_result *result);

/// A classification. All pointers are owned by the result.
typedef struct thaw_classification {
    size_t size;
    /// The position of the image in its batch, from 0.
    size_t index;
    /// The path or name of the image. NULL if it has none.
    const char *path;
    /// A problem found in an image that could still be read. NULL if there is none.
    const char *warning;
    /// In a batch, why the image could not be classified; NULL if it was. It is owned by the result.
    const thaw_error *error;
    /// One value per class, in the order of the labels. NULL if there is an error.
    const float *probabilities;
    size_t count;
} thaw_classification;

/// Reads the classification in a result of a classifier or a batch, or of running a classifier's model.
thaw_status thaw_result_classification(
    const thaw_result *result, thaw_classification *classification, thaw_error **error);

/// The most probable classes, in descending order; ties in ascending order of the index.
///
/// - `indices`: receives up to `count` class indices.
/// - `found`: receives their number: fewer than `count` if there are fewer classes, 0 for an image with an error.
thaw_status thaw_result_top(
    const thaw_result *result, size_t count, size_t *indices, size_t *found, thaw_error **error);

/// An object that was detected.
typedef struct thaw_object {
    /// The label of the class; its index as text if the model has no labels.
    const char *label;
    /// The index of the class.
    size_t index;
    float confidence;
    /// The top left corner and the size of the box, in pixels of the upright original. It may extend beyond the image.
    double x, y, width, height;
} thaw_object;

/// The objects in an image. All pointers are owned by the result.
typedef struct thaw_detection {
    size_t size;
    /// The position of the image in its batch, from 0.
    size_t index;
    /// The path or name of the image. NULL if it has none.
    const char *path;
    /// A problem found in an image that could still be read. NULL if there is none.
    const char *warning;
    /// In a batch, why no objects could be detected; NULL if they were.
    const thaw_error *error;
    /// The size of the upright original in pixels; 0 if there is an error.
    int32_t width, height;
    /// The objects, the most confident first.
    const thaw_object *objects;
    size_t count;
} thaw_detection;

/// Reads the objects in a result of a detector, or of its batch.
thaw_status thaw_result_detection(const thaw_result *result, thaw_detection *detection, thaw_error **error);

/// The number of outputs of `thaw_model_predict`, in the order of the model's description. 0 for an invalid handle, and for
/// other results.
size_t thaw_result_value_count(const thaw_result *result);

/// An output of `thaw_model_predict`. All pointers are owned by the result.
///
/// An array has the shape and type of the description. An image is pixels in the order red, green, blue, or gray.
thaw_status thaw_result_value(const thaw_result *result, size_t index, thaw_value *value, thaw_error **error);

/// The number of outputs of `thaw_model_run`, in the order of the model's description, without the label. 0 for an
/// invalid handle, and for other results.
size_t thaw_result_output_count(const thaw_result *result);

/// An output of `thaw_model_run`. The name, the shape and the data are owned by the result.
///
/// A classifier's probabilities are THAW_FLOAT32 of shape [classes]. An image is THAW_UINT8 of shape [height, width,
/// 3] in the order red, green, blue, or [height, width] for gray, or THAW_FLOAT16 of that shape for a grayscale image
/// of 16 bits. A multi-array has the shape and type of the description.
thaw_status thaw_result_output(const thaw_result *result, size_t index, thaw_tensor *tensor, thaw_error **error);

// MARK: Batches

/// Options of a batch.
typedef struct thaw_batch_options {
    size_t size;
    /// Files, and folders, whose images are found as `thaw classify` finds them, while the batch runs. None: images are
    /// added by `thaw_batch_add`.
    const char *const *paths;
    size_t path_count;
    /// The threads that work on images, each on one. 0: one per core.
    int32_t threads;
    /// The maximum number of images that are in progress or whose results have not been read. It bounds memory. 0: 16 per
    /// thread.
    int32_t window;
} thaw_batch_options;

/// Starts to classify many images on several threads. Results are returned in the order of the images by
/// `thaw_batch_next`.
///
/// - `options`: may be NULL.
thaw_status thaw_batch_create(
    const thaw_classifier *classifier, const thaw_batch_options *options, thaw_batch **batch, thaw_error **error);

/// Starts to detect objects in many images, as `thaw_batch_create` does for classifying.
///
/// - `options`: may be NULL.
thaw_status thaw_detector_batch_create(
    const thaw_detector *detector, const thaw_batch_options *options, thaw_batch **batch, thaw_error **error);

/// Adds an image to a batch without paths. This never waits, and copies the image: to keep memory constant, take a
/// result for each image added once `thaw_batch_window` images are pending.
thaw_status thaw_batch_add(thaw_batch *batch, const thaw_image *image, thaw_error **error);

/// The window of the batch, as given or chosen: see `thaw_batch_options`. 0 for an invalid handle.
size_t thaw_batch_window(const thaw_batch *batch);

/// Waits for the next result, in the order of the images. An image that cannot be read has a result with an error.
///
/// - `timeout`: in milliseconds; negative: no limit. If it passes, THAW_TIMED_OUT is returned.
/// - `result`: NULL at the end: no paths are left, or all images that were added have been returned. More may be added
///   afterwards.
///
/// THAW_CANCELED after `thaw_batch_cancel`.
thaw_status thaw_batch_next(thaw_batch *batch, int32_t timeout, thaw_result **result, thaw_error **error);

/// Cancels a batch: images not yet begun are dropped, and `thaw_batch_next` returns at once. It may be called on any
/// thread, even while another waits in `thaw_batch_next`. It does nothing for an invalid handle.
void thaw_batch_cancel(thaw_batch *batch);

/// Cancels a batch, waits for the images in progress, and frees it.
void thaw_batch_free(thaw_batch *batch);

// MARK: The command

/// Runs the command `thaw` like a process: with standard streams and interrupt handlers. A small executable
/// that only calls it is the complete command.
///
/// - Returns: the exit status.
int thaw_main(int count, char **arguments);

/// Runs a command like `thaw_main`, but returns a failure that ends it as an error instead of printing it. Call it
/// only in a process that does nothing else.
///
/// - `words`: the arguments without the program's name.
/// - `exit_status`: receives the exit status; 2 for a failure.
thaw_status thaw_command(int count, const char *const *words, int *exit_status, thaw_error **error);

#ifdef __cplusplus
}
#endif

#endif
