#!/bin/sh
# SPDX-License-Identifier: MIT
# Traces a program in a container, without root. The trace is in this folder and
# belongs to the caller.
#   container.sh docker|podman|apptainer LIBXFERSPY.SO IMAGE COMMAND...
# Docker and Podman get the GPUs from a CDI specification, which the administrator
# writes once: nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml
set -eu
engine=$1
library=$(realpath "$2")
shift 2
inside=/opt/xferspy/libxferspy.so

case $engine in
docker) user="--user=$(id -u):$(id -g)" ;;
podman) user=--userns=keep-id ;;
apptainer)
	exec apptainer exec --nv --bind "$library:$inside:ro" --bind "$PWD" \
		--pwd "$PWD" --env "LD_PRELOAD=$inside" \
		--env "XFERSPY_OUTPUT=$PWD" "$@"
	;;
*)
	echo "container.sh: docker, podman or apptainer, not $engine" >&2
	exit 2
	;;
esac
exec "$engine" run --rm --device nvidia.com/gpu=all "$user" \
	-v "$library:$inside:ro" -v "$PWD:$PWD" -w "$PWD" \
	-e "LD_PRELOAD=$inside" -e "XFERSPY_OUTPUT=$PWD" "$@"
