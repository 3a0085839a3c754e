#!/bin/sh
# One slice of training on a machine lent for ten minutes at a time: goes on where the last slice stopped.
#
#   sh models/train/transformer/lent.sh CARRIED OUT [minutes]
#
# CARRIED holds pack.xz, and the machine's states are kept in CARRIED-work beside it (both ignored by git). OUT brings
# home the newest weights and, in the end, the model, cut into parts of 15 MiB; put them into CARRIED (`cat pt.* > NAME.pt`)
# if the machine was given back in between, and the finished stages are not run again.
# PRETRAIN, CONTRAST, TUNE: arguments of the stages instead of the defaults below. WITHOUT: repositories kept back.
set -u
carried=$(realpath "$1") out=$(realpath "$2") minutes=${3:-9}
work=$carried-work deadline=$(($(date +%s) + minutes * 60))
cd "$(dirname "$0")/.." || exit
mkdir -p "$work"
for weights in "$carried"/*.pt; do
  [ ! -e "$weights" ] || [ -e "$work/${weights##*/}" ] || cp "$weights" "$work/"
done
export PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
left() { awk "BEGIN { print ($deadline - $(date +%s)) / 60 }"; }
bring() { split -b 15m "$1" "$out/${1##*/}."; }

stage() {
  name=$1
  shift
  python3 -m "transformer.$name" --pack "$carried/pack.xz" --work "$work" --without "${WITHOUT:-}" --minutes "$(left)" "$@"
  status=$?
  [ $status -eq 0 ] && return
  [ $status -eq 75 ] && echo "Call again for the next slice."
  newest=$(ls -t "$work"/*.pt 2>/dev/null | head -1)
  [ -n "$newest" ] && bring "$newest"
  exit $status
}

stage pretrain ${PRETRAIN:---compile}
stage contrast ${CONTRAST:-}
stage tune ${TUNE:-} --queries queries/*.jsonl
bring "$work/tune.pt"
CUDA_VISIBLE_DEVICES='' python3 -m transformer.ship --pack "$carried/pack.xz" --weights "$work/tune.pt" --out "$work/model" &&
  bring "$work/model/onnx/model_quantized.onnx"
awk "BEGIN { exit !($(left) < 3) }" && echo "Call again to judge." && exit
for weights in contrast tune; do
  python3 -m transformer.judge --pack "$carried/pack.xz" --weights "$work/$weights.pt" | tee "$out/$weights.txt"
done
