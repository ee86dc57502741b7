"""Files that must be refused, each for one reason: `refuse/NAME`, listed in `refuse.tsv` with words that the message must contain."""
import refused_control
import refused_files
import refused_graphs
import refused_images
import refused_live
from common import save_table
from refusing import Refusals


def write():
    refusals = Refusals()
    refused_graphs.write(refusals)
    refused_images.write(refusals.add)
    refused_control.write(refusals)
    refused_files.write(refusals)
    refused_live.write(refusals)
    save_table("refuse/refuse.tsv", ("file", "words", "wrong"), refusals.rows)
