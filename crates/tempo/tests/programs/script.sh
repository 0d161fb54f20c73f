# A start-up script: waits, computes with small programs, and writes dates. Its CPU time is that of the shell and of what it
# started, to the millisecond.
used() {
    times > "$1"
}
used "$OUT/before"
begun=$(date +%s.%N)
for i in 1 2 3 4 5 6 7 8; do
    sleep 0.25
    n=0
    while [ $n -lt 8000 ]; do n=$((n + 1)); done
    echo "$i" | awk '{ for (k = 0; k < 40000; k++) s += sin(k * $1); print s }' > /dev/null
done
ended=$(date +%s.%N)
used "$OUT/after"
awk -v begun="$begun" -v ended="$ended" '
    function seconds(text, part) { split(text, part, /[ms]/); return 60 * part[1] + part[2] }
    { for (f = 1; f <= NF; f++) sum[FILENAME] += seconds($f); last = FILENAME; if (!first) first = FILENAME }
    END { printf "%.6f %.6f\n", ended - begun, 2.0 + sum[last] - sum[first] }
' "$OUT/before" "$OUT/after"
