#!/usr/bin/env python3
"""Classifies images on a Spark cluster.

    spark-submit thaw_classify.py --model MobileNet.mlmodel --input photos/ --output predictions.parquet

The output is a folder of Parquet files with a row for each prediction: path, rank, label, index, probability, error.
"""

import argparse
import sys


def arguments(command_line):
    parser = argparse.ArgumentParser(description="Classifies images on a Spark cluster.")
    parser.add_argument("--model", required=True, help="a .mlmodel or .mlpackage, on the driver")
    parser.add_argument("--input", required=True, help="a folder of images, or a text file with a path on each line")
    parser.add_argument("--output", required=True, help="the folder of Parquet files to write")
    parser.add_argument(
        "--paths", action="store_true", help="the input is a list of paths, which the workers read themselves"
    )
    parser.add_argument("--top", type=int, default=5, help="the number of predictions for each image (5)")
    parser.add_argument("--crop", default="fill", help="fill, center, center:F or fit, as in thaw classify (fill)")
    parser.add_argument("--resize", default="pillow", help="how images are resized, as in thaw classify (pillow)")
    parser.add_argument("--glob", default=None, help="classify only files whose names match, such as *.jpg")
    parser.add_argument("--overwrite", action="store_true", help="replace an output that exists")
    return parser.parse_args(command_line)


def main(command_line):
    given = arguments(command_line)
    from pyspark.sql import SparkSession

    import thaw.spark

    session = SparkSession.builder.appName("thaw_classify").getOrCreate()
    try:
        options = {"top": given.top, "crop": given.crop, "resize": given.resize}
        if given.paths:
            images = session.read.text(given.input).withColumnRenamed("value", "path")
            images = images.repartition(4 * session.sparkContext.defaultParallelism)
            options["path"] = "path"
        else:
            reader = session.read.format("binaryFile").option("recursiveFileLookup", "true")
            if given.glob:
                reader = reader.option("pathGlobFilter", given.glob)
            images = reader.load(given.input)
        predictions = thaw.spark.classify(images, given.model, **options)
        predictions.write.mode("overwrite" if given.overwrite else "errorifexists").parquet(given.output)
    except thaw.Error as failure:
        sys.exit(f"thaw_classify.py: {failure}")
    finally:
        session.stop()


if __name__ == "__main__":
    main(sys.argv[1:])
