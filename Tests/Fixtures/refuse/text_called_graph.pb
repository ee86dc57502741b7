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
        tensor_content: "\351\035\202\277\016\226\212>\313\3539\277V\243\"\300\365\351\263\276Q\004\005\276\314J9>\355?\005@As\334>\360T\251\277\351\337\332\275/\366\323\276t]\274\275\351\311\262\277\265\r\317\276L\222\363?x\260\001\300\016\016\231\276$\013\003?\313\tJ\277\022\265\205?\233\230\215=\213\033E\277\255\246\027@\027ut\275?za?J/C\276\202\270\021@CB\215\277\000\035(\300\254\256G\277\223z/\276\233\203V?\nH\r\300\252b\217\277\242\026B>\263#\223?\333$\313?K\227\272\277\262\370\231\277Y[6\277z\034e>\206-\240>\027\274\237?\225\250\002@5%J?\221\317/>\255]\036?Y\247\003\277;]\340>\023\362\306\275\235C\001?j\360\372=\250\tj>\212\245\331>+ho?\300\375\226=\017\254-@\311\220\256?/\001\341?6\033\331=K\320\336?\006\200\014>\356\220F?\\\351\277\276{~\010\300\265;\240\276\245pi?\003\226\022?\321\005\006?\036\326\272\277\007u\352\276j*\351>){\000?A\262n?\202vp\277\r\003:>\036V\202\277<\006\346>S\376\201?\201L5?\330\247\345\277(\237\020\277\373\201\217\277\203O(\276~\305\302\274\257\371\234?\305\'\364?\221\274\236?f\2348?\216D\033>\253\271o\277\022\312^\276\374\227%?\307\331C?\363h@\277l\255z\276,\205\226?\020P\317\276\363\321\271?\307^\251?:\224\317\275\337\322W\277G\221&\276\025\307\377\277\364\262\031>Wk\317>\272\350\035\277"
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
        tensor_content: "Oww\277S\330\212\276~Rr\277\306\344\243?"
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
