/// The arguments of the operations of ML Programs. An argument that is not here belongs to a later version of the operation,
/// and ignoring it would change results.
///
/// Source: coremltools 9.0, `converters/mil/mil/ops/defs`, iOS 15 to iOS 18.
enum MILArguments {
    /// The arguments of an operation, and whether each is required; nil for an unknown operation.
    static func arguments(of kind: String) -> [String: Bool]? { all[kind] }

    private static let all: [String: [String: Bool]] = Dictionary(
        uniqueKeysWithValues: text.split(separator: "\n").map { line in
            let words = line.split(separator: " ")
            let arguments = words.dropFirst().map { word in
                word.last == "?" ? (String(word.dropLast()), false) : (String(word), true)
            }
            return (String(words[0]), Dictionary(uniqueKeysWithValues: arguments))
        })

    /// Each operation with its arguments. A question mark follows those that may be omitted.
    private static let text = """
        abs x
        acos x
        add x y
        affine x transform_matrix output_height output_width sampling_mode padding_mode padding_value \
            coordinates_mode align_corners
        argsort x axis? ascending?
        asin x
        atan x
        atanh x
        avg_pool exclude_padding_from_average? x kernel_sizes strides? pad_type pad? ceil_mode?
        band_part x lower? upper?
        batch_norm x mean variance gamma? beta? epsilon?
        batch_to_space x block_shape crops
        cast x dtype
        ceil x
        clamped_relu x alpha beta
        clip x alpha beta
        concat values axis interleave?
        constexpr_affine_dequantize quantized_data zero_point scale axis
        constexpr_blockwise_shift_scale data scale offset?
        constexpr_cast source_val output_dtype
        constexpr_lut_to_dense indices lut shape? vector_axis?
        constexpr_lut_to_sparse indices_mask indices_nonzero_data lut vector_axis?
        constexpr_sparse_blockwise_shift_scale data_mask nonzero_data scale offset?
        constexpr_sparse_to_dense nonzero_data mask shape?
        conv x weight bias? strides? pad_type? pad? dilations? groups?
        conv_transpose x weight bias? pad? output_shape? pad_type? strides? dilations? groups?
        cos x
        cosh x
        crop x crop_height crop_width
        crop_resize x roi? target_height? target_width? normalized_coordinates? spatial_scale? \
            box_coordinate_mode? sampling_mode? pad_value? boxes? box_indices?
        cumsum x axis? exclusive? reverse?
        depth_to_space x block_size
        dequantize input zero_point? scale axis?
        einsum values equation
        elu x alpha
        equal x y
        erf x
        exp x
        exp2 x
        expand_dims x axes
        fill shape value?
        fill_like ref_tensor value?
        flatten2d x axis?
        floor x
        floor_div x y
        gather x indices axis? batch_dims? validate_indices?
        gather_along_axis x indices axis? validate_indices?
        gather_nd x indices batch_dims? validate_indices?
        gelu x mode?
        greater x y
        greater_equal x y
        gru x initial_h weight_ih weight_hh bias? direction? output_sequence? recurrent_activation? \
            activation? reset_after? input_bias?
        identity x
        instance_norm x gamma? beta? epsilon?
        inverse x epsilon?
        l2_norm x epsilon?
        l2_pool x kernel_sizes strides? pad_type pad? ceil_mode?
        layer_norm x axes? gamma? beta? epsilon?
        leaky_relu x alpha
        less x y
        less_equal x y
        linear x weight bias?
        linear_activation x alpha beta
        list_gather ls indices
        list_length ls
        list_read ls index
        list_scatter ls indices value
        list_write ls index value
        local_response_norm x size alpha? beta? k?
        log x epsilon?
        logical_and x y
        logical_not x
        logical_or x y
        logical_xor x y
        lstm x initial_h initial_c weight_ih weight_hh bias? peephole? weight_ih_back? weight_hh_back? \
            bias_back? peephole_back? direction? output_sequence? recurrent_activation? cell_activation? \
            activation? clip?
        make_list init_length? dynamic_length? elem_shape dtype?
        matmul x y transpose_x? transpose_y?
        max_pool x kernel_sizes strides? pad_type pad? ceil_mode?
        maximum x y
        minimum x y
        mod x y
        mul x y
        non_maximum_suppression boxes scores iou_threshold score_threshold? max_boxes per_class_suppression?
        non_zero x
        not_equal x y
        one_hot indices one_hot_vector_size axis? on_value? off_value?
        pad x pad mode? constant_val?
        pixel_shuffle x upscale_factor
        pixel_unshuffle x downscale_factor
        pow x y
        prelu x alpha
        quantize input zero_point? scale axis? output_dtype
        range_1d end start step
        real_div x y
        reduce_argmax x axis? keep_dims? output_dtype?
        reduce_argmin x axis? keep_dims? output_dtype?
        reduce_l1_norm x axes? keep_dims?
        reduce_l2_norm x axes? keep_dims?
        reduce_log_sum x axes? keep_dims?
        reduce_log_sum_exp x axes? keep_dims?
        reduce_max x axes? keep_dims?
        reduce_mean x axes? keep_dims?
        reduce_min x axes? keep_dims?
        reduce_prod x axes? keep_dims?
        reduce_sum x axes? keep_dims?
        reduce_sum_square x axes? keep_dims?
        relu x
        relu6 x
        resample x coordinates sampling_mode padding_mode padding_value coordinates_mode align_corners
        reshape x shape
        reshape_like x ref_tensors begins ends end_masks
        resize x shape resized_dims interpolation_mode? sampling_mode?
        resize_bilinear x target_size_height? target_size_width? sampling_mode?
        resize_nearest_neighbor x target_size_height target_size_width
        reverse x axes?
        reverse_sequence x lengths seq_axis? batch_axis?
        rnn x initial_h weight_ih weight_hh bias? direction? output_sequence? activation?
        round x
        rsqrt x epsilon?
        scaled_dot_product_attention query key value attn_mask?
        scaled_tanh x alpha beta
        scatter data indices updates axis? mode? validate_indices?
        scatter_along_axis data indices updates axis? mode? validate_indices?
        scatter_nd data indices updates mode? validate_indices?
        select cond a b
        shape x
        sigmoid x
        sigmoid_hard x alpha beta
        sign x
        silu x
        sin x
        sinh x
        slice_by_index x begin end stride? begin_mask? end_mask? squeeze_mask?
        slice_by_size x begin size
        slice_update x update begin end stride? begin_mask? end_mask? squeeze_mask?
        sliding_windows x axis size stride?
        softmax x axis?
        softplus x
        softplus_parametric x alpha beta
        softsign x
        space_to_batch x block_shape paddings
        space_to_depth x block_size
        split x num_splits? split_sizes? axis
        sqrt x
        square x
        squeeze x axes?
        stack values axis
        sub x y
        tan x
        tanh x
        threshold x alpha
        thresholded_relu x alpha
        tile x reps
        topk x k? axis? ascending? sort? return_indices? output_indices_dtype?
        transpose x perm
        upsample_bilinear x scale_factor_height? scale_factor_width? align_corners? half_pixel_centers?
        upsample_nearest_neighbor x scale_factor_height? scale_factor_width?
        """
}
