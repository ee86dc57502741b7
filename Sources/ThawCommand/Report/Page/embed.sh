#!/usr/bin/env bash
# Writes the Swift that holds the files of the report's page, so that the program needs no file beside it.
set -euo pipefail
cd "$(dirname "$0")"
target=${1:-../ReportPage+Files.swift}
if grep -q '"""##' *.html *.css *.js; then echo "a file holds what ends the text in Swift" >&2; exit 1; fi
{
    echo '// Written by Page/embed.sh from the files in that folder: change those, and run `make page`.'
    echo '// swift-format-ignore-file'
    echo
    echo 'extension ReportPage {'
    echo '    /// The files of the page by their names.'
    echo '    static let files: [String: String] = ['
    for file in *.html *.css *.js; do
        echo "        \"$file\": ##\"\"\""
        # The last line break would be that of the text's end.
        cat "$file"
        echo
        echo '"""##,'
    done
    echo '    ]'
    echo '}'
} > "$target"
