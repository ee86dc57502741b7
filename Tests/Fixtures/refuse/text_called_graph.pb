node {
  name: "input"
  op: "Placeholder"
  attr {
    key: "dtype"
    value {
      type: DT_FLOAT
    }
  }
  attr {
    key: "shape"
    value {
      shape {
        dim {
          size: 1
        }
        dim {
          size: 6
        }
        dim {
          size: 6
        }
        dim {
          size: 3
        }
      }
    }
  }
}
node {
  name: "Conv2D/filter"
  op: "Const"
  attr {
    key: "dtype"
    value {
      type: DT_FLOAT
    }
  }
  attr {
    key: "value"
    value {
      tensor {
        dtype: DT_FLOAT
        tensor_shape {
          dim {
            size: 3
          }
          dim {
            size: 3
          }
          dim {
            size: 3
          }
          dim {
            size: 4
          }
        }
        tensor_content: "\000\000\200\277\0077{\277\016nv\277\026\245q\277\035\334l\277$\023h\277+Jc\2772\201^\2779\270Y\277A\357T\277H&P\277O]K\277V\224F\277]\313A\277d\002=\277l98\277sp3\277z\247.\277\201\336)\277\210\025%\277\220L \277\227\203\033\277\236\272\026\277\245\361\021\277\254(\r\277\263_\010\277\273\226\003\277\204\233\375\276\222\t\364\276\240w\352\276\257\345\340\276\275S\327\276\313\301\315\276\332/\304\276\350\235\272\276\366\013\261\276\005z\247\276\023\350\235\276!V\224\2760\304\212\276>2\201\276\231@o\276\266\034\\\276\323\370H\276\357\3245\276\014\261\"\276)\215\017\276\213\322\370\275\304\212\322\275\376B\254\2757\373\205\275\341f?\275\247\256\345\274\032\037\031\274\032\037\031<\247\256\345<\341f?=7\373\205=\376B\254=\304\212\322=\213\322\370=)\215\017>\014\261\">\357\3245>\323\370H>\266\034\\>\231@o>>2\201>0\304\212>!V\224>\023\350\235>\005z\247>\366\013\261>\350\235\272>\332/\304>\313\301\315>\275S\327>\257\345\340>\240w\352>\222\t\364>\204\233\375>\273\226\003?\263_\010?\254(\r?\245\361\021?\236\272\026?\227\203\033?\220L ?\210\025%?\201\336)?z\247.?sp3?l98?d\002=?]\313A?V\224F?O]K?H&P?A\357T?9\270Y?2\201^?+Jc?$\023h?\035\334l?\026\245q?\016nv?\0077{?\000\000\200?"
      }
    }
  }
}
node {
  name: "Conv2D"
  op: "Conv2D"
  input: "input"
  input: "Conv2D/filter"
  attr {
    key: "T"
    value {
      type: DT_FLOAT
    }
  }
  attr {
    key: "data_format"
    value {
      s: "NHWC"
    }
  }
  attr {
    key: "dilations"
    value {
      list {
        i: 1
        i: 1
        i: 1
        i: 1
      }
    }
  }
  attr {
    key: "explicit_paddings"
    value {
      list {
      }
    }
  }
  attr {
    key: "padding"
    value {
      s: "SAME"
    }
  }
  attr {
    key: "strides"
    value {
      list {
        i: 1
        i: 1
        i: 1
        i: 1
      }
    }
  }
  attr {
    key: "use_cudnn_on_gpu"
    value {
      b: true
    }
  }
}
node {
  name: "BiasAdd/bias"
  op: "Const"
  attr {
    key: "dtype"
    value {
      type: DT_FLOAT
    }
  }
  attr {
    key: "value"
    value {
      tensor {
        dtype: DT_FLOAT
        tensor_shape {
          dim {
            size: 4
          }
        }
        tensor_content: "\000\000\200\277\253\252\252\276\253\252\252>\000\000\200?"
      }
    }
  }
}
node {
  name: "BiasAdd"
  op: "BiasAdd"
  input: "Conv2D"
  input: "BiasAdd/bias"
  attr {
    key: "T"
    value {
      type: DT_FLOAT
    }
  }
  attr {
    key: "data_format"
    value {
      s: "NHWC"
    }
  }
}
node {
  name: "Mul/y"
  op: "Const"
  attr {
    key: "dtype"
    value {
      type: DT_FLOAT
    }
  }
  attr {
    key: "value"
    value {
      tensor {
        dtype: DT_FLOAT
        tensor_shape {
        }
        float_val: 0.5
      }
    }
  }
}
node {
  name: "Mul"
  op: "Mul"
  input: "BiasAdd"
  input: "Mul/y"
  attr {
    key: "T"
    value {
      type: DT_FLOAT
    }
  }
}
node {
  name: "output"
  op: "Identity"
  input: "Mul"
  attr {
    key: "T"
    value {
      type: DT_FLOAT
    }
  }
}
versions {
  producer: 2474
}
