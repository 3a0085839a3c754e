#!/usr/bin/env bash
# Split an IPv4 range into one subnet per zone, largest first, aligned, never smaller than /28 nor larger than asked for.
#
# Use:
#   subnet-plan.sh --base 10.47.0.0/16 --zones trusted:60,servers:30,iot:100
#   echo '{"base":"10.47.0.0/16","zones":"trusted:60,iot:100"}' | subnet-plan.sh
#
# zones: name:hosts pairs, comma separated; names a-z0-9-; hosts is the number of devices, gateway not counted.
# Prints one JSON object: {"base", "subnets":[{"zone","network","gateway","dhcp_from","dhcp_to","usable"}], "free_from"}.
# The free address is null when the range is used up. Exit 2 with a message on bad input.
set -euo pipefail

die() { echo "subnet-plan: $1" >&2; exit 2; }

base='' zones=''
if [ $# -gt 0 ]; then
  while [ $# -gt 0 ]; do
    case "$1" in
      --base) [ $# -ge 2 ] || die "--base needs a value"; base=$2; shift 2 ;;
      --zones) [ $# -ge 2 ] || die "--zones needs a value"; zones=$2; shift 2 ;;
      *) die "unknown flag $1; use --base and --zones" ;;
    esac
  done
else
  [ -t 0 ] && die "give --base and --zones, or a JSON object on standard input"
  json=$(tr '\n' ' ')
  [[ $json =~ ^[[:space:]]*\{.*\}[[:space:]]*$ ]] || die "standard input must be a JSON object with the strings base and zones"
  [[ $json =~ \"base\"[[:space:]]*:[[:space:]]*\"([^\"]*)\" ]] && base=${BASH_REMATCH[1]}
  [[ $json =~ \"zones\"[[:space:]]*:[[:space:]]*\"([^\"]*)\" ]] && zones=${BASH_REMATCH[1]}
fi
[ -n "$base" ] || die "base is missing, for example 10.47.0.0/16"
[ -n "$zones" ] || die "zones is missing, for example trusted:60,iot:100"

[[ $base =~ ^([0-9]{1,3})\.([0-9]{1,3})\.([0-9]{1,3})\.([0-9]{1,3})/([0-9]{1,2})$ ]] || die "base \"$base\" is not an IPv4 range such as 10.47.0.0/16"
o1=$((10#${BASH_REMATCH[1]})) o2=$((10#${BASH_REMATCH[2]})) o3=$((10#${BASH_REMATCH[3]})) o4=$((10#${BASH_REMATCH[4]})) prefix=$((10#${BASH_REMATCH[5]}))
for o in $o1 $o2 $o3 $o4; do [ "$o" -le 255 ] || die "base \"$base\": $o is above 255"; done
{ [ "$prefix" -ge 8 ] && [ "$prefix" -le 28 ]; } || die "base prefix must be from /8 to /28, found /$prefix"
start=$(((o1 << 24) | (o2 << 16) | (o3 << 8) | o4))
size=$((1 << (32 - prefix)))
[ $((start % size)) -eq 0 ] || die "base \"$base\" has host bits set"
end=$((start + size))

ip() { echo "$(($1 >> 24 & 255)).$(($1 >> 16 & 255)).$(($1 >> 8 & 255)).$(($1 & 255))"; }

# name and needed block size, largest first; equal ones keep their order
list=''
IFS=, read -ra pairs <<<"$zones"
for pair in "${pairs[@]}"; do
  pair=${pair//[[:space:]]/}
  [[ $pair =~ ^([a-z0-9-]+):([0-9]{1,7})$ ]] || die "zone \"$pair\" is not name:hosts"
  name=${BASH_REMATCH[1]} hosts=$((10#${BASH_REMATCH[2]}))
  [ "$hosts" -ge 1 ] || die "zone $name has no hosts"
  case " $list" in *" $name "*) die "zone $name occurs twice" ;; esac
  bits=4
  # network, broadcast and gateway take three addresses
  while [ $((1 << bits)) -lt $((hosts + 3)) ]; do bits=$((bits + 1)); done
  list+="$bits $name "$'\n'
done

cursor=$start out=''
while read -r bits name; do
  [ -n "$name" ] || continue
  block=$((1 << bits))
  [ $((cursor + block)) -le "$end" ] || die "zones need more room than $base has (stopped at $name)"
  out+="${out:+,}"$'\n'"    {\"zone\":\"$name\",\"network\":\"$(ip "$cursor")/$((32 - bits))\",\"gateway\":\"$(ip $((cursor + 1)))\",\"dhcp_from\":\"$(ip $((cursor + 2)))\",\"dhcp_to\":\"$(ip $((cursor + block - 2)))\",\"usable\":$((block - 3))}"
  cursor=$((cursor + block))
done < <(printf '%s' "$list" | sort -s -k1,1nr)

free='null'
[ "$cursor" -lt "$end" ] && free="\"$(ip "$cursor")\""
printf '{\n  "base": "%s",\n  "subnets": [%s\n  ],\n  "free_from": %s\n}\n' "$base" "$out" "$free"
