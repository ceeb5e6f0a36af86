/** The help of the daemon. */
import type { CommandText } from '../../../command/command-text.ts'

export const DAEMON: CommandText = {
  about: [
    'A store has one daemon, and one in PostgreSQL has one on each host. It starts background agents when their turn comes (max_concurrent), settles those whose process was killed, wakes agents whose holds were decided, fires deadlines, sends notices, and advances runs that are no agents in the background. `holdpoint daemon start` starts it in the background; such a daemon ends after five minutes without anything to do.',
    'Agents have processes of their own. If the daemon ends or is killed, they go on, and the next daemon knows them.',
    'It answers the requests of `holdpoint serve` on a socket that only your user can reach. `holdpoint daemon status` tells the address, which every command takes as --server or HOLDPOINT_SERVER.',
    'Without a word it runs here until SIGTERM, Ctrl-C or `holdpoint daemon stop`. Runs that it advances itself come to rest first.',
    '`gc` removes what killed processes left behind: rows, sockets, and output of tasks that were deleted. It removes nothing of the work of an agent.',
  ],
  examples: [
    ['holdpoint daemon start', 'in the background, unless it runs already'],
    ['holdpoint daemon status', 'exit code 1 if there is none'],
    ['export HOLDPOINT_SERVER=$(holdpoint daemon status --json | jq -r .daemon.server)', 'ask it, not the store'],
    ['holdpoint daemon stop --drain', 'before an upgrade'],
  ],
}
