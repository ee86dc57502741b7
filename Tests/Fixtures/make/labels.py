"""Label files of every kind, with five labels each unless their name says otherwise: `labels/NAME`, listed in `labels.tsv`."""
from common import save_bytes, save_table

LABELS = ["tench", "goldfish", "great white shark", "crane", "café"]
PLAIN = "\n".join(LABELS)
INDEXED = [f"{index}:{label}" for index, label in enumerate(LABELS)]


def write():
    """Each file with its result: the labels, joined by `|`, or the reason for refusal."""
    good, distinct = "|".join(LABELS), "tench|crane (1)|shark|crane (3)|café"
    files = [
        ("plain.txt", PLAIN + "\n", good),
        ("byte_order_mark.txt", "\ufeff" + PLAIN + "\n", good),
        ("crlf.txt", PLAIN.replace("\n", "\r\n") + "\r\n", good),
        ("byte_order_mark_crlf_indexed.txt", "\ufeff" + "\r\n".join(INDEXED), good),
        ("no_last_newline.txt", PLAIN, good),
        ("blank_lines_at_end.txt", PLAIN + "\n\n\r\n\n", good),
        ("indexed.txt", "\n".join(INDEXED) + "\n", good),
        ("index_and_space.txt", "".join(f"{i} {label}\n" for i, label in enumerate(LABELS)), good),
        ("index_and_tab.txt", "".join(f"{i}\t{label}\n" for i, label in enumerate(LABELS)), good),
        ("index_and_space_in_other_order.txt", "0 tench\n2 sharks\n1 goldfish\n3 crane\n4 x\n",
         "0 tench|2 sharks|1 goldfish|3 crane|4 x"),
        ("numbers_in_front.txt", "0 tench\n2 goldfish\n3 sharks\ncrane\n4 x\n", "0 tench|2 goldfish|3 sharks|crane|4 x"),
        ("colons.txt", "\n".join(["tench: a fish", "time 10:30", "a:b", "crane", "café"]) + "\n",
         "tench: a fish|time 10:30|a:b|crane|café"),
        ("commas_and_spaces.txt", "tench, Tinca tinca\ngoldfish, Carassius auratus\nx\ny\nz\n",
         "tench, Tinca tinca|goldfish, Carassius auratus|x|y|z"),
        ("duplicates.txt", "tench\ncrane\nshark\ncrane\ncafé\n", distinct),
        ("duplicates_indexed.txt", "0:tench\n1:crane\n2:shark\n3:crane\n4:café\n", distinct),
        ("four.txt", "\n".join(LABELS[:4]) + "\n", "refused: 4 labels for 5 classes"),
        ("six.txt", PLAIN + "\nheron\n", "refused: 6 labels for 5 classes"),
        ("background_and_five.txt", "background\n" + PLAIN + "\n", "refused: 6 labels for 5 classes, the first is background"),
        ("wrong_index.txt", "\n".join(INDEXED).replace("3:", "4:") + "\n", "refused: line 4 has the index 4, not 3"),
        ("index_from_one.txt", "\n".join(f"{i}:{label}" for i, label in enumerate(LABELS, 1)) + "\n",
         "refused: line 1 has the index 1, not 0"),
        ("blank_line_inside.txt", PLAIN.replace("shark\n", "shark\n\n") + "\n", "refused: line 4 is blank"),
        ("blank_first_line.txt", "\n" + PLAIN + "\n", "refused: line 1 is blank"),
        ("not_utf8.txt", PLAIN.encode("latin-1") + b"\n", "refused: line 5 is not UTF-8"),
        ("empty.txt", "", "refused: empty"),
        ("only_blank_lines.txt", "\n\r\n\n", "refused: empty"),
        ("only_byte_order_mark.txt", "\ufeff", "refused: empty"),
        ("latin_utf_16.txt", "\n".join(LABELS[:4] + ["cafe"]).encode("utf-16-le"), "refused: line 1 is not UTF-8"),
        ("nul_bytes.txt", PLAIN.encode("utf-16-le"), "refused: not UTF-8 text"),
    ]
    for name, content, _ in files:
        save_bytes("labels/" + name, content if isinstance(content, bytes) else content.encode())
    save_table("labels/labels.tsv", ("file", "result"), [(name, result) for name, _, result in files])
