#!/bin/sh
# Takes the shop of each database into DynamoDB Local: check, dry run, load, verify. Runs in the `tour`
# service of compose.yml. Ends with the exit code of the first command that finds something, 0 otherwise.
#
#   tour.sh [postgres] [mysql]
#
# POSTGRES_URL, MYSQL_URL and DYNAMODB_ENDPOINT say where they are, MAPPING which mapping to take.
set -eu

main() {
    [ "$#" != 0 ] || set -- postgres mysql
    for database in "$@"; do
        tour "$database"
    done
    say "all of it holds: $*"
}

# Each database has a table of its own, so that both can be looked at afterwards. What an earlier tour
# left in it is written again: nothing else lives in this DynamoDB.
tour() {
    case "$1" in
        postgres) export DATABASE_URL="$POSTGRES_URL" ;;
        mysql) export DATABASE_URL="$MYSQL_URL" ;;
        *) fail "unknown database $1: postgres or mysql" ;;
    esac
    own=$folder/shop-$1.toml
    sed "s/^name = \"shop\"\$/name = \"shop-$1\"/" "$MAPPING" >"$own"
    grep -q "^name = \"shop-$1\"\$" "$own" || fail "$MAPPING names no table \"shop\""
    step migrate check --mapping "$own"
    step migrate run --mapping "$own" --dry-run
    step migrate run --mapping "$own" --create-table --yes
    step migrate verify --mapping "$own"
    # An empty source is no mistake to the tool, but here it would prove nothing.
    migrate verify --mapping "$own" --json --quiet | grep -q '"checked": *[1-9]' || fail "$1 has no rows"
}

step() {
    say "$*"
    code=0
    "$@" || code=$?
    [ "$code" = 0 ] || {
        say "exit code $code: $*"
        exit "$code"
    }
}

say() { printf '\ntour: %s\n' "$*" >&2; }

fail() {
    say "$*"
    exit 2
}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
main "$@"
