#!/usr/bin/env bash
# Writes the Swift that contains the files of the service's page, so that the program needs no files beside it.
set -euo pipefail
cd "$(dirname "$0")"
target=${1:-../Page+Files.swift}
if grep -q '"""##' *.html *.css *.js *.json; then echo "a file contains what ends a string in Swift" >&2; exit 1; fi
{
    echo '// Written by Page/embed.sh from the files in that folder: change those, and run `make page`.'
    echo '// swift-format-ignore-file'
    echo
    echo 'extension Page {'
    echo '    /// The files of the page by their names.'
    echo '    static let files: [String: String] = ['
    for file in *.html *.css *.js *.json; do
        echo "        \"$file\": ##\"\"\""
        # The last line break would belong to the end of the string.
        cat "$file"
        echo
        echo '"""##,'
    done
    echo '    ]'
    echo '}'
} > "$target"
