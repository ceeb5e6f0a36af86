#!/bin/sh
# An agent in any pipeline: knows exit codes and .holdpoint/session/pause.json, and needs holdpoint, sh and sed.
#
#   agent.sh "what to do"          starts
#   agent.sh --pending             shows what the agent waits for
#   agent.sh --approve CHECKPOINT  approves all of that, and goes on; so does --reject CHECKPOINT REASON
#
# Exits 0 when the agent is done, 10 when somebody is needed (stdout ends with its checkpoint), otherwise as holdpoint does.
# The checkpoint says what was looked at: what came up since is not decided along with it, but refused.
set -u

pause=.holdpoint/session/pause.json

newest_checkpoint() {
  sed -n 's/^{"outcome":"paused","checkpoint_id":"\(cp_[0-9a-z]*\)".*/\1/p' "$pause"
}

case ${1-} in
  '')
    echo 'usage: agent.sh PROMPT | --pending | --approve CHECKPOINT | --reject CHECKPOINT REASON' >&2
    exit 2
    ;;
  --pending)
    [ -e "$pause" ] || { echo 'agent.sh: nothing waits' >&2; exit 2; }
    cat "$pause"
    exit
    ;;
  --approve) holdpoint -c "${2-}" --approve-all ;;
  --reject) holdpoint -c "${2-}" --reject-all --reason "${3-rejected}" ;;
  *)
    # People have seven days, unless the project says otherwise.
    mkdir -p .holdpoint
    [ -e .holdpoint/config.json ] || echo '{ "due": { "seconds": 604800 } }' > .holdpoint/config.json
    holdpoint -a --pause-on approval -- "$1"
    ;;
esac
code=$?

case $code in
  0) ;;
  10) newest_checkpoint ;;
  2) echo 'agent.sh: refused; nothing was changed' >&2 ;;
  129 | 130 | 143) echo 'agent.sh: stopped; `holdpoint work --once` goes on' >&2 ;;
  *) echo "agent.sh: the agent failed ($code)" >&2 ;;
esac
exit "$code"
